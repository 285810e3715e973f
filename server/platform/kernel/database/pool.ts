import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Connection } from './connection.ts'
import { requirePrimary, Servers } from './servers.ts'
import { Unanswered } from './unanswered.ts'

/** The database cannot be reached, does not answer, or the connection to it broke: the caller may try again. */
export class DatabaseAway extends Error {
  constructor(cause: Error) {
    super('the database is away', { cause })
  }
}

// Errors of the network have a code such as ECONNRESET; those that pg and its pool raise themselves have only a text.
const NETWORK_CODE = /^(?:E(?!RR_)[A-Z_]+|ERR_(?:STREAM|SOCKET|SSL|TLS)_\w+)$/
const CONNECTION_TEXT = new RegExp(
  `^(?:${[
    'Connection terminated',
    'timeout e(?:xpired|xceeded when trying to connect)',
    'Query read timeout',
    'Cannot use a pool after calling end',
    'Client (?:has encountered a connection error|was closed)',
    'The server does not support SSL',
    'There was an error establishing an SSL',
  ].join('|')})`,
)

/** Whether the connection failed. An error of PostgreSQL has a severity; any other error is a defect of this program. */
function isConnectionFailure(error: unknown): error is Error {
  if (!(error instanceof Error) || 'severity' in error) return false
  return ('code' in error && NETWORK_CODE.test(String(error.code))) || CONNECTION_TEXT.test(error.message)
}

/** Rethrows `error`, as DatabaseAway if the connection failed. */
export function away(error: unknown): never {
  throw isConnectionFailure(error) ? new DatabaseAway(error) : error
}

/** How long a statement may take before the database is asked, on another connection, whether it answers at all. */
const SUSPECT_MS = 2000
/** How long the end of the pool may take. */
const CLOSE_MS = 3000
/** For how long an answer to it is proof enough for other statements. */
const PROOF_MS = 1000
/** How often a database that did not answer is asked again. */
const RETRY_MS = 500
const STATEMENT_TIMEOUT_MS = 30_000
/** The server ends a statement after its time limit; if its answer is not here so much later, the connection is dead. */
const ANSWER_LATE_MS = 5000

interface Limits {
  statementMs: number
  /** Settings of the planner, as options of a connection. */
  planner: string
}

/**
 * For a statement that reads whole tables, however many rows they have. Where it looks up the last row of a key for each row,
 * an index gives that row at once. A bitmap of the index would read and sort all rows of the key each time; the planner prefers
 * it while a table that has grown has no statistics.
 */
const PATIENT: Limits = { statementMs: 3_600_000, planner: '-c enable_bitmapscan=off' }

// Type parsers belong to the pool, never to the driver's global table: int8 is bigint here and nowhere else.
const INT8 = 20
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8
      ? (value: string) => BigInt(value)
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
}

const ignore = (): void => undefined

/**
 * Connections with this project's types and limits. It notices a server that is connected but silent (frozen, or behind a
 * dead network path), which no timeout of the server can end: from then on, callers get DatabaseAway at once until the
 * server answers again. Connections from before are not used again, because what they did is unknown.
 */
export class DatabasePool extends pg.Pool {
  readonly #servers: Servers
  /** The same servers without a pooler. */
  readonly #direct: Servers
  readonly #url: string
  readonly #directUrl: string
  #single: DatabasePool | undefined
  /** Connections that are known to lead to a primary, where a standby is possible. */
  readonly #proven = new WeakSet<pg.PoolClient>()
  readonly #epochs = new WeakMap<pg.PoolClient, number>()
  #epoch = 0
  #away: Error | null = null
  #answeredAt = -Infinity
  readonly #unanswered: Unanswered

  constructor(
    url: string,
    max: number,
    directUrl?: string,
    { statementMs, planner }: Limits = { statementMs: STATEMENT_TIMEOUT_MS, planner: '' },
  ) {
    const servers = new Servers(url)
    super({
      connectionString: servers.current,
      max,
      Client: Connection,
      types,
      connectionTimeoutMillis: 15_000,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      options: `-c statement_timeout=${statementMs} -c lock_timeout=15000 -c idle_in_transaction_session_timeout=60000 -c timezone=UTC ${planner}`,
      application_name: 'svc',
    })
    this.#servers = servers
    this.#url = url
    this.#directUrl = directUrl ?? url
    this.#direct = directUrl ? new Servers(directUrl) : servers
    this.#unanswered = new Unanswered(
      SUSPECT_MS,
      async waitedMs => !(await this.#answers()) || waitedMs > statementMs + ANSWER_LATE_MS,
    )
    // A connection that dies while idle must not take the process with it; the next query reports.
    this.on('error', ignore)
    this.on('connect', client => {
      this.#epochs.set(client, this.#epoch)
    })
  }

  /** A connection, to be released with the error if one of its statements threw DatabaseAway. Throws DatabaseAway. */
  async acquire(): Promise<pg.PoolClient & Connection> {
    for (;;) {
      if (this.#away) throw new DatabaseAway(this.#away)
      const connecting = this.#take()
      const client = await this.answer(connecting).catch(async (error: Error) => {
        // It may come after all, when nobody waits for it any more.
        connecting.then(late => late.release(error), ignore)
        if (!(await this.#hasMoved())) throw error
      })
      if (!client) continue
      if (this.#epochs.get(client) === this.#epoch && client instanceof Connection) return client
      client.release(true)
    }
  }

  /** From now on no connection is used that is as old as this one: the statements that it has prepared do not fit the tables. */
  replaceConnections(client: pg.PoolClient): void {
    if (this.#epochs.get(client) === this.#epoch) this.#epoch++
  }

  /** A connection beside the pool and without a pooler, for one that stays open: the caller ends it. */
  async connectApart(): Promise<Connection> {
    const connection = new Connection({
      connectionString: this.#direct.current,
      application_name: 'svc',
      keepAlive: true,
    })
    try {
      await connection.connect()
      if (this.#direct.areSeveral) await requirePrimary(connection)
      return connection
    } catch (error) {
      connection.end().catch(ignore)
      if (this.#direct.areSeveral) await this.#direct.findPrimary()
      throw error
    }
  }

  /** An additional connection of this pool's kind, which is opened when it is first used and closed with the pool. */
  single(): DatabasePool {
    this.#single ??= new DatabasePool(this.#url, 1, this.#directUrl)
    return this.#single
  }

  /** Two connections beside the pool and without a pooler, whose statements may take an hour. The caller closes them. */
  patient(): DatabasePool {
    return new DatabasePool(this.#directUrl, 2, undefined, PATIENT)
  }

  /** What `work` (a statement, or a connection to come) gives. Throws DatabaseAway if the server does not answer. */
  answer<T>(work: Promise<T>): Promise<T> {
    return this.#unanswered.watch(
      work.catch(away),
      ms => new DatabaseAway(new Error(`no answer in ${ms} ms`)),
    )
  }

  /** Ends the pool; a server that does not answer is not waited for. */
  async close(): Promise<void> {
    const ends = Promise.all([this.end(), this.#single?.close()])
    await Promise.race([ends, sleep(CLOSE_MS, undefined, { ref: false })])
  }

  async #answers(): Promise<boolean> {
    if (this.#away) return false
    if (performance.now() - this.#answeredAt < PROOF_MS) return true
    const asked = performance.now()
    // A server that is too busy to accept a connection in time still answers on those that are open.
    const answers = (await this.#findPrimary()) || this.#unanswered.hasAnsweredSince(asked)
    if (answers) this.#answeredAt = performance.now()
    else if (!this.#away) void this.#waitForReturn()
    return answers
  }

  /** A connection of the pool. One to a standby is refused. */
  async #take(): Promise<pg.PoolClient> {
    const client = await this.connect()
    if (!this.#servers.areSeveral || this.#proven.has(client)) return client
    try {
      await requirePrimary(client)
      this.#proven.add(client)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  /** Whether another server is the primary now. */
  async #hasMoved(): Promise<boolean> {
    const before = this.#servers.current
    return this.#servers.areSeveral && (await this.#findPrimary()) && this.#servers.current !== before
  }

  /** False if no primary answers. New connections go to the one that does. */
  async #findPrimary(): Promise<boolean> {
    const isFound = await this.#servers.findPrimary()
    const { current } = this.#servers
    if (this.options.connectionString === current) return isFound
    this.options.connectionString = current
    this.#epoch++
    return isFound
  }

  async #waitForReturn(): Promise<void> {
    this.#away = new Error('the server does not answer')
    this.#epoch++
    while (!this.ended && !(await this.#findPrimary())) await sleep(RETRY_MS, undefined, { ref: false })
    this.#away = null
  }
}

/** For the probe of the pool, and for `Db.polls`. */
const CONNECTIONS_APART = 2
/** Some operations need two. */
const LEAST_CONNECTIONS = 2

/**
 * A pool of at most `max` connections; `url` is a PostgreSQL connection string, which may name several servers. `directUrl`
 * leads to the same servers where `url` leads to a pooler.
 */
export const createPool = (url: string, max = 20, directUrl?: string): DatabasePool =>
  new DatabasePool(url, Math.max(max - CONNECTIONS_APART, LEAST_CONNECTIONS), directUrl)
