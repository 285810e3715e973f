import process from 'node:process'
import { ServiceClock } from '#platform/kernel/clock'
import { dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { describeDatabaseError } from '#platform/kernel/database/database-error'
import { primaryOf } from '#platform/kernel/database/servers'
import { createPool } from '#platform/kernel/database/pool'
import { Db } from '#platform/kernel/db'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#platform/adapters/postgres/embedded'
import { hasCluster } from '#platform/adapters/postgres/place'
import { Bindings } from '#platform/kernel/bindings'

const CONNECTIONS = 3
/** How PostgreSQL shows the connections of commands (pg_stat_activity); those of a service are `svc`. */
export const COMMAND_CONNECTION = 'svc-command'
const UNDEFINED_TABLE = '42P01'

/**
 * Runs `work` on the service's database: that of DATABASE_URL, else the embedded one, which is shared with a
 * service that runs. Never migrates it: that is the service's own start.
 */
export async function withDatabase(work: (db: Db) => Promise<number>): Promise<number> {
  return withServer(readConfig(process.env), url => query(url, work))
}

/**
 * Runs `work` with the address of the service's database: that of DATABASE_DIRECT_URL where it is set, which owns the tables
 * and has no pooler. Throws if the data folder has no database, unless `create` says to make it.
 */
export async function withServer<T>(
  config: Config,
  work: (url: string) => Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  const server = await open(config, create)
  try {
    return await work(named(server.url))
  } catch (error) {
    if ((error as { code?: string }).code !== UNDEFINED_TABLE)
      throw error instanceof Error
        ? describeDatabaseError(error, config.DATABASE_DIRECT_URL ?? config.DATABASE_URL)
        : error
    throw new Error('the database does not have the tables of this version: start the service once', {
      cause: error,
    })
  } finally {
    await server.stop()
  }
}

/** The address with the application name of commands, which replaces one that the operator has set. */
function named(url: string): string {
  const [address = '', query = ''] = url.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  parameters.set('application_name', COMMAND_CONNECTION)
  return `${address}?${parameters.toString()}`
}

async function open(config: Config, create: boolean): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.DATABASE_URL)
    return {
      url: await primaryOf(config.DATABASE_DIRECT_URL ?? config.DATABASE_URL),
      stop: async () => undefined,
    }
  return openEmbedded(config, create)
}

/** The embedded server of the data folder, which is shared with a service that runs. The caller stops it. */
export async function openEmbedded(config: Config, create = false): Promise<EmbeddedPostgres> {
  const dataDir = dataDirOf(config)
  // A command with the settings of another user must not find a new, empty database in order.
  if (!create && !(await hasCluster(dataDir)))
    throw new Error(
      `there is no database in ${dataDir}: set SVC_DATA_DIR or DATABASE_URL to the value of the service, or start the service once`,
    )
  return startEmbeddedPostgres({ dataDir, archive: config.SVC_WAL_ARCHIVE, command: true })
}

async function query(url: string, work: (db: Db) => Promise<number>): Promise<number> {
  const db = new Db(createPool(url, CONNECTIONS), {
    clock: new ServiceClock(),
    bindings: new Bindings(),
  })
  try {
    return await work(db)
  } finally {
    await db.pool.close()
  }
}
