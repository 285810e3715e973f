import { json, sql } from '#platform/kernel/sql'
import type { Difference } from './port.ts'

export type Trigger = 'DAILY' | 'ADMIN' | 'COMMAND'

export interface Run {
  id: string
  fromAt: Date
  toAt: Date
  trigger: Trigger
  compared: Record<string, number>
  open: number
  finishedAt: Date
}
export type DifferenceRow = Difference & { id: string; runId: string; rail: string }

export const insertRun = (run: Run) => sql`
  insert into reconciliation_run (id, from_at, to_at, trigger, compared, open, finished_at)
  values (${run.id}, ${run.fromAt}, ${run.toAt}, ${run.trigger}, ${json(run.compared)}::jsonb, ${run.open}, ${run.finishedAt})`

export const insertDifference = (row: DifferenceRow) => sql`
  insert into reconciliation_difference (id, run_id, rail, kind, subject, external_id, our_id, expected, actual, note, is_open)
  values (${row.id}, ${row.runId}, ${row.rail}, ${row.kind}, ${row.subject}, ${row.externalId}, ${row.ourId}, ${row.expected},
    ${row.actual}, ${row.note}, ${row.isOpen})`

export const runs = (page: { limit: number; offset: number }) => sql<Run>`
  select * from reconciliation_run order by finished_at desc, id desc limit ${page.limit} offset ${page.offset}`
export const countRuns = (atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from reconciliation_run limit ${atMost}) as found`
/** Those of each run, what needs an operator first; at most `limit` of each, all without one. */
export const differencesOf = (runIds: readonly string[], limit: number | null = null) => sql<DifferenceRow>`
  select d.* from unnest(${runIds}::uuid[]) as r (id) cross join lateral (
    select * from reconciliation_difference where run_id = r.id order by is_open desc, id limit ${limit}::int) d`
export const countDifferences = (runIds: readonly string[]) => sql<{ runId: string; counted: number }>`
  select run_id, count(*)::int as counted from reconciliation_difference where run_id = any(${runIds}::uuid[])
  group by run_id`

/** Until when the daily runs have compared. */
export const lastDailyEnd = () => sql<{ toAt: Date | null }>`
  select max(to_at) as to_at from reconciliation_run where trigger = 'DAILY'`
export const runById = (id: string) => sql<Run>`select * from reconciliation_run where id = ${id}`
export const lastRun = () => sql<Run>`
  select * from reconciliation_run order by finished_at desc, id desc limit 1`
