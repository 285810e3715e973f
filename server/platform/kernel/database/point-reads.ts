import type { Statement } from '../sql.ts'
import type { Answer } from './batch.ts'
import type { Connection } from './connection.ts'

/** Reads of more requests are split, so that several processes of the server work on them. */
const MOST_TOGETHER = 16

type Send = <Result>(query: (client: Connection) => Promise<Result>) => Promise<Result>

interface Waiting {
  statement: Statement<unknown>
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

/**
 * Sends the point reads that the requests of one turn of the event loop make over one connection in one packet: under load
 * most of the time of such a read is spent on waking both sides up.
 */
export class PointReads {
  readonly #send: Send
  #waiting: Waiting[] = []

  constructor(send: Send) {
    this.#send = send
  }

  execute(statement: Statement<unknown>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // After the requests that have already arrived, and without a wait if there are none.
      if (!this.#waiting.length) setImmediate(() => this.#flush())
      this.#waiting.push({ statement, resolve, reject })
    })
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (let at = 0; at < waiting.length; at += MOST_TOGETHER)
      void this.#read(waiting.slice(at, at + MOST_TOGETHER))
  }

  async #read(group: readonly Waiting[]): Promise<void> {
    const [first] = group
    if (first && group.length === 1) return first.resolve(this.#readAlone(first.statement))
    try {
      const results = await this.#send(client =>
        Promise.allSettled(group.map(({ statement }) => client.execute(statement))),
      )
      for (const [index, result] of results.entries()) {
        const { statement, resolve } = group[index] as Waiting
        // The server skips what comes after a statement that fails.
        resolve(result.status === 'fulfilled' ? result.value : this.#readAlone(statement))
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  #readAlone(statement: Statement<unknown>): Promise<Answer> {
    return this.#send(client => client.execute(statement))
  }
}
