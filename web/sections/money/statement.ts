import { api } from '../../api/client.ts'
import type { Wallet, WalletTransaction } from '../../api/schema.d.ts'
import { csvOf, downloadFile } from '../../parts/download.ts'

/** The most that the API gives at once. */
const LIMIT = 100
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
export async function* transactionsOf(id: string): AsyncGenerator<WalletTransaction> {
  for (let offset = 0; ; offset += LIMIT) {
    const { data } = await api.GET('/wallets/{id}/transactions', {
      params: { path: { id }, query: { limit: LIMIT, offset } },
    })
    yield* data?.items ?? []
    if (!data || data.items.length < LIMIT) return
  }
}

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
