import type pg from 'pg'
import type { Clock } from './clock.ts'
import type { Answer } from './database/batch.ts'
import type { Connection } from './database/connection.ts'
import type { Failpoints } from './database/failpoints.ts'
import { PointReads } from './database/point-reads.ts'
import { DatabaseAway, DatabasePool } from './database/pool.ts'
import { isConflict, isConsequence, isOutdatedPlan, repeatAfter } from './database/repeat.ts'
import type { Bindings } from './bindings.ts'
import { sql, type Statement } from './sql.ts'
import { asError } from './unknown.ts'

export { DatabaseAway }

/** What can answer a statement: the database itself, or a transaction on it. */
export interface Queryable {
  /** The subscribers and port implementations of this service. */
  readonly bindings: Bindings
  rows<Row>(statement: Statement<Row>): Promise<Row[]>
  /** The first row, or undefined. */
  maybe<Row>(statement: Statement<Row>): Promise<Row | undefined>
  /** The first row; its absence is a defect of the program. */
  one<Row>(statement: Statement<Row>): Promise<Row>
  /** How many rows were written. */
  run(statement: Statement<unknown>): Promise<number>
}

abstract class Statements implements Queryable {
  readonly bindings: Bindings
  protected readonly failpoints: Failpoints | undefined

  constructor({ bindings, failpoints }: DbContext) {
    this.bindings = bindings
    this.failpoints = failpoints
  }

  /** Runs `query` on a connection. Throws DatabaseAway if the connection fails. */
  protected abstract send<Result>(query: (client: Connection) => Promise<Result>): Promise<Result>

  protected execute(statement: Statement<unknown>): Promise<Answer> {
    this.failpoints?.reach(statement.text)
    return this.send(client => client.execute(statement))
  }

  /** For libraries that bring their own SQL. Of several statements, an array of results. Nothing is prepared. */
  async raw(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    this.failpoints?.reach(text)
    return this.send(client => client.raw(text, values))
  }

  async rows<Row>(statement: Statement<Row>): Promise<Row[]> {
    return (await this.execute(statement)).rows as Row[]
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
    return (await this.execute(statement)).count
  }
}

const ignore = (): void => undefined

const BEGIN = sql`begin`
const SNAPSHOT = sql`begin isolation level repeatable read, read only`
const COMMIT = sql`commit`
const ROLLBACK = sql`rollback`

/**
 * An open transaction. A type of its own, so that a command on money cannot be called outside one.
 * `now` is the business time of the whole transaction. Using it after its end throws.
 *
 * Statements that are not awaited one by one (`Promise.all`, `write`) are sent together and run in the order in which they
 * were given. After the first that fails, PostgreSQL refuses all others and the commit.
 */
export class Tx extends Statements {
  readonly now: Date
  readonly clock: Clock
  readonly #pool: DatabasePool
  #client: Connection | undefined
  /** Opens the transaction; sent together with the first statement, which the server skips if it fails. */
  #begin: Statement<unknown> | undefined
  /** What the commit waits for: the begin, and the statements that nothing else waits for. */
  readonly #unawaited: Promise<unknown>[] = []
  #lost: DatabaseAway | undefined
  /** The first error of a statement. */
  #failure: unknown
  /** Why no statement can follow. */
  #broken: unknown
  #afterCommit: (() => void)[] = []

  constructor(pool: DatabasePool, client: Connection, context: DbContext, begin: Statement<unknown>) {
    super(context)
    this.#pool = pool
    this.#client = client
    this.#begin = begin
    this.clock = context.clock
    this.now = context.clock.now()
  }

  protected send<Result>(query: (client: Connection) => Promise<Result>): Promise<Result> {
    if (!this.#client) return Promise.reject(this.#endError())
    if (this.#begin) this.#open(this.#client, this.#begin)
    return this.#pool.answer(this.#give(this.#client, query)).catch((error: unknown) => {
      if (error instanceof DatabaseAway) this.#lost = error
      if (!isConsequence(error)) this.#failure ??= error
      throw error
    })
  }

  #give<Result>(client: Connection, query: (client: Connection) => Promise<Result>): Promise<Result> {
    try {
      return query(client)
    } catch (error) {
      // A statement whose values cannot be sent: the others must not be committed without it.
      this.#client = undefined
      this.#broken ??= error
      return Promise.reject(asError(error))
    }
  }

  #open(client: Connection, begin: Statement<unknown>): void {
    this.#begin = undefined
    this.#leave(
      this.#pool.answer(client.execute(begin)).catch((error: unknown) => {
        // Without a transaction the next statement would be committed by itself.
        this.#broken = error
        this.#client = undefined
        throw error
      }),
    )
  }

  /**
   * Sends a statement for whose result the command does not wait. The commit waits for it, and fails with its error. The
   * statement must fail by itself if it does not write what it should.
   */
  write(statement: Statement<unknown>): void {
    this.#leave(this.run(statement))
  }

  #leave(result: Promise<unknown>): void {
    result.catch(ignore)
    this.#unawaited.push(result)
  }

  #endError(): unknown {
    return this.#lost ?? this.#broken ?? new Error('transaction used after its end')
  }

  /** Runs once the transaction is committed; not at all when it is rolled back. Must not throw. */
  afterCommit(work: () => void): void {
    this.#afterCommit.push(work)
  }

  /** @internal Sends the commit behind all that was written, and waits for all of it. */
  async commit(): Promise<void> {
    const client = this.#client
    // The response to a statement may be missing although the caller caught that error: what it did is unknown.
    if (!client || this.#lost) throw this.#endError()
    this.#client = undefined
    // Without a statement nothing was begun.
    if (this.#begin) return
    this.failpoints?.reach('commit')
    const commit = this.#pool.answer(client.execute(COMMIT))
    commit.catch(ignore)
    this.failpoints?.reachSent('commit')
    await Promise.all(this.#unawaited)
    // PostgreSQL answers ROLLBACK to a commit when an error was swallowed inside: that must not look like success.
    const { command } = await commit
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: an error inside it was swallowed')
    this.failpoints?.reach('the end of the transaction')
  }

  /** @internal */
  runAfterCommit(): void {
    for (const work of this.#afterCommit) work()
  }

  /** @internal Whether there is anything to roll back. */
  get hasBegun(): boolean {
    return this.#begin === undefined
  }

  /** @internal From here on no statement can follow, such as of a branch that still runs after another has failed. */
  end(): void {
    this.#client = undefined
  }

  /** @internal The error that caused `error`: a statement after a failed one says only that the transaction is aborted. */
  causeOf(error: unknown): unknown {
    return isConsequence(error) ? (this.#failure ?? error) : error
  }
}

/** What a read-only transaction offers; `now` is the business time of its begin. */
export type Snapshot = Queryable & Pick<Tx, 'now'>

export interface DbContext {
  clock: Clock
  bindings: Bindings
  failpoints?: Failpoints | undefined
}

/** The database: single statements, and transactions. */
export class Db extends Statements {
  readonly pool: DatabasePool
  readonly context: DbContext
  readonly #pointReads = new PointReads(query => this.send(query))
  #polls: Db | undefined

  constructor(pool: DatabasePool, context: DbContext) {
    super(context)
    this.pool = pool
    this.context = context
  }

  /** The same over one connection for quick statements that loops repeat: PostgreSQL plans them once, and not on each connection that they get. */
  get polls(): Db {
    this.#polls ??= new Db(this.pool.single(), this.context)
    return this.#polls
  }

  protected override execute(statement: Statement<unknown>): Promise<Answer> {
    if (!statement.isPointRead) return super.execute(statement)
    this.failpoints?.reach(statement.text)
    return this.#pointReads.execute(statement)
  }

  protected send<Result>(query: (client: Connection) => Promise<Result>): Promise<Result> {
    return repeatAfter(isOutdatedPlan, () => this.#sendOnce(query))
  }

  async #sendOnce<Result>(query: (client: Connection) => Promise<Result>): Promise<Result> {
    const client = await this.pool.acquire()
    let lost: DatabaseAway | undefined
    try {
      return await this.pool.answer(query(client))
    } catch (error) {
      if (error instanceof DatabaseAway) lost = error
      if (isOutdatedPlan(error)) this.pool.replaceConnections(client)
      throw error
    } finally {
      client.release(lost)
    }
  }

  /**
   * Runs `work` in one READ COMMITTED transaction. After a deadlock, a serialization failure, or a migration that changed the
   * columns of a statement, it runs again, at most 4 times.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const isPassing = (error: unknown) => isConflict(error) || isOutdatedPlan(error)
    return repeatAfter(isPassing, () => this.#attempt(work))
  }

  /**
   * Runs `read` in one read-only transaction whose statements all see the same moment. For answers that combine several
   * statements, where READ COMMITTED would mix the states before and after a commit.
   */
  snapshot<T>(read: (q: Snapshot) => Promise<T>): Promise<T> {
    return repeatAfter(isOutdatedPlan, () => this.#attempt(read, SNAPSHOT))
  }

  async #attempt<T>(work: (tx: Tx) => Promise<T>, begin = BEGIN): Promise<T> {
    const client = await this.pool.acquire()
    const tx = new Tx(this.pool, client, this.context, begin)
    let broken: Error | undefined
    let committed = false
    try {
      const result = await work(tx)
      await tx.commit()
      committed = true
      return result
    } catch (thrown) {
      const error = tx.causeOf(thrown)
      tx.end()
      if (isOutdatedPlan(error)) this.pool.replaceConnections(client)
      // A connection that is lost cannot roll back: the server does so when it sees its end.
      if (error instanceof DatabaseAway) broken = error
      else if (tx.hasBegun)
        await this.pool.answer(client.execute(ROLLBACK)).catch((failure: Error) => (broken = failure))
      throw error
    } finally {
      // The connection goes back before the after-commit callbacks, so that they may use the pool.
      client.release(broken)
      if (committed) tx.runAfterCommit()
    }
  }
}
