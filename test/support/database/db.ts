import { randomBytes } from 'node:crypto'
import { ServiceClock } from '../../../server/platform/kernel/clock.ts'
import { Bindings } from '../../../server/platform/kernel/bindings.ts'
import { createPool } from '../../../server/platform/kernel/database/pool.ts'
import { Db } from '../../../server/platform/kernel/db.ts'
import { secretsOf, type Secrets } from '../../../server/platform/kernel/secrets.ts'
import { createTestDatabase } from './database.ts'

export interface TestDb {
  db: Db
  clock: ServiceClock
  bindings: Bindings
  url: string
  superuserUrl: string
  secrets: Secrets
  close(): Promise<void>
}

/** A new database, or that at `url`, behind the program's own `Db`, for tests below the HTTP surface. */
export async function openTestDb(url?: string): Promise<TestDb> {
  const database = url ? { url, superuserUrl: url, drop: async () => undefined } : await createTestDatabase()
  const clock = new ServiceClock()
  const pool = createPool(database.url)
  const bindings = new Bindings()
  const db = new Db(pool, { clock, bindings })
  const close = async () => {
    await pool.end()
    await database.drop()
  }
  return {
    db,
    clock,
    bindings,
    url: database.url,
    superuserUrl: database.superuserUrl,
    secrets: secretsOf(randomBytes(32).toString('hex')),
    close,
  }
}
