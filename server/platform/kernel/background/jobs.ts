import { PgBoss, type Job } from 'pg-boss'
import { FairQueue } from '../collections/fair-queue.ts'
import type { Db, Tx } from '../db.ts'
import type { Log } from '../../adapters/log/log.ts'
import { SECOND } from '../clock.ts'
import { newId } from '../id.ts'
import { Loop } from './loop.ts'
import { prepared, sql } from '../sql.ts'
import { asError } from '../unknown.ts'

type StoredJob = Job<Record<string, unknown>>
type Handler = (payload: Record<string, unknown>, attempt: { id: string }) => Promise<void>

/** How many jobs of one name wait, run and were given up, over all instances. */
export interface JobState {
  name: string
  waiting: number
  active: number
  failed: number
}

const unfinishedJobs = () => sql<JobState>`
  select name, count(*) filter (where state in ('created', 'retry'))::int as waiting,
    count(*) filter (where state = 'active')::int as active, count(*) filter (where state = 'failed')::int as failed
  from jobs.job where state in ('created', 'retry', 'active', 'failed') group by name`

/** Those of the queues `$1` that have a job to run now. Its order makes the planner use the index of the waiting jobs. */
const WAITING_QUEUES = `
  select name from unnest($1::text[]) as queue (name) where (
    select true from jobs.job where job.name = queue.name and state < 'active' and not blocked and start_after <= now()
    order by priority desc, created_on limit 1)`

/**
 * Jobs of this instance wake their worker. For those of other instances and for repeated ones a single statement looks at all
 * queues: each worker that looks by itself sends a long one, and there is a worker for each queue.
 */
const LOOK_MS = SECOND
/** After this time a worker looks by itself. */
const BACKSTOP_SECONDS = 60
/** A job that takes longer is run again, although it may still be running. */
export const JOB_SECONDS = 120
/** Of the library: it takes and ends jobs. */
const STATEMENTS_AT_ONCE = 2
/** Of jobs that wait for others: there are none. */
const FLOW_SECONDS = 3600

export interface JobDefinition {
  name: string
  /** Must be idempotent: a crash between its effect and its end runs it again. */
  handle: Handler
  /** Tries before the job is put aside as failed; default 10, with growing pauses. */
  retryLimit?: number
  /** The longest pause between two tries, in seconds; without it each is about twice as long as the one before. */
  longestPauseSeconds?: number
  /** Jobs of this name that one instance runs at once; default 1. */
  concurrency?: number
  /** Jobs that are taken from the queue in one statement and run at once; default 1. A job that fails is tried again alone. */
  batch?: number
  /** Handles a batch in fewer steps than `handle` for each; all or none. If it fails, each job of the batch runs alone. */
  handleTogether?: (jobs: readonly { id: string; payload: Record<string, unknown> }[]) => Promise<void>
}

/**
 * Immediate work outside the transaction that wants it: the outbox. `enqueue` writes the job inside the
 * caller's transaction, so it exists exactly when the change does; a worker of any instance runs it.
 */
export class Jobs {
  readonly #boss: PgBoss
  readonly #db: Db
  readonly #log: Log
  readonly #definitions = new Map<string, JobDefinition>()
  readonly #workers = new Map<string, string>()
  readonly #look: Loop
  /** The library asks for each queue by itself: all at once would take all connections of the pool. */
  readonly #statements = new FairQueue({
    places: STATEMENTS_AT_ONCE,
    perKey: STATEMENTS_AT_ONCE,
    waiting: Infinity,
  })

  constructor(db: Db, log: Log) {
    this.#db = db
    this.#log = log
    this.#boss = new PgBoss({
      // Not prepared: a plan that was made when the queue was empty reads all jobs that have ended since.
      db: { executeSql: (text, values) => this.#statements.run('', () => db.raw(text, values)) },
      schema: 'jobs',
      schedule: false,
      flowIntervalSeconds: FLOW_SECONDS,
    })
    this.#look = new Loop('look at the queues', LOOK_MS, log, () => this.#wakeWaiting())
    this.#boss.on('error', error => this.#log.error({ err: error }, 'jobs'))
  }

  define(...definitions: JobDefinition[]): void {
    for (const definition of definitions) this.#definitions.set(definition.name, definition)
  }

  async start(): Promise<void> {
    await this.#boss.start()
    const existing = new Map((await this.#boss.getQueues()).map(queue => [queue.name, queue]))
    const definitions = [...this.#definitions.values()]
    for (const { name, retryLimit = 10, longestPauseSeconds } of definitions) {
      const pause = longestPauseSeconds === undefined ? {} : { retryDelayMax: longestPauseSeconds }
      const options = {
        retryLimit,
        retryDelay: 2,
        retryBackoff: true,
        expireInSeconds: JOB_SECONDS,
        ...pause,
      }
      const queue = existing.get(name)
      if (!queue) await this.#boss.createQueue(name, options)
      // One of an earlier version.
      else if (queue.retryLimit !== retryLimit || (queue.retryDelayMax ?? undefined) !== longestPauseSeconds)
        await this.#boss.updateQueue(name, options)
    }
    await Promise.all(definitions.map(definition => this.#work(definition)))
    this.#look.start()
  }

  /** Lets this process add jobs for the running service, and work on none. */
  async startSending(): Promise<void> {
    await this.#boss.start()
    const existing = new Set((await this.#boss.getQueues()).map(({ name }) => name))
    for (const { name } of this.#definitions.values())
      if (!existing.has(name)) throw new Error(`no service of this version has run: it has no queue ${name}`)
  }

  async #work(definition: JobDefinition): Promise<void> {
    const { name, concurrency = 1, batch = 1 } = definition
    const worker = await this.#boss.work<StoredJob['data']>(
      name,
      { pollingIntervalSeconds: BACKSTOP_SECONDS, localConcurrency: concurrency, batchSize: batch },
      async jobs => {
        // After these jobs the next follow at once: the pause is for an empty queue.
        this.#wake(name)
        await this.#runAll(definition, jobs)
      },
    )
    this.#workers.set(name, worker)
  }

  async #runAll({ handle, handleTogether }: JobDefinition, jobs: readonly StoredJob[]): Promise<void> {
    if (handleTogether && jobs.length > 1)
      try {
        return await handleTogether(jobs.map(({ id, data }) => ({ id, payload: data })))
      } catch {
        // One of them may have failed all: each shows its own error below.
      }
    await Promise.all(jobs.map(job => this.#run(handle, job)))
  }

  // A job that fails is ended here: the library ends those that are still active when all of its batch have run.
  async #run(handle: Handler, { name, id, data }: StoredJob): Promise<void> {
    try {
      await handle(data, { id })
    } catch (thrown) {
      const error = asError(thrown)
      await this.#boss.fail(name, id, { name: error.name, message: error.message, stack: error.stack })
    }
  }

  async stop(): Promise<void> {
    await this.#look.stop()
    await this.#boss.stop({ graceful: true, timeout: 5000 })
  }

  /** Adds a job to this transaction's outbox; its worker is woken after the commit. */
  enqueue(tx: Tx, name: string, payload: Record<string, unknown>): Promise<void> {
    return this.enqueueAll(tx, name, [payload])
  }

  /** The same of several in one statement. */
  async enqueueAll(tx: Tx, name: string, payloads: readonly Record<string, unknown>[]): Promise<void> {
    if (!this.#definitions.has(name)) throw new Error(`no job is called ${name}`)
    if (!payloads.length) return
    await this.#boss.insert(
      name,
      payloads.map(data => ({ id: newId(), data })),
      { db: { executeSql: async (text, values) => ({ rows: await tx.rows(prepared(text, values)) }) } },
    )
    tx.afterCommit(() => this.#wake(name))
  }

  async states(): Promise<JobState[]> {
    const rows = await this.#db.rows(unfinishedJobs())
    const byName = new Map(rows.map(row => [row.name, row]))
    return [...this.#definitions.keys()]
      .sort()
      .map(name => byName.get(name) ?? { name, waiting: 0, active: 0, failed: 0 })
  }

  async #wakeWaiting(): Promise<void> {
    const { rows } = await this.#db.polls.raw(WAITING_QUEUES, [[...this.#workers.keys()]])
    for (const { name } of rows) this.#wake(String(name))
  }

  #wake(name: string): void {
    const worker = this.#workers.get(name)
    if (worker) this.#boss.notifyWorker(worker)
  }
}

/** Deletes jobs, waiting or done, whose payload has one of `values` in `field`: the queue keeps done ones for days. */
export const deleteJobs = (tx: Tx, name: string, field: string, values: readonly string[]): Promise<number> =>
  tx.run(sql`delete from jobs.job where name = ${name} and data->>${field} = any(${values}::text[])`)
