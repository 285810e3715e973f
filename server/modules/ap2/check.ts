import type { LedgerCheck } from '#ledger'
import { sql } from '#platform/sql'

/** What the books must say of escrows, for `svc ledger check`. */
export const escrowChecks: readonly LedgerCheck[] = [
  {
    name: 'a terminal escrow holds 0, a live one what was neither released nor refunded',
    statement: sql`select 'escrow ' || e.id || ' (' || e.status || ') holds ' || coalesce(b.balance, 0)
        || ', its record says ' || (e.amount - e.released - e.refunded) as fault
      from ap2_escrow e left join ledger_balance b on b.account = '2020:' || e.id and b.asset = e.currency
      where coalesce(b.balance, 0) <> e.amount - e.released - e.refunded limit 20`,
  },
  {
    name: 'the milestones of an escrow sum to it',
    statement: sql`select 'escrow ' || e.id || ': milestones sum to ' || sum(m.amount) || ', released ' || sum(m.released) as fault
      from ap2_escrow e join ap2_milestone m on m.escrow_id = e.id
      group by e.id having sum(m.amount) <> e.amount or sum(m.released) <> e.released limit 20`,
  },
  {
    name: 'an escrow is frozen in the books exactly when its record says so',
    statement: sql`select 'escrow ' || e.id || ' (' || e.status || ') has the freezes ' || b.freezes::text as fault
      from ap2_escrow e join ledger_balance b on b.account = '2020:' || e.id and b.asset = e.currency
      where (cardinality(b.freezes) > 0) <> (e.status = 'FROZEN') limit 20`,
  },
]
