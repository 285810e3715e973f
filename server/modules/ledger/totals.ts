import type { Queryable } from '#platform/kernel/db'
import type { Asset } from '#platform/kernel/money'
import { sql } from '#platform/kernel/sql'

export const UNITS = ['day', 'week', 'month'] as const

export interface TotalsQuery {
  /** Length of a period; weeks begin on Monday. */
  unit: (typeof UNITS)[number]
  /** A moment of the first period. */
  from: Date
  /** Where days begin: a name of the IANA time zone database. */
  timeZone: string
}

/** What moved by postings of one kind in one direction; `amount` is signed as the accounts see it. */
export interface Total {
  kind: string
  asset: Asset
  amount: bigint
  count: number
}
export type PeriodTotal = Total & {
  /** First day of the period. */
  period: string
}
export type AccountTotal = Total & { account: string }

/** Sums of the movements of some accounts: of all of them by period, and of each account. */
export async function totalsOf(
  q: Queryable,
  accounts: readonly string[],
  how: TotalsQuery,
): Promise<{ periods: PeriodTotal[]; accounts: AccountTotal[] }> {
  const rows = await q.rows(totals(accounts, how))
  return { periods: rows.filter(isOfPeriod), accounts: rows.filter(isOfAccount) }
}

type Row = Total & { period: string | null; account: string | null }
const isOfPeriod = (row: Row): row is Row & PeriodTotal => row.period !== null
const isOfAccount = (row: Row): row is Row & AccountTotal => row.account !== null

const totals = (accounts: readonly string[], { unit, from, timeZone }: TotalsQuery) => sql<Row>`
  with movement as (
    select to_char(date_trunc(${unit}, j.at at time zone ${timeZone}), 'YYYY-MM-DD') as period,
      e.account, j.kind, e.asset, e.amount
    from ledger_entry e join ledger_journal j on j.id = e.journal_id
    where e.account = any(${accounts}::text[])
      and j.at >= date_trunc(${unit}, ${from}::timestamptz, ${timeZone})
  )
  select period, account, kind, asset, sum(amount)::bigint as amount, count(*)::int as count
  from movement group by grouping sets ((period, kind, asset, (amount > 0)), (account, kind, asset, (amount > 0)))
  order by period, account, kind, asset, amount`
