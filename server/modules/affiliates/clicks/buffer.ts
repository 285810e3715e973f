import { DatabaseAway, type Db } from '#platform/kernel/db'
import { after, DAY } from '#platform/kernel/clock'
import { insertClicks, type Click } from './sql.ts'

const MOST = 500

interface Waiting {
  click: Click
  settle: { resolve(counted: boolean): void; reject(error: unknown): void }
}

/**
 * Stores clicks in groups: while one statement is under way, the next group collects. A caller is answered when its click
 * is committed, so that no click that was answered is lost, and a thousand of them a second need few statements.
 */
export class ClickBuffer {
  readonly #db: Db
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(db: Db) {
    this.#db = db
  }

  /** True once the click is stored; false if its code belongs to no ACTIVE affiliate. */
  store(click: Click): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ click, settle: { resolve, reject } })
      if (!this.#isWriting) void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Requests that are read in the same turn belong to the first group.
    await new Promise(resolve => setImmediate(resolve))
    while (this.#waiting.length) {
      const group = this.#waiting.splice(0, MOST)
      try {
        await this.#insert(group)
      } catch (error) {
        // One click that the database refuses must not take the others with it. While the database is away, each would fail.
        if (group.length > 1 && !(error instanceof DatabaseAway)) await this.#insertEach(group)
        else for (const { settle } of group) settle.reject(error)
      }
    }
    this.#isWriting = false
  }

  async #insert(group: readonly Waiting[]): Promise<void> {
    const clicks = group.map(({ click }) => click)
    const since = after(clicks[0]?.at ?? new Date(), -DAY)
    const stored = new Set((await this.#db.rows(insertClicks(clicks, since))).map(({ id }) => id))
    for (const { click, settle } of group) settle.resolve(stored.has(click.id))
  }

  async #insertEach(group: readonly Waiting[]): Promise<void> {
    for (const waiting of group) {
      try {
        await this.#insert([waiting])
      } catch (error) {
        waiting.settle.reject(error)
      }
    }
  }
}
