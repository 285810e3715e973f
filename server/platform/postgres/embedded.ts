import { findBinaries } from './binaries.ts'
import { ensureCluster, PORT, stopPostmaster, USER } from './cluster.ts'
import { Lease, MaintenanceClient, type ServerListener } from './lease.ts'
import { findPlace } from './place.ts'

export interface EmbeddedPostgres {
  /** Connection string of the database `svc`, over a Unix socket that only its owner can reach. */
  url: string
  /** Folder of the cluster. */
  directory: string
  /** Names who is told when the server fails after its start, and when it is back. */
  watch(listener: ServerListener): void
  /** Gives it back. The last user stops the server; a command stops it only if it started it. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** Absolute path of the data folder. */
  dataDir: string
  log?: (message: string) => void
  /** For a command beside the service: see LeaseOptions. */
  command?: boolean
}

const DATABASE = 'svc'

/**
 * The PostgreSQL 18 that npm brought, with its data under `dataDir`. Made on the first start; used as it is when another
 * process of the same checkout runs it, or when a killed one left it running. Each user holds a lease (see docs/adr/0004).
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined)
  const place = await findPlace(options.dataDir, await findBinaries(), log)
  // Port and TLS are named although they are the defaults: PGPORT and PGSSLMODE would change them.
  const urlOf = (database: string) =>
    `postgres://${USER}@localhost:${PORT}/${database}?host=${encodeURIComponent(place.socketDirectory)}&sslmode=disable`
  await ensureCluster(place)
  const lease = await Lease.take(place, urlOf('postgres'), { log, command: options.command ?? false })
  let stopped: Promise<void> | undefined
  await ensureDatabase(urlOf('postgres'))
  const stop = async () => {
    if (await lease.release()) await stopPostmaster(place)
    await lease.close()
  }
  return { url: urlOf(DATABASE), directory: place.directory, watch: listener => { lease.listener = listener }, stop: () => (stopped ??= stop()) }
}

async function ensureDatabase(url: string): Promise<void> {
  const client = await MaintenanceClient.open(url)
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (!rowCount) await client.query(`create database ${DATABASE}`).catch((error: { code?: string }) => { if (error.code !== '42P04' && error.code !== '23505') throw error })
  } finally {
    await client.close()
  }
}
