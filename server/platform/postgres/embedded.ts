import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { ensureCluster, isRunning, PORT, startPostmaster, stopPostmaster, USER } from './cluster.ts'
import { findPlace, type Place } from './place.ts'

export interface EmbeddedPostgres {
  /** Connection string of the database `svc`, over a Unix socket that only its owner can reach. */
  url: string
  /** Folder of the cluster. */
  directory: string
  /** Gives it back; the last process that uses it ends it. */
  stop(): Promise<void>
}

const DATABASE = 'svc'
const LOCK = 727_002
const PATIENCE_MS = 60_000

/**
 * The PostgreSQL 18 that npm brought, with its data under `dataDir` (absolute). Made on the first start;
 * adopted when a left-over or another process of the same checkout runs it. Each user holds one connection
 * with a shared lock as its lease, which dies with it: `stop` ends PostgreSQL when no other lease is left.
 */
export async function startEmbeddedPostgres(options: { dataDir: string; log?: (message: string) => void }): Promise<EmbeddedPostgres> {
  const place = await findPlace(options.dataDir, await findBinaries(), options.log ?? (() => undefined))
  // Port and TLS are named although they are the defaults: PGPORT and PGSSLMODE would change them.
  const urlOf = (database: string) =>
    `postgres://${USER}@localhost:${PORT}/${database}?host=${encodeURIComponent(place.socketDirectory)}&sslmode=disable`
  await ensureCluster(place)
  const lease = await takeLease(place, urlOf('postgres'))
  let stopped: Promise<void> | undefined
  lease.once('error', () => { if (!stopped) options.log?.(`PostgreSQL in ${place.directory} went away`) })
  await ensureDatabase(urlOf('postgres'))
  const stop = async () => {
    const last = await isLast(lease)
    if (last) await stopPostmaster(place)
    await lease.end().catch(() => undefined)
  }
  return { url: urlOf(DATABASE), directory: place.directory, stop: () => (stopped ??= stop()) }
}

/** A connection that holds the lock; while the last holder is ending PostgreSQL, its end is waited for. */
async function takeLease(place: Place, url: string): Promise<pg.Client> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
    if (!await answers(url) && !await isRunning(place)) await startPostmaster(place, () => answers(url))
    const lease = await connect(url).catch(() => null)
    const held = await lease?.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [LOCK]).catch(() => null)
    if (lease && held?.rows[0]?.held) return lease
    await lease?.end().catch(() => undefined)
  }
  throw new Error(`PostgreSQL in ${place.directory} does not answer, or does not finish its stop: see its log there, end its processes and start again.`)
}

/**
 * Gives the lease back; true for the last holder. It then holds the lock alone, which keeps newcomers out until
 * PostgreSQL has ended. A broken connection proves nothing, so it ends nothing.
 */
async function isLast(lease: pg.Client): Promise<boolean> {
  try {
    await lease.query('select pg_advisory_unlock_shared($1)', [LOCK])
    const { rows } = await lease.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [LOCK])
    return rows[0]?.last === true
  } catch {
    return false
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'svc-lease' })
  // Ended by the last holder's stop, or by a crash: reported by the next query, never by ending the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const answers = (url: string): Promise<boolean> => connect(url).then(client => client.end()).then(() => true, () => false)

async function ensureDatabase(url: string): Promise<void> {
  const client = await connect(url)
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (!rowCount) await client.query(`create database ${DATABASE}`).catch((error: { code?: string }) => { if (error.code !== '42P04' && error.code !== '23505') throw error })
  } finally {
    await client.end()
  }
}
