import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { ensureCluster, startPostmaster, stopPostmaster, USER } from './cluster.ts'
import { findPlace } from './place.ts'

export interface EmbeddedPostgres {
  /** Connection string of the database `svc`, over a Unix socket that only its owner can reach. */
  url: string
  /** Folder of the cluster. */
  directory: string
  /** Gives it back; the last process that uses it ends it. */
  stop(): Promise<void>
}

const DATABASE = 'svc'

/**
 * The PostgreSQL 18 that npm brought, with its data under `dataDir` (absolute). Made on the first start;
 * adopted when a left-over or another process of the same checkout runs it. Each user holds one
 * connection as its lease, which dies with it: `stop` ends PostgreSQL when no other connection is left.
 */
export async function startEmbeddedPostgres(options: { dataDir: string; log?: (message: string) => void }): Promise<EmbeddedPostgres> {
  const place = await findPlace(options.dataDir, await findBinaries(), options.log ?? (() => undefined))
  const urlOf = (database: string) => `postgres://${USER}@localhost/${database}?host=${encodeURIComponent(place.socketDirectory)}`
  await ensureCluster(place)
  if (!await answers(urlOf('postgres'))) await startPostmaster(place, () => answers(urlOf('postgres')))
  await ensureDatabase(urlOf('postgres'))
  const lease = await connect(urlOf('postgres'))
  lease.on('error', () => options.log?.(`PostgreSQL in ${place.directory} went away`))
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    const alone = await untilAlone(lease)
    await lease.end().catch(() => undefined)
    if (alone) await stopPostmaster(place)
  }
  return { url: urlOf(DATABASE), directory: place.directory, stop }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'svc-lease' })
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

/** Whether no other client is left; connections that are just closing get half a second. */
async function untilAlone(lease: pg.Client): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const others = await lease.query(`select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`).catch(() => null)
    if (!others?.rowCount) return true
    await sleep(50)
  }
  return false
}
