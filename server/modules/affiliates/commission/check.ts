import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part, type SqlPart } from '#platform/kernel/sql'

// By its id, so that an index finds the commissions. An account that names no id belongs to no profile.
const profileOf = part`case when a.account ~ '^\\d+:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substr(a.account, 6)::uuid end`

const holds =
  (code: string, states: SqlPart): LedgerCheck['statement'] =>
  ({ journals }) =>
    part`
  select 'account ' || a.account || ' holds ' || coalesce(b.balance, 0) || ' ' || a.asset || ', its commissions say ' || coalesce(c.due, 0) as finding
  from (select distinct account, asset from ledger_entry where journal_id in (${journals}) and account like ${`${code}:%`}) a
    left join ledger_balance b on b.account = a.account and b.asset = a.asset
    left join lateral (select sum(amount - clawed_back) as due from affiliates_commission
      where profile_id = ${profileOf} and currency = a.asset and status in (${states})) c on true
  where coalesce(b.balance, 0) <> coalesce(c.due, 0)`

/** Consistency rules of commissions and their ledger accounts (2050, 2051). */
export const commissionChecks: readonly LedgerCheck[] = [
  {
    name: 'commissions in their hold period are what 2050 holds',
    statement: holds('2050', part`'PENDING', 'FRAUD_HOLD'`),
  },
  { name: 'available commissions are what 2051 holds', statement: holds('2051', part`'AVAILABLE'`) },
]
