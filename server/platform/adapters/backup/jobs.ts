import type { Client } from 'pg'
import { PgBoss, type JobInsert } from 'pg-boss'
import { createPool } from '../../kernel/database/pool.ts'
import { rowsOf } from './session.ts'
import * as sql from './sql.ts'

export interface QueueOptions {
  name: string
  retryLimit: number
  retryDelay: number
  retryBackoff: boolean
  /** Null or absent, in backups of earlier versions: none. */
  retryDelayMax?: number | null
  expireInSeconds: number
}
export interface PendingJob {
  name: string
  id: string
  data: object
  priority: number
  startAfter: string
  retryLimit: number
}

const BATCH = 500

export async function hasJobs(client: Client): Promise<boolean> {
  const [schema] = await rowsOf(client, sql.jobsInstalled())
  return schema?.installed === true
}

export async function queuesOf(client: Client): Promise<QueueOptions[]> {
  return (await hasJobs(client)) ? rowsOf(client, sql.queues()) : []
}

/** Jobs that have not ended yet, the oldest first. One that runs now counts: it may not end. */
export async function* pendingJobs(client: Client): AsyncGenerator<PendingJob> {
  if (!(await hasJobs(client))) return
  await rowsOf(client, sql.openPendingJobs())
  for (let count = BATCH; count > 0;) {
    const { rows } = await client.query<PendingJob>(sql.fetchPendingJobs)
    yield* rows
    count = rows.length
  }
}

/** Adds the jobs of a backup through the library, so that the tables are those of its version, whichever the backup came from. */
export interface JobLoader {
  /** Adds jobs in the open transaction of `client`, with their ids, so that a repeated mail has the same Message-ID. */
  insert(client: Client, jobs: AsyncIterable<unknown>): Promise<number>
  close(): Promise<void>
}

/** Makes the tables and the queues. That commits by itself, so it comes before the transaction of the restore. */
export async function prepareJobs(url: string, queues: readonly QueueOptions[]): Promise<JobLoader> {
  const pool = createPool(url, 2)
  const boss = new PgBoss({
    db: { executeSql: async (text, values) => pool.query(text, values as unknown[]) },
    schema: 'jobs',
    schedule: false,
    supervise: false,
  })
  boss.on('error', () => undefined)
  const close = async () => {
    await boss.stop({ graceful: false })
    await pool.end()
  }
  try {
    await boss.start()
    for (const { name, retryDelayMax, ...options } of queues)
      await boss.createQueue(name, { ...options, ...(retryDelayMax ? { retryDelayMax } : {}) })
  } catch (error) {
    await close()
    throw error
  }
  return {
    close,
    insert: (client, jobs) =>
      insertJobs(
        (name, batch) =>
          boss.insert(name, batch, { db: { executeSql: (text, values) => client.query(text, values) } }),
        jobs,
      ),
  }
}

async function insertJobs(
  insert: (name: string, batch: JobInsert[]) => Promise<unknown>,
  jobs: AsyncIterable<unknown>,
): Promise<number> {
  const batches = new Map<string, JobInsert[]>()
  let count = 0
  for await (const { name, startAfter, ...job } of jobs as AsyncIterable<PendingJob>) {
    const batch = batches.get(name) ?? []
    batches.set(name, batch)
    // A time that has passed would count towards the time after which the queue gives a job up.
    batch.push({ ...job, startAfter: new Date(Math.max(Date.parse(startAfter), Date.now())) })
    count++
    if (batch.length === BATCH) await insert(name, batch.splice(0))
  }
  for (const [name, batch] of batches) if (batch.length) await insert(name, batch)
  return count
}
