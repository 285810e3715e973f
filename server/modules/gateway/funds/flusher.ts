import { DatabaseAway, type Db } from '#platform/kernel/db'
import type { Log } from '#platform/adapters/log/log'
import { textOf } from '#platform/kernel/unknown'
import { writeBatch, type Entry } from './flush.ts'
import type { Timing } from './timing.ts'

/** Most rows of one transaction. */
const MAX_ROWS = 1000
const RETRY_MS = 1000
/** SQLSTATEs of a row that can never be written: its values, or a violated constraint. */
const ROW_ERROR = /^2[23]/
/** Of a value, such as a text that PostgreSQL cannot store. */
const VALUE_ERROR = /^22/
/** Of a database that answers with another error. */
const MAX_ATTEMPTS = 5

interface Batch {
  entries: readonly Entry[]
  /** After the first, the outcome of the one before is unknown. */
  attempts: number
  /** Its texts were left out. */
  isBare?: boolean
}

/** Requests that have ended, on their way to the database. */
export class Flusher {
  readonly #db: Db
  readonly #log: Log
  readonly #timing: Timing
  #waiting: Entry[] = []
  /** In the order in which they are written. */
  readonly #batches: Batch[] = []
  readonly #unflushed = new Map<string, Entry>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<boolean> | undefined

  constructor({ db, log }: { db: Db; log: Log }, timing: Timing) {
    this.#db = db
    this.#log = log
    this.#timing = timing
  }

  get size(): number {
    return this.#unflushed.size
  }

  /** A record that is not in the database yet. */
  find(id: string): Entry | undefined {
    return this.#unflushed.get(id)
  }

  add(entry: Entry): void {
    this.#waiting.push(entry)
    this.#unflushed.set(entry.record.id, entry)
    if (this.#waiting.length >= this.#timing.flushRows) void this.flush()
    else this.#schedule(this.#timing.flushMs)
  }

  /** Writes all that waits; false if the database does not take it now. Never throws. */
  flush(): Promise<boolean> {
    return (this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    }))
  }

  /** Writes all that waits, for at most `ms`. */
  async stop(ms: number): Promise<void> {
    const deadline = performance.now() + ms
    while (this.size && performance.now() < deadline)
      if (!(await this.flush())) await new Promise(resolve => setTimeout(resolve, RETRY_MS / 4))
    clearTimeout(this.#timer)
    if (this.size) this.#log.error({ rows: this.size }, 'usage rows were not written before the stop')
  }

  #schedule(ms: number): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.flush()
    }, ms)
    this.#timer.unref()
  }

  async #run(): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (let atLeast = 1; ; atLeast = this.#timing.flushRows) {
      if (!this.#batches.length && this.#waiting.length >= atLeast)
        this.#batches.push({ entries: this.#waiting.splice(0, MAX_ROWS), attempts: 0 })
      const [batch] = this.#batches
      if (!batch) {
        if (this.#waiting.length) this.#schedule(this.#timing.flushMs)
        return true
      }
      try {
        await this.#write(batch)
        this.#batches.shift()
      } catch (error) {
        if (!this.#recover(batch, error)) {
          this.#schedule(RETRY_MS)
          return false
        }
      }
    }
  }

  async #write({ entries, attempts }: Batch): Promise<void> {
    const sentAt = performance.now()
    const { leaseMs } = this.#timing
    const { closed, renewed } = await this.#db.transaction(tx =>
      writeBatch(tx, entries, { leaseMs, isRepeated: attempts > 0 }),
    )
    for (const { record, charge, paidBy } of entries) {
      this.#unflushed.delete(record.id)
      if (!paidBy) continue
      for (const block of paidBy.blocks) block.unflushed -= charge.cost + charge.fee
      if (closed.has(paidBy.lease.id)) paidBy.lease.lose()
      else if (renewed.has(paidBy.lease.id)) paidBy.lease.renew(sentAt, this.#timing)
    }
  }

  /**
   * False if the batch must be repeated later; an error of one row does not prevent the others from being written. A row is
   * given up only if it fails without its texts too, because its request would be free.
   */
  #recover(batch: Batch, error: unknown): boolean {
    batch.attempts++
    const state = textOf(error, 'code')
    const isOfRow = ROW_ERROR.test(state) || batch.attempts > MAX_ATTEMPTS
    if (error instanceof DatabaseAway || !isOfRow) {
      this.#log.warn({ err: error, rows: this.size }, 'usage rows wait for the database')
      return false
    }
    this.#batches.shift()
    if (batch.entries.length > 1) {
      this.#batches.unshift(...batch.entries.map(entry => ({ entries: [entry], attempts: 1 })))
      return true
    }
    const [entry] = batch.entries
    if (entry && VALUE_ERROR.test(state) && !batch.isBare) {
      this.#log.warn({ err: error, usage: entry.record.id }, 'a usage row is written without its texts')
      this.#batches.unshift({ entries: [withoutTexts(entry)], attempts: 1, isBare: true })
      return true
    }
    if (entry) {
      this.#unflushed.delete(entry.record.id)
      for (const block of entry.paidBy?.blocks ?? []) block.unflushed -= entry.charge.cost + entry.charge.fee
    }
    this.#log.error({ err: error, usage: entry?.record.id }, 'a usage row could not be written: not charged')
    return true
  }
}

/** What callers wrote, and what was derived from it: no part of the charge. */
const withoutTexts = (entry: Entry): Entry => ({
  ...entry,
  record: { ...entry.record, requestedModel: entry.record.model, endUser: null, decision: {} },
})
