import process from 'node:process'
import pg from 'pg'
import type { Statement } from '../sql.ts'
import { Batch, type Answer, type Prepared } from './batch.ts'

/** For a new connection, without the wait for a free place in the pool. */
const CONNECT_MS = 4000

/** A connection that sends the statements of one turn of the event loop together, and prepares each once. */
export class Connection extends pg.Client {
  readonly #prepared: Prepared = new Map()
  #batch: Batch | undefined

  constructor(config: pg.ClientConfig = {}) {
    // A batch is sent when it is given, and not only after the response to the one before.
    super({ ...config, connectionTimeoutMillis: CONNECT_MS, pipeline: true })
    // A connection that breaks fails its statements and reports again as an event. Without a listener, such as between the pool
    // and its user, that event would end the process.
    this.on('error', () => undefined)
  }

  execute(statement: Statement<unknown>): Promise<Answer> {
    if (!this.#batch) {
      this.#batch = new Batch(this.#prepared, type => this.getTypeParser(type, 'text'))
      process.nextTick(() => this.#flush())
    }
    return this.#batch.add(statement)
  }

  /** Statements in one text, behind all that was given before. Of several, an array of results. */
  raw(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    this.#flush()
    return this.query({ text, values })
  }

  #flush(): void {
    const batch = this.#batch
    this.#batch = undefined
    if (batch) this.query(batch)
  }
}
