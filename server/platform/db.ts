import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from './clock.ts'
import { DatabaseAway, DatabasePool } from './pool.ts'
import type { Reactions } from './reactions.ts'
import type { Statement } from './sql.ts'

export { DatabaseAway }

/** What can answer a statement: the database itself, or a transaction on it. */
export interface Queryable {
  rows<Row>(statement: Statement<Row>): Promise<Row[]>
  /** The first row, or undefined. */
  maybe<Row>(statement: Statement<Row>): Promise<Row | undefined>
  /** The first row; its absence is a defect of the program. */
  one<Row>(statement: Statement<Row>): Promise<Row>
  /** How many rows were written. */
  run(statement: Statement<unknown>): Promise<number>
}

abstract class Statements implements Queryable {
  protected abstract query(query: pg.QueryConfig): Promise<pg.QueryResult>

  #query<Row>({ text, values, name }: Statement<Row>): Promise<pg.QueryResult> {
    return this.query({ text, values: [...values], name })
  }

  /** For libraries that bring their own SQL (the job queue). Of several statements in one text, an array of results. */
  async raw(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    return this.query({ text, values })
  }

  async rows<Row>(statement: Statement<Row>): Promise<Row[]> {
    return (await this.#query(statement)).rows as Row[]
  }

  async maybe<Row>(statement: Statement<Row>): Promise<Row | undefined> {
    return (await this.rows(statement))[0]
  }

  async one<Row>(statement: Statement<Row>): Promise<Row> {
    const row = await this.maybe(statement)
    if (row === undefined) throw new Error(`no row from: ${statement.text.slice(0, 200)}`)
    return row
  }

  async run(statement: Statement<unknown>): Promise<number> {
    return (await this.#query(statement)).rowCount ?? 0
  }
}

/**
 * An open transaction. A type of its own, so that an act on money cannot be called outside one.
 * `now` is the business time of the whole transaction. Using it after its end throws.
 */
export class Tx extends Statements {
  readonly now: Date
  readonly clock: Clock
  readonly reactions: Reactions
  readonly #pool: DatabasePool
  #lost: DatabaseAway | undefined
  #client: pg.PoolClient | undefined
  #afterCommit: (() => void)[] = []

  constructor(pool: DatabasePool, client: pg.PoolClient, context: DbContext) {
    super()
    this.#pool = pool
    this.#client = client
    this.clock = context.clock
    this.now = context.clock.now()
    this.reactions = context.reactions
  }

  protected async query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    if (!this.#client) throw new Error('transaction used after its end')
    return this.#pool.answer(this.#client.query(query)).catch((error: unknown) => {
      if (error instanceof DatabaseAway) this.#lost = error
      throw error
    })
  }

  /** Throws if the answer to a statement is missing, even if the caller caught that error: what it did is unknown. */
  assertNotLost(): void {
    if (this.#lost) throw this.#lost
  }

  /** Runs once the transaction is committed; not at all when it is rolled back. Must not throw. */
  afterCommit(act: () => void): void {
    this.#afterCommit.push(act)
  }

  /** For the door of the database only. */
  end(committed: boolean): void {
    this.#client = undefined
    if (committed) for (const act of this.#afterCommit) act()
  }
}

/** What a read-only transaction offers; `now` is the business time of its begin. */
export type Snapshot = Queryable & Pick<Tx, 'now'>

export interface DbContext {
  clock: Clock
  reactions: Reactions
}

const ignore = (): void => undefined

const RETRYABLE = new Set(['40001', '40P01'])

/** The database: single statements, and transactions. */
export class Db extends Statements {
  readonly pool: DatabasePool
  readonly context: DbContext

  constructor(pool: DatabasePool, context: DbContext) {
    super()
    this.pool = pool
    this.context = context
  }

  protected async query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.pool.acquire()
    let lost: DatabaseAway | undefined
    client.on('error', ignore)
    try {
      return await this.pool.answer(client.query(query))
    } catch (error) {
      if (error instanceof DatabaseAway) lost = error
      throw error
    } finally {
      client.off('error', ignore)
      client.release(lost)
    }
  }

  /** Runs `act` in one READ COMMITTED transaction; a deadlock or serialization failure runs it again, at most 4 times. */
  async transaction<T>(act: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(act)
      } catch (error) {
        if (attempt >= 5 || !RETRYABLE.has((error as { code?: string }).code ?? '')) throw error
        await sleep(Math.random() * 20 * attempt)
      }
    }
  }

  /**
   * Runs `read` in one read-only transaction whose statements all see the same moment. For answers that combine several
   * statements, where READ COMMITTED would mix the states before and after a commit.
   */
  snapshot<T>(read: (q: Snapshot) => Promise<T>): Promise<T> {
    return this.#attempt(read, 'begin isolation level repeatable read, read only')
  }

  async #attempt<T>(act: (tx: Tx) => Promise<T>, begin = 'begin'): Promise<T> {
    const client = await this.pool.acquire()
    // A connection that breaks says so to its statement and again as an event, which nobody else hears.
    client.on('error', ignore)
    const tx = new Tx(this.pool, client, this.context)
    let broken: Error | undefined
    let committed = false
    try {
      await this.pool.answer(client.query(begin))
      const result = await act(tx)
      tx.assertNotLost()
      // PostgreSQL answers ROLLBACK to a commit when an error was swallowed inside: that must not look like success.
      const { command } = await this.pool.answer(client.query('commit'))
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: an error inside it was swallowed')
      committed = true
      return result
    } catch (error) {
      // A connection that is lost cannot roll back: the server does so when it sees its end.
      if (error instanceof DatabaseAway) broken = error
      else await this.pool.answer(client.query('rollback')).catch((failure: Error) => (broken = failure))
      throw error
    } finally {
      // The connection goes back before the after-commit acts, so that they may use the pool.
      client.off('error', ignore)
      client.release(broken)
      tx.end(committed)
    }
  }
}

/** A pool of at most `max` connections; `url` is a PostgreSQL connection string. */
export const createPool = (url: string, max = 20): DatabasePool => new DatabasePool(url, max)
