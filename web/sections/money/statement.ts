import { api } from '../../api/client.ts'
import { itemsOf } from '../../api/items.ts'
import type { Wallet, WalletTransaction } from '../../api/schema.d.ts'
import { csvOf, downloadFile } from '../../parts/download.ts'

const HEADERS = [
  'id',
  'time_utc',
  'type',
  'status',
  'direction',
  'amount',
  'currency',
  'test',
  'balance_after',
  'counterpart',
  'memo',
]

/** All transactions of a wallet, from the latest to the first. */
export const transactionsOf = (id: string): AsyncGenerator<WalletTransaction> =>
  itemsOf(
    async query =>
      (await api.GET('/wallets/{id}/transactions', { params: { path: { id }, query } })).data?.items,
  )

/** Saves the whole statement of a wallet as CSV. */
export async function downloadStatement({ id, currency }: Wallet): Promise<void> {
  const rows = []
  for await (const each of transactionsOf(id))
    rows.push([
      each.id,
      each.createdAt,
      each.type,
      each.status,
      each.direction,
      each.amount,
      each.currency,
      each.test,
      each.balanceAfter,
      each.counterpart,
      each.memo,
    ])
  downloadFile(`statement-${currency.toLowerCase()}.csv`, 'text/csv', csvOf([HEADERS, ...rows]))
}
