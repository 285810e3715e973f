import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part, sql, type SqlPart } from '#platform/kernel/sql'
import { chart } from './accounts.ts'

const codes = (guarded: boolean): string[] =>
  chart.filter(row => row.guarded === guarded).map(row => row.code)

/** Rules of journals and entries. */
export const journalRules: readonly LedgerCheck[] = [
  {
    name: 'every journal sums to zero in each asset',
    statement: ({
      journals,
    }) => part`select 'journal ' || journal_id || ' sums to ' || sum(amount) || ' ' || asset as finding
      from ledger_entry where journal_id in (${journals}) group by journal_id, asset having sum(amount) <> 0`,
  },
  {
    name: 'every journal has entries',
    statement: ({
      journals,
    }) => part`select 'journal ' || id || case when not exists (select from ledger_journal j where j.id = scope.id) then ' is missing' else ' has no entries' end as finding
      from (${journals}) as scope (id) where not exists (select from ledger_entry e where e.journal_id = scope.id)
        or not exists (select from ledger_journal j where j.id = scope.id)`,
  },
  {
    name: 'every account is in the chart, guarded as it says',
    statement: ({ journals }) => part`select 'account ' || account || ' is not as the chart says' as finding
      from (select distinct account, balance_after is not null as guarded from ledger_entry where journal_id in (${journals})) used
      where not split_part(account, ':', 1) = any(case when guarded then ${codes(true)}::text[] else ${codes(false)}::text[] end)`,
  },
  {
    // By induction over all entries: balance_after is the sum of the account's entries up to this one. Entries of accounts
    // without a balance are left out before the search for the one before, which would read all of the account each time.
    name: 'every balance after an entry is the running sum',
    statement: ({
      journals,
    }) => part`select 'entry ' || e.seq || ' of ' || e.account || ' says ' || e.balance_after || ', the running sum is ' || coalesce(before.balance_after, 0) + e.amount as finding
      from ledger_entry e left join lateral (
        select balance_after from ledger_entry b where b.account = e.account and b.asset = e.asset and b.seq < e.seq and b.balance_after is not null order by b.seq desc limit 1
      ) before on true
      where e.journal_id in (${journals}) and e.balance_after is not null and e.balance_after <> coalesce(before.balance_after, 0) + e.amount`,
  },
  {
    name: 'every balance is the sum of its entries',
    statement: ({ journals }) => part`select ${balanceFinding} from (
        select distinct account, asset from ledger_entry where journal_id in (${journals}) and balance_after is not null
      ) touched left join ledger_balance b using (account, asset) left join lateral ${lastEntry} on true
      where b.balance is distinct from coalesce(l.balance_after, 0)`,
  },
]

const balanceFinding = part`'balance of ' || account || ' is ' || coalesce(b.balance::text, 'missing') || ', its entries sum to ' || coalesce(l.balance_after, 0) || ' ' || asset as finding`
const lastEntry = part`(select balance_after from ledger_entry e where e.account = b.account and e.asset = b.asset and e.balance_after is not null order by e.seq desc limit 1) l`

/** The same of accounts that hold money, or of all (`full`), `limit` at a time from the account after `from` on. */
export const balancesAfter = (from: string, limit: number, full: boolean) => sql<{
  account: string
  finding: string | null
}>`
  select account, case when b.balance < 0 then 'balance of ' || account || ' is ' || b.balance || ' ' || asset
    when b.balance is distinct from coalesce(l.balance_after, 0) then finding end as finding
  from (select account, asset, balance from ledger_balance where account > ${from} and (${full} or balance <> 0) order by account, asset limit ${limit}) b
    left join lateral ${lastEntry} on true, lateral (select ${balanceFinding}) as balance_findings
  order by account, asset`

/** Sums of unguarded accounts over a scope. */
export const scopeSums = (journals: SqlPart) => sql<{ account: string; asset: string; total: string }>`
  select account, asset, sum(amount)::text as total from ledger_entry where journal_id in (${journals}) and balance_after is null group by account, asset`

export const scopeCounts = (journals: SqlPart) => sql<{ journals: number; entries: number }>`
  select count(distinct scope.id)::int as journals, count(e.journal_id)::int as entries from (${journals}) as scope (id) left join ledger_entry e on e.journal_id = scope.id`

export interface AccountSum {
  account: string
  asset: string
  total: string
}

/** Whether rollups and the unsealed tail are what was proved (`sums`) and what the scope adds. */
export const rollupFindings = (sums: readonly AccountSum[], journals: SqlPart): SqlPart => part`
  select 'rollup and tail of ' || account || ' are ' || coalesce(stored.total, 0) || ', its entries sum to ' || coalesce(e.total, 0) || ' ' || asset as finding
  from (select account, asset, sum(total) as total from (
      select account, asset, balance as total from ledger_rollup
      union all select t.account, t.asset, t.amount from ledger_unsealed u join ledger_entry t on t.journal_id = u.item_id where t.balance_after is null
    ) parts group by account, asset) stored
  full join (select account, asset, sum(total) as total from (
      select account, asset, total from unnest(${sums.map(sum => sum.account)}::text[], ${sums.map(sum => sum.asset)}::text[], ${sums.map(sum => sum.total)}::numeric[]) as proved (account, asset, total)
      union all select account, asset, amount from ledger_entry where journal_id in (${journals}) and balance_after is null
    ) parts group by account, asset) e using (account, asset)
  where coalesce(stored.total, 0) <> coalesce(e.total, 0)`
