import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part } from '#platform/kernel/sql'

const inProgress = part`p.status in ('REVIEW', 'REQUESTED', 'PENDING', 'IN_TRANSIT')`
const wallet = part`'2010:' || p.wallet_id`
const transit = part`'2060:' || p.id`
// The id in the key: PostgreSQL can join by it. Another key names no payout.
const payoutOf = part`case when j.key ~ '^payout/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then split_part(j.key, '/', 2)::uuid end`

/** What the books must say of payouts. */
export const payoutChecks: readonly LedgerCheck[] = [
  {
    name: 'a payout in progress holds its amount in transit, any other one nothing',
    statement: ({
      journals,
      last,
    }) => part`select 'payout ' || coalesce(p.id::text, substr(t.account, 6)) || ' (' || coalesce(p.status, 'unknown') || ') holds '
        || coalesce(b.balance, 0) as finding
      from (select distinct account from ledger_entry where journal_id in (${journals}) and account like '2060:%'
          union select ${transit} from payouts_payout p where ${last} and ${inProgress}) t
        left join payouts_payout p on ${transit} = t.account
        left join ledger_balance b on b.account = t.account and b.asset = p.currency
      where coalesce(b.balance, 0) is distinct from case when ${inProgress} then p.amount when p.id is not null then 0 end`,
  },
  {
    // A payout on the chain leaves from custody, and its transaction may cost gas. One that comes back may pay a debt.
    name: 'every payout journal moves the amount of its payout',
    statement: ({
      journals,
    }) => part`select 'journal ' || j.id || ' (' || j.kind || ') is not what payout ' || coalesce(p.id::text, 'unknown') || ' says' as finding
      from ledger_journal j left join payouts_payout p on p.id = ${payoutOf}
        and j.key = 'payout/' || p.id || '/' || substr(j.kind, 8)
      where j.id in (${journals}) and j.kind like 'payout\\_%' and not coalesce(
        (select count(*) = 1 from jsonb_array_elements(j.legs) leg where leg->>2 = p.currency and leg->>3 = p.amount::text
          and leg->>0 = case j.kind when 'payout_requested' then ${wallet} when 'payout_returned' then '1010' else ${transit} end
          and leg->>1 like case j.kind when 'payout_requested' then ${transit}
            when 'payout_paid' then case p.rail when 'chain' then '1030:%:USDC' else '1010' end else ${wallet} end)
        and (select count(*) from jsonb_array_elements(j.legs) leg where leg->>0 <> '5020' and leg->>1 not like '1050:%') = 1, false)`,
  },
  {
    name: 'every payout has the journal of its end',
    statement: ({
      last,
      full,
    }) => part`select 'payout ' || p.id || ' is ' || p.status || ' and has no journal for it' as finding
      from payouts_payout p where ${last && full} and p.status in ('PAID', 'RETURNED', 'FAILED', 'CANCELED')
        and not exists (select from ledger_journal j where j.key = 'payout/' || p.id || '/' || lower(p.status))`,
  },
]
