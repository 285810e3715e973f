import type { ServiceClock } from '../clock.ts'
import type { Db, Tx } from '../db.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../../adapters/log/log.ts'
import { Loop } from './loop.ts'
import { identifier, joined, part, sql, type SqlPart } from '../sql.ts'

/**
 * A due column of a table. `run` runs in a transaction of its own, takes its locks in the global order
 * (ADR 2) and moves the row through its state machine. The state of the row decides, so a deadline that
 * another instance has served is skipped.
 */
export interface Timer {
  name: string
  table: string
  column: string
  /** Which rows wait for this deadline; the condition of a partial index. */
  where: SqlPart
  run(tx: Tx, id: string): Promise<void>
}

interface DueRow {
  id: string
  dueAt: Date
}

/** The longest pause after a failure. */
const LONGEST_REST_MS = 300_000

const firstDue = (timer: Timer, now: Date, skip: string[]) => sql<DueRow>`
  select id, ${identifier(timer.column)} as due_at from ${identifier(timer.table)}
  where ${timer.where} and ${identifier(timer.column)} <= ${now} and id <> all(${skip}::uuid[])
  order by ${identifier(timer.column)}, id limit 1`

/**
 * The places of the timers that have a due row: one statement for all, because most of the time none has. The moment comes
 * from a table, so that no plan is better for knowing it: PostgreSQL would make a new one each time, which takes a hundred
 * times as long as to find that nothing is due. The order makes that plan read by the index of the column: without it
 * one expects a third of the rows to be due, and reads the table until it meets the first.
 */
export const dueAmong = (timers: readonly Pick<Timer, 'table' | 'column' | 'where'>[], now: Date) =>
  sql<{ place: number }>`with moment as materialized (select ${now}::timestamptz as now) ${joined(
    timers.map(
      ({ table, column, where }, place) => part`select ${place}::int as place where (
      select true from ${identifier(table)} where ${where} and ${identifier(column)} <= (select now from moment)
      order by ${identifier(column)} limit 1)`,
    ),
    ' union all ',
  )}`

// By the order of the index: min() of each takes four times as long to plan.
const earliest = (timers: readonly Timer[], after: Date | null) => sql<{ dueAt: Date | null }>`
  select min(due_at) as due_at from (${joined(
    timers.map(
      timer => part`(select ${identifier(timer.column)} as due_at from ${identifier(timer.table)}
        where ${timer.where} and ${identifier(timer.column)} > coalesce(${after}::timestamptz, '-infinity')
        order by ${identifier(timer.column)} limit 1)`,
    ),
    ' union all ',
  )}) each`

/** The earliest deadline of each timer, by its place. */
const deadlines = (timers: readonly Timer[]) =>
  sql<{ place: number; dueAt: Date | null }>`${joined(
    timers.map(
      (timer, place) => part`select ${place}::int as place, min(${identifier(timer.column)}) as due_at
      from ${identifier(timer.table)} where ${timer.where}`,
    ),
    ' union all ',
  )}`

/** After how many rounds timers that had nothing due are asked again while others are busy. */
const IDLE_ROUNDS = 20

/** The loop over due columns: one per instance; the rows' own states decide, so any number may run. */
export class Timers {
  readonly #db: Db
  readonly #clock: ServiceClock
  readonly #log: Log
  readonly #timers: Timer[] = []
  readonly #failures = new Map<string, { count: number; until: number }>()
  #loop: Loop | undefined
  #isStopping = false

  constructor(db: Db, clock: ServiceClock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#log = log
  }

  add(...timers: Timer[]): void {
    this.#timers.push(...timers)
  }

  start(everyMs = 500): void {
    this.#isStopping = false
    this.#loop = new Loop('timers', everyMs, this.#log, async () => {
      await this.runDue()
    })
    this.#loop.start()
  }

  /** Returns when the row under way has ended, however many are due. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#loop?.stop()
  }

  /**
   * Runs everything that is due now and returns how many rows it tried. Timers take turns, one row each, so that many due
   * rows of one do not hold up the others; within a timer the earliest deadline comes first.
   */
  async runDue(): Promise<number> {
    let served = 0
    let asked = await this.#withDueRow()
    for (let round = 1, areAll = true; ; round++) {
      const startedAt = Date.now()
      const busy: Timer[] = []
      for (const timer of asked) if (!this.#isStopping && (await this.#serveOne(timer))) busy.push(timer)
      served += busy.length
      if (this.#isStopping) return served
      if (!busy.length && areAll) {
        this.#dropFailuresBefore(startedAt)
        return served
      }
      // Those that had nothing due are asked again now and then, and before the end.
      areAll = !busy.length || round % IDLE_ROUNDS === 0
      asked = areAll ? await this.#withDueRow() : busy
    }
  }

  async #withDueRow(): Promise<Timer[]> {
    if (!this.#timers.length) return []
    const rows = await this.#db.polls.rows(dueAmong(this.#timers, this.#clock.now()))
    const places = new Set(rows.map(({ place }) => place))
    return this.#timers.filter((_, place) => places.has(place))
  }

  /** The earliest deadline over all timers (later than `after`, where given), or null. */
  async nextDue(after: Date | null = null): Promise<Date | null> {
    return this.#timers.length ? (await this.#db.polls.one(earliest(this.#timers, after))).dueAt : null
  }

  /** The earliest deadline of each timer; null where nothing waits. */
  async states(): Promise<{ name: string; nextDueAt: Date | null }[]> {
    const rows = this.#timers.length ? await this.#db.polls.rows(deadlines(this.#timers)) : []
    const byPlace = new Map(rows.map(({ place, dueAt }) => [place, dueAt]))
    return this.#timers.map(({ name }, place) => ({ name, nextDueAt: byPlace.get(place) ?? null }))
  }

  async #serveOne(timer: Timer): Promise<boolean> {
    const row = await this.#db.maybe(firstDue(timer, this.#clock.now(), this.#resting(timer)))
    if (!row) return false
    try {
      await this.#db.transaction(tx => timer.run(tx, row.id))
      this.#failures.delete(`${timer.name}/${row.id}`)
    } catch (error) {
      this.#rest(timer, row.id, error)
    }
    return true
  }

  /**
   * Nothing is due in a round that began at `time`: rows that could be tried again by then are not due any more, because
   * another instance has served them.
   */
  #dropFailuresBefore(time: number): void {
    for (const [key, { until }] of this.#failures) if (until <= time) this.#failures.delete(key)
  }

  /** Rows of this timer that failed and are not to be tried again yet. */
  #resting(timer: Timer): string[] {
    const now = Date.now()
    return (
      [...this.#failures]
        // One that would rest longer than any was set before the clock of the machine went back.
        .filter(
          ([key, { until }]) =>
            key.startsWith(`${timer.name}/`) && until > now && until <= now + LONGEST_REST_MS,
        )
        .map(([key]) => key.slice(timer.name.length + 1))
    )
  }

  // An ApiError means that another caller changed the row: retry soon. Other errors are logged, and the delay doubles.
  #rest(timer: Timer, id: string, error: unknown): void {
    const key = `${timer.name}/${id}`
    const count = (this.#failures.get(key)?.count ?? 0) + 1
    this.#failures.set(key, { count, until: Date.now() + Math.min(1000 * 2 ** count, LONGEST_REST_MS) })
    if (!(error instanceof ApiError) || count > 3)
      this.#log.error({ err: error, timer: timer.name, id, count }, 'timer failed')
  }
}
