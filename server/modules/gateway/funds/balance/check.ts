import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part } from '#platform/kernel/sql'

/** What a journal moved between two ledger accounts, as patterns. */
const moved = (debit: string, credit: string) => part`coalesce((select sum((leg->>3)::bigint)
  from jsonb_array_elements(j.legs) as leg where leg->>0 ~ ${debit} and leg->>1 ~ ${credit}), 0)`

/** Consistency rules of the routing balances, leases and usage rows. */
export const fundsChecks: readonly LedgerCheck[] = [
  {
    name: 'every ledger account of a lease belongs to a lease, and is empty when it is closed',
    statement: ({
      journals,
    }) => part`select 'account ' || a.account || case when l.id is null then ' has no lease' else ' is of a closed lease and holds ' || b.balance end as finding
      from (select distinct account from ledger_entry where journal_id in (${journals}) and account ~ '^204[56]:') a
        left join ledger_balance b on b.account = a.account and b.asset = 'USD'
        left join gateway_lease l on l.id::text = substr(a.account, 6) and l.test = (a.account ~ '^2046:')
      where l.id is null or (l.status = 'CLOSED' and b.balance <> 0)`,
  },
  {
    name: 'every posting of usage is the sum of its usage rows',
    statement: ({
      journals,
    }) => part`select 'journal ' || j.key || ' posts ' || p.charged || ' and bears ' || p.borne || ', its rows say ' || coalesce(u.charged, 0) || ' and ' || coalesce(u.borne, 0) as finding
      from ledger_journal j
        cross join lateral (select ${moved('^204[56]:', '^(2110:|4020$|1090$)')} as charged, ${moved('^5070$', '^2110:')} as borne) p
        left join lateral (select sum(cost + fee) as charged, sum(borne) filter (where not l.test) as borne
          from gateway_usage r join gateway_lease l on l.id = r.lease_id
          where r.lease_id = (j.reference->>'leaseId')::uuid and 'routing-lease/' || r.lease_id || '/' || r.epoch = j.key) u on true
      where j.id in (${journals}) and j.kind = 'routing_usage'
        and (p.charged <> coalesce(u.charged, 0) or p.borne <> coalesce(u.borne, 0))`,
  },
  {
    name: 'every usage row that was charged has its journal',
    statement: ({ last, full }) => part`select 'usage row ' || u.id || ' has no journal' as finding
      from gateway_usage u left join ledger_journal j on j.key = 'routing-lease/' || u.lease_id || '/' || u.epoch and j.kind = 'routing_usage'
      where ${last && full} and j.id is null and (u.lease_id is not null or u.cost + u.fee + u.borne > 0)`,
  },
  {
    name: 'what is allotted of a budget is what leases may spend of it',
    statement: ({
      last,
    }) => part`select 'budget ' || b.id || ' has ' || b.allotted || ' allotted, its blocks hold ' || coalesce(k.amount, 0) as finding
      from gateway_budget b left join lateral (select sum(amount) as amount from gateway_budget_block where budget_id = b.id) k on true
      where ${last} and b.allotted <> coalesce(k.amount, 0)`,
  },
]
