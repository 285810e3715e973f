import { isId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import type { Payout } from '../payout/sql.ts'

interface Period {
  from: Date
  to: Date
}

/** Payouts to a bank with these ids, at the processor or here, and those that ended in a period. */
export const bankPayoutsIn = (
  { from, to }: Period,
  transferIds: readonly string[],
  ids: readonly string[],
) => sql<Payout>`
  select * from payouts_payout where rail = 'processor' and (transfer_id = any(${transferIds}::text[])
    or id = any(${ids.filter(isId)}::uuid[]) or (completed_at >= ${from} and completed_at < ${to}))`

/** When the oldest payout to a bank was sent that ended in a period. */
export const oldestBankPayoutEnded = ({ from, to }: Period) => sql<{ since: Date | null }>`
  select min(sent_at) as since from payouts_payout
  where rail = 'processor' and completed_at >= ${from} and completed_at < ${to}`

/** Payouts to the chain with these ids, and those that ended in a period. */
export const chainPayoutsIn = ({ from, to }: Period, ids: readonly string[]) => sql<Payout>`
  select * from payouts_payout where rail = 'chain'
    and (id = any(${ids.filter(isId)}::uuid[]) or (completed_at >= ${from} and completed_at < ${to}))`
