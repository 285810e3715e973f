import type { Statement } from '../sql.ts'
import type { Answer } from './batch.ts'
import type { Connection } from './connection.ts'

/** Reads of more requests are split, so that several processes of the server work on them. */
const MOST_TOGETHER = 16

type Send = <Result>(query: (client: Connection) => Promise<Result>) => Promise<Result>

/** A read, and the requests that wait for its answer. */
interface Waiting {
  statement: Statement<unknown>
  answer: Promise<Answer>
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

/**
 * Sends the point reads that the requests of one turn of the event loop make over one connection in one packet: under load
 * most of the time of such a read is spent on waking both sides up. Equal reads are sent once: none of their requests came
 * after the read began.
 */
export class PointReads {
  readonly #send: Send
  #waiting = new Map<string | symbol, Waiting>()

  constructor(send: Send) {
    this.#send = send
  }

  async execute(statement: Statement<unknown>): Promise<Answer> {
    const key = keyOf(statement)
    const equal = this.#waiting.get(key)
    if (equal) return copyOf(await equal.answer)
    // After the requests that have already arrived, and without a wait if there are none.
    if (!this.#waiting.size) setImmediate(() => this.#flush())
    const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.set(key, { statement, answer, resolve, reject })
    return answer
  }

  #flush(): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting = new Map()
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

/** The same for equal reads; only those whose values are texts are compared. */
const keyOf = ({ name, values }: Statement<unknown>): string | symbol =>
  name && values.every(value => typeof value === 'string') ? [name, ...values].join('\0') : Symbol(name)

/** Each request has rows of its own. */
const copyOf = (answer: Answer): Answer => ({ ...answer, rows: answer.rows.map(row => ({ ...row })) })
