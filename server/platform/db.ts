import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Clock } from './clock.ts'
import type { Reactions } from './reactions.ts'
import type { Statement } from './sql.ts'

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

/** The database cannot be reached, or the connection to it broke: the caller may try again. */
export class DatabaseAway extends Error {
  constructor(cause: Error) {
    super('the database is away', { cause })
  }
}

// Errors of the network have a code such as ECONNRESET; those that pg and its pool raise themselves have only a text.
const NETWORK_CODE = /^(?:E(?!RR_)[A-Z_]+|ERR_(?:STREAM|SOCKET|SSL|TLS)_\w+)$/
const CONNECTION_TEXT = new RegExp(`^(?:${[
  'Connection terminated', 'timeout e(?:xpired|xceeded when trying to connect)', 'Query read timeout', 'Cannot use a pool after calling end',
  'Client (?:has encountered a connection error|was closed)', 'The server does not support SSL', 'There was an error establishing an SSL',
].join('|')})`)

/** Whether the connection failed. An error of PostgreSQL has a severity; any other error is a defect of this program. */
function isConnectionFailure(error: unknown): error is Error {
  if (!(error instanceof Error) || 'severity' in error) return false
  return 'code' in error && NETWORK_CODE.test(String(error.code)) || CONNECTION_TEXT.test(error.message)
}

function away(error: unknown): never {
  throw isConnectionFailure(error) ? new DatabaseAway(error) : error
}

type Runner = Pick<pg.Pool, 'query'> | pg.PoolClient

// Type parsers belong to the pool, never to the driver's global table: int8 is bigint here and nowhere else.
const INT8 = 20
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? (value: string) => BigInt(value) : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
}

abstract class Statements implements Queryable {
  protected abstract runner(): Runner

  async #query<Row>(statement: Statement<Row>): Promise<pg.QueryResult> {
    return this.runner().query({ text: statement.text, values: [...statement.values], name: statement.name }).catch(away)
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
  #client: pg.PoolClient | undefined
  #afterCommit: (() => void)[] = []

  constructor(client: pg.PoolClient, context: DbContext) {
    super()
    this.#client = client
    this.clock = context.clock
    this.now = context.clock.now()
    this.reactions = context.reactions
  }

  protected runner(): pg.PoolClient {
    if (!this.#client) throw new Error('transaction used after its end')
    return this.#client
  }

  /** Runs once the transaction is committed; not at all when it is rolled back. Must not throw. */
  afterCommit(act: () => void): void {
    this.#afterCommit.push(act)
  }

  /** For libraries that bring their own SQL (the job queue), so that they write inside this transaction. */
  async raw(text: string, values: unknown[]): Promise<{ rows: never[] }> {
    return { rows: (await this.runner().query(text, values)).rows as never[] }
  }

  /** For the door of the database only. */
  end(committed: boolean): void {
    this.#client = undefined
    if (committed) for (const act of this.#afterCommit) act()
  }
}

export interface DbContext {
  clock: Clock
  reactions: Reactions
}

const ignore = (): void => undefined

const RETRYABLE = new Set(['40001', '40P01'])

/** The database: single statements, and transactions. */
export class Db extends Statements {
  readonly pool: pg.Pool
  readonly context: DbContext

  constructor(pool: pg.Pool, context: DbContext) {
    super()
    this.pool = pool
    this.context = context
  }

  protected runner(): pg.Pool {
    return this.pool
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

  async #attempt<T>(act: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect().catch(away)
    // A connection that breaks says so to its statement and again as an event, which nobody else hears.
    client.on('error', ignore)
    const tx = new Tx(client, this.context)
    let broken: Error | undefined
    let committed = false
    try {
      await client.query('begin').catch(away)
      const result = await act(tx)
      // PostgreSQL answers ROLLBACK to a commit when an error was swallowed inside: that must not look like success.
      const { command } = await client.query('commit').catch(away)
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: an error inside it was swallowed')
      committed = true
      return result
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => (broken = failure))
      throw error
    } finally {
      // The connection goes back before the after-commit acts, so that they may use the pool.
      client.off('error', ignore)
      client.release(broken)
      tx.end(committed)
    }
  }
}

/** A pool with this project's types and limits. `url` is a PostgreSQL connection string. */
export function createPool(url: string, max = 20): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 60_000,
    options: '-c statement_timeout=30000 -c lock_timeout=15000 -c idle_in_transaction_session_timeout=60000 -c timezone=UTC',
    application_name: 'svc',
  })
  // A connection that dies while idle must not take the process with it; the next query reports.
  pool.on('error', ignore)
  return pool
}
