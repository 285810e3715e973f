import type { Db } from '#platform/kernel/db'
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
      const clicks = group.map(({ click }) => click)
      try {
        const since = after(clicks[0]?.at ?? new Date(), -DAY)
        const stored = new Set((await this.#db.rows(insertClicks(clicks, since))).map(({ id }) => id))
        for (const { click, settle } of group) settle.resolve(stored.has(click.id))
      } catch (error) {
        for (const { settle } of group) settle.reject(error)
      }
    }
    this.#isWriting = false
  }
}
