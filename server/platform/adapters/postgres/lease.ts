import { setTimeout as sleep } from 'node:timers/promises'
import { startPostmaster } from './cluster.ts'
import { MaintenanceClient } from './maintenance.ts'
import { isRunning, pidOf } from './pid.ts'
import type { Place } from './place.ts'
import { asError } from '../../kernel/unknown.ts'

const LOCK = 727_002
/** How long one attempt waits for a server that starts, recovers or stops. */
const PATIENCE_MS = 60_000
/** How long a server that cannot be started again is tried before its user gives up. */
const GIVE_UP_MS = 15_000
/** After a crash every other user takes its lease again within this time. */
const SETTLE_MS = 2000

/** What a user of the embedded server learns about it after the start. */
export interface ServerListener {
  /** The server went away and could not be started again (yet); null when it is back. */
  onFailure(error: Error | null): void
  /** It could not be started again for 15 s. Nothing is tried any more: the process should end with an error. */
  onGone(error: Error): void
}

export interface LeaseOptions {
  log(message: string): void
  /** A command takes no lost lease again, and stops only a server that it started itself. */
  command: boolean
  /** Called when this process has spawned the server. */
  onSpawn(): void
}

/**
 * A shared advisory lock on a connection of its own: it shows all other processes that this one uses the server. The lock
 * is lost with its connection, for instance when PostgreSQL ends all connections because one backend crashed. Then it is
 * taken again, and a postmaster that is gone is started again.
 */
export class Lease {
  readonly #place: Place
  readonly #url: string
  readonly #options: LeaseOptions
  #client: MaintenanceClient | undefined
  /** The postmaster that this process started. */
  #startedPid: number | null = null
  /** Since when the absence of other leases proves that there is no other user. */
  #provesSince = 0
  #released = false
  #listener: ServerListener = { onFailure: () => undefined, onGone: () => undefined }

  private constructor(place: Place, url: string, options: LeaseOptions) {
    this.#place = place
    this.#url = url
    this.#options = options
  }

  /** Takes a lease; starts the server unless it runs. `url` is that of the database `postgres`. */
  static async take(place: Place, url: string, options: LeaseOptions): Promise<Lease> {
    const lease = new Lease(place, url, options)
    await lease.#acquire()
    // Nobody else can have lost a lease on a server that this process has just started.
    if (lease.#startedPid) lease.#provesSince = 0
    return lease
  }

  /** Whether this process started the server. */
  get started(): boolean {
    return this.#startedPid !== null
  }

  /** The connection that holds the lock, for the superuser to the database `postgres`. */
  get connection(): MaintenanceClient {
    if (!this.#client) throw new Error('the connection to PostgreSQL was lost')
    return this.#client
  }

  set listener(listener: ServerListener) {
    this.#listener = listener
  }

  /**
   * Gives the lease back; true if this process has to stop the server, because it is the last user. It then holds the lock
   * alone until `close`, which keeps newcomers out until the server has stopped. A broken connection proves nothing.
   */
  async release(): Promise<boolean> {
    const started = this.#startedPid !== null && this.#startedPid === (await pidOf(this.#place.directory))
    if (!this.#options.command || started) {
      while (this.#client && performance.now() < this.#provesSince) await sleep(50)
    }
    this.#released = true
    return (!this.#options.command || started) && (await this.#isLast())
  }

  async close(): Promise<void> {
    this.#released = true
    await this.#client?.close()
  }

  async #isLast(): Promise<boolean> {
    try {
      await this.#client?.query('select pg_advisory_unlock_shared($1)', [LOCK])
      const result = await this.#client?.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [
        LOCK,
      ])
      return result?.rows[0]?.last === true
    } catch {
      return false
    }
  }

  async #acquire(): Promise<void> {
    const { client, startedPid } = await acquire(this.#place, this.#url, this.#options)
    this.#client = client
    this.#startedPid = startedPid ?? this.#startedPid
    this.#provesSince = performance.now() + SETTLE_MS
    client.once('end', () => {
      this.#client = undefined
      if (!this.#released && !this.#options.command) void this.#renew()
    })
  }

  async #renew(): Promise<void> {
    this.#options.log(`The connection to PostgreSQL in ${this.#place.directory} was lost: connecting again`)
    for (let failingSince = 0; !this.#released;) {
      try {
        await this.#acquire()
        this.#options.log(`PostgreSQL in ${this.#place.directory} is back`)
        this.#listener.onFailure(null)
        return
      } catch (error) {
        failingSince ||= performance.now()
        this.#listener.onFailure(asError(error))
        this.#options.log(asError(error).message)
        if (performance.now() - failingSince > GIVE_UP_MS) return this.#listener.onGone(asError(error))
        await sleep(1000)
      }
    }
  }
}

interface Acquired {
  client: MaintenanceClient
  startedPid: number | null
}

/** A connection that holds the lock. While the last user is stopping the server, its end is waited for. */
async function acquire(
  place: Place,
  url: string,
  { log, onSpawn }: Pick<LeaseOptions, 'log' | 'onSpawn'>,
): Promise<Acquired> {
  let startedPid: number | null = null
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(20)) {
    let client = await connect(url)
    if (!client && !(await isRunning(place))) {
      log('Starting PostgreSQL ...')
      const ready = async () => (client = await connect(url)) !== null
      startedPid = (await startPostmaster(place, { ready, onSpawn })) ?? startedPid
    }
    const held = await client
      ?.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [LOCK])
      .catch(() => null)
    if (client && held?.rows[0]?.held) return { client, startedPid }
    await client?.close()
  }
  throw new Error(
    `PostgreSQL in ${place.directory} does not answer, or does not finish its stop: see its log there, end its processes and start again.`,
  )
}

/** A connection, or null if the server does not accept one. */
const connect = (url: string): Promise<MaintenanceClient | null> =>
  MaintenanceClient.open(url).catch(() => null)
