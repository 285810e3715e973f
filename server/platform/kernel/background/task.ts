import { MINUTE } from '../clock.ts'
import type { Db, Queryable } from '../db.ts'
import type { Log } from '../../adapters/log/log.ts'
import { json, sql } from '../sql.ts'
import { renewalMs, renewing } from './lease.ts'

/** Work that repeats, on one instance at a time. */
export interface Task {
  name: string
  everyMs: number
  /** What it gives is stored as JSON, for every instance to read. */
  run(): Promise<unknown>
}

const LEASE_MS = 2 * MINUTE
/** A run that failed is repeated after this time, or after as long as it took: one that fails after hours is not repeated at once. */
const RETRY_MS = 10 * MINUTE

/**
 * Runs a task if it is due and no other instance runs it; returns whether it did. The first run is due one period after
 * the first call. The lease is extended while it runs, and expires if the process dies.
 */
export async function runIfDue(db: Db, log: Log, { name, everyMs, run }: Task): Promise<boolean> {
  await db.run(
    sql`insert into platform_task (name, due_at) values (${name}, clock_timestamp() + ${everyMs} * interval '1 millisecond') on conflict do nothing`,
  )
  if (!(await db.run(claim(name)))) return false
  const renew = () =>
    db.run(extend(name)).catch((err: unknown) => log.warn({ err, task: name }, 'task: lease not extended'))
  const begunAt = performance.now()
  try {
    const result = await renewing({ everyMs: renewalMs({ leaseMs: LEASE_MS }), renew }, run)
    await db.run(finish(name, everyMs, result))
  } catch (err) {
    log.error({ err, task: name }, 'task failed')
    await db.run(giveUp(name, Math.min(everyMs, Math.max(RETRY_MS, performance.now() - begunAt))))
  }
  return true
}

/** What the last finished run gave, on whichever instance; undefined before the first. */
export async function lastResult<Result>(q: Queryable, name: string): Promise<Result | undefined> {
  const row = await q.maybe(
    sql<{
      result: Result
    }>`select result from platform_task where name = ${name} and finished_at is not null`,
  )
  return row?.result
}

export interface TaskState {
  name: string
  dueAt: Date
  finishedAt: Date | null
  isRunning: boolean
  /** What the last finished run gave. */
  result: unknown
}

/** The tasks of all instances, by name. */
export const taskStates = () => sql<TaskState>`
  select name, due_at, finished_at, coalesce(leased_until > clock_timestamp(), false) as is_running, result
  from platform_task order by name`

const claim = (name: string) => sql`
  update platform_task set leased_until = clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'
  where name = ${name} and due_at <= clock_timestamp() and (leased_until is null or leased_until <= clock_timestamp())`

const extend = (name: string) => sql`
  update platform_task set leased_until = clock_timestamp() + ${LEASE_MS} * interval '1 millisecond' where name = ${name} and leased_until is not null`

const finish = (name: string, everyMs: number, result: unknown) => sql`
  update platform_task set leased_until = null, finished_at = clock_timestamp(), result = ${json(result ?? null)}::jsonb,
    due_at = clock_timestamp() + ${everyMs} * interval '1 millisecond' where name = ${name}`

const giveUp = (name: string, retryMs: number) => sql`
  update platform_task set leased_until = null, due_at = clock_timestamp() + ${retryMs} * interval '1 millisecond' where name = ${name}`
