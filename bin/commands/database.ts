import process from 'node:process'
import { ServiceClock } from '#platform/clock'
import { dataDirOf, readConfig, type Config } from '#platform/config'
import { describeDatabaseError } from '#platform/database-error'
import { createPool, Db } from '#platform/db'
import { startEmbeddedPostgres } from '#platform/postgres/embedded'
import { Reactions } from '#platform/reactions'

const CONNECTIONS = 3
const UNDEFINED_TABLE = '42P01'

/**
 * Runs `act` on the service's database: that of DATABASE_URL, else the embedded one, which is shared with a
 * service that runs. Never migrates it: that is the service's own start.
 */
export async function withDatabase(act: (db: Db) => Promise<number>): Promise<number> {
  return withServer(readConfig(process.env), url => query(url, act))
}

/** Runs `act` with the address of the service's database: that of DATABASE_DIRECT_URL where it is set, which owns the tables and has no pooler. */
export async function withServer<T>(config: Config, act: (url: string) => Promise<T>): Promise<T> {
  const server = await open(config)
  try {
    return await act(server.url)
  } catch (error) {
    if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error instanceof Error ? describeDatabaseError(error, config.DATABASE_DIRECT_URL ?? config.DATABASE_URL) : error
    throw new Error('the database does not have the tables of this version: start the service once', { cause: error })
  } finally {
    await server.stop()
  }
}

async function open(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.DATABASE_URL) return { url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, stop: async () => undefined }
  return startEmbeddedPostgres({ dataDir: dataDirOf(config), command: true })
}

async function query(url: string, act: (db: Db) => Promise<number>): Promise<number> {
  const db = new Db(createPool(url, CONNECTIONS), { clock: new ServiceClock(), reactions: new Reactions() })
  try {
    return await act(db)
  } finally {
    await db.pool.close()
  }
}
