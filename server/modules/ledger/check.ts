import type { Queryable } from '#platform/db'
import { formatMoney } from '#platform/money'
import { sql, type Statement } from '#platform/sql'
import { chart } from './accounts.ts'
import { trialBalance, type TrialRow } from './statement.ts'

/** A rule of the books: one statement (so that it sees one moment of a running service) that returns a row for each fault. */
export interface LedgerCheck { name: string; statement: Statement<{ fault: string }> }

export interface LedgerFigures { journals: number; entries: number; accounts: number; trial: TrialRow[] }
export interface LedgerReport { ok: boolean; faults: string[]; figures: LedgerFigures }

const codes = (guarded: boolean): string[] => chart.filter(row => row.guarded === guarded).map(row => row.code)

const checks: readonly LedgerCheck[] = [
  {
    name: 'every journal sums to zero in each asset',
    statement: sql`select 'journal ' || journal_id || ' sums to ' || sum(amount) || ' ' || asset as fault
      from ledger_entry group by journal_id, asset having sum(amount) <> 0 limit 20`,
  },
  {
    name: 'all entries sum to zero in each asset',
    statement: sql`select asset || ' entries sum to ' || sum(amount) as fault from ledger_entry group by asset having sum(amount) <> 0`,
  },
  {
    name: 'every journal has entries, every entry a journal',
    statement: sql`select case when j.id is null then 'entry ' || e.seq || ' has no journal' else 'journal ' || j.id || ' has no entries' end as fault
      from ledger_journal j full join ledger_entry e on e.journal_id = j.id where j.id is null or e.seq is null limit 20`,
  },
  {
    name: 'every account is in the chart, guarded as it says',
    statement: sql`select 'account ' || account || ' is not as the chart says' as fault
      from (select distinct account, balance_after is not null as guarded from ledger_entry) used
      where not split_part(account, ':', 1) = any(case when guarded then ${codes(true)}::text[] else ${codes(false)}::text[] end) limit 20`,
  },
  {
    name: 'every balance is the sum of its entries',
    statement: sql`select 'balance of ' || account || ' is ' || coalesce(b.balance::text, 'missing') || ', its entries sum to ' || coalesce(e.total, 0) || ' ' || asset as fault
      from ledger_balance b
      full join (select account, asset, sum(amount) as total from ledger_entry where balance_after is not null group by account, asset) e using (account, asset)
      where b.balance is distinct from coalesce(e.total, 0) limit 20`,
  },
  {
    name: 'no guarded account is below zero',
    statement: sql`select 'balance of ' || account || ' is ' || balance || ' ' || asset as fault from ledger_balance where balance < 0 limit 20`,
  },
  {
    name: 'every balance after an entry is the running sum',
    statement: sql`select 'entry ' || seq || ' of ' || account || ' says ' || balance_after || ', the running sum is ' || running as fault
      from (select seq, account, balance_after, sum(amount) over (partition by account, asset order by seq) as running
        from ledger_entry where balance_after is not null) entries
      where balance_after <> running limit 20`,
  },
  {
    name: 'rollup and unsealed tail of unguarded accounts are the sum of their entries',
    statement: sql`select 'rollup and tail of ' || account || ' are ' || coalesce(kept.total, 0) || ', its entries sum to ' || coalesce(e.total, 0) || ' ' || asset as fault
      from (select account, asset, sum(balance) as total from (
          select account, asset, balance from ledger_rollup
          union all select t.account, t.asset, t.amount from ledger_unsealed u join ledger_entry t on t.journal_id = u.item_id where t.balance_after is null
        ) parts group by account, asset) kept
      full join (select account, asset, sum(amount) as total from ledger_entry where balance_after is null group by account, asset) e using (account, asset)
      where coalesce(kept.total, 0) <> coalesce(e.total, 0) limit 20`,
  },
]

/** Proves the books: `faults` is empty when every rule holds, those of upper modules (`extra`) too. */
export async function checkLedger(q: Queryable, extra: readonly LedgerCheck[] = []): Promise<LedgerReport> {
  const faults: string[] = []
  for (const check of [...checks, ...extra]) {
    for (const { fault } of await q.rows(check.statement)) faults.push(`${check.name}: ${fault}`)
  }
  const trial = await trialBalance(q)
  faults.push(...equation(trial))
  const figures = await q.one(sql<Omit<LedgerFigures, 'trial'>>`
    select (select count(*)::int from ledger_journal) as journals, (select count(*)::int from ledger_entry) as entries,
      (select count(*)::int from ledger_balance) as accounts`)
  return { ok: faults.length === 0, faults, figures: { ...figures, trial } }
}

/** assets = liabilities + revenue - expense, over the balances that are kept; they are credit-positive. */
function equation(trial: readonly TrialRow[]): string[] {
  return [...new Set(trial.map(row => row.asset))].flatMap(asset => {
    const total = (kind: TrialRow['kind']) => trial.filter(row => row.asset === asset && row.kind === kind).reduce((sum, row) => sum + row.balance, 0n)
    const assets = -total('asset')
    const claims = total('liability') + total('revenue') + total('expense')
    return assets === claims ? [] : [`assets = liabilities + revenue - expense: ${formatMoney(assets)} against ${formatMoney(claims)} ${asset}`]
  })
}
