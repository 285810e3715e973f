import type { Asset } from '#platform/kernel/money'
import type { walletPorts } from '#wallets'
import type { ledgerOwners } from '#ledger'
import { sql } from '#platform/kernel/sql'
import type { RefundStatus } from './machine.ts'

export interface RefundRow {
  id: string
  status: RefundStatus
  paymentId: string
  walletId: string
  amount: bigint
  currency: Asset
  journalId: string
  processorId: string | null
  failure: string | null
  askAt: Date | null
  asks: number
  createdAt: Date
  updatedAt: Date
}

export type NewRefund = Pick<
  RefundRow,
  'id' | 'paymentId' | 'walletId' | 'amount' | 'currency' | 'journalId' | 'createdAt'
> & { askAt: Date }

export const insertRefund = (row: NewRefund) => sql`
  insert into payments_refund (id, status, payment_id, wallet_id, amount, currency, journal_id, ask_at, created_at, updated_at)
  values (${row.id}, 'PENDING', ${row.paymentId}, ${row.walletId}, ${row.amount}, ${row.currency}, ${row.journalId},
    ${row.askAt}, ${row.createdAt}, ${row.createdAt})`

export const refundById = (id: string) => sql<RefundRow>`select * from payments_refund where id = ${id}`
export const lockRefund = (id: string) =>
  sql<RefundRow>`select * from payments_refund where id = ${id} for update`
export const refundsOf = (paymentId: string) => sql<RefundRow>`
  select * from payments_refund where payment_id = ${paymentId} order by created_at, id`

export const postponeRefund = (id: string, at: Date) => sql`
  update payments_refund set ask_at = ${at}, asks = asks + 1 where id = ${id}`
export const setRefundId = (id: string, processorId: string) => sql`
  update payments_refund set processor_id = ${processorId} where id = ${id} and processor_id is null`
/** The payment that the processor knows by an id. */
export const paymentIdOf = (processorId: string) =>
  sql<{ id: string }>`select id from payments_intent where processor_id = ${processorId}`

/** What went back to cards by period, of payments through some wallets. Refunds that failed are in the wallet. */
export const refundTotals = (
  walletIds: readonly string[],
  { unit, from, timeZone }: ledgerOwners.TotalsQuery,
) => sql<walletPorts.CardRefundTotal>`
  select to_char(date_trunc(${unit}, created_at at time zone ${timeZone}), 'YYYY-MM-DD') as period,
    currency as asset, sum(amount)::bigint as amount, count(*)::int as count
  from payments_refund
  where wallet_id = any(${walletIds}::uuid[]) and status <> 'FAILED'
    and created_at >= date_trunc(${unit}, ${from}::timestamptz, ${timeZone})
  group by 1, 2 order by 1, 2`
