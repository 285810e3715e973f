import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../adapters/log/log.ts'
import type { Db } from '../db.ts'
import { identifier, sql } from '../sql.ts'
import type { Connection } from './connection.ts'

const RETRY_MS = 1000

/** Listens on a channel of PostgreSQL (NOTIFY), on a connection beside the pool, from the first call of `ready` on. */
export class Listener {
  readonly #db: Db
  readonly #log: Log
  readonly #channel: string
  readonly #onMessage: (payload: string) => void
  #opening: Promise<void> | undefined
  #connection: Connection | undefined
  #isStopped = false

  constructor(db: Db, log: Log, channel: string, onMessage: (payload: string) => void) {
    this.#db = db
    this.#log = log
    this.#channel = channel
    this.#onMessage = onMessage
  }

  /** Resolves when it listens, or when that failed: it tries again later. Never rejects. */
  ready(): Promise<void> {
    return (this.#opening ??= this.#open())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#opening
    await this.#connection?.end().catch(() => undefined)
  }

  async #open(): Promise<void> {
    if (this.#isStopped) return
    try {
      const connection = await this.#db.pool.connectApart()
      connection.on('notification', ({ payload }) => this.#onMessage(payload ?? ''))
      connection.once('end', () => void this.#reopen())
      this.#connection = connection
      await connection.execute(sql`listen ${identifier(this.#channel)}`)
    } catch (error) {
      this.#log.warn({ err: error, channel: this.#channel }, 'does not listen')
      if (this.#connection) await this.#connection.end().catch(() => undefined)
      else void this.#reopen()
    }
  }

  async #reopen(): Promise<void> {
    this.#connection = undefined
    if (this.#isStopped) return
    await sleep(RETRY_MS, undefined, { ref: false })
    this.#opening = this.#open()
  }
}
