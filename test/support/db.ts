import { randomBytes } from 'node:crypto'
import { ServiceClock } from '../../server/platform/clock.ts'
import { createPool, Db } from '../../server/platform/db.ts'
import { Reactions } from '../../server/platform/reactions.ts'
import { secretsOf, type Secrets } from '../../server/platform/secrets.ts'
import { createTestDatabase } from './database.ts'

export interface TestDb { db: Db; clock: ServiceClock; reactions: Reactions; url: string; superuserUrl: string; secrets: Secrets; close(): Promise<void> }

/** A new database, or that at `url`, behind the program's own `Db`, for tests below the HTTP surface. */
export async function openTestDb(url?: string): Promise<TestDb> {
  const database = url ? { url, superuserUrl: url, drop: async () => undefined } : await createTestDatabase()
  const clock = new ServiceClock()
  const reactions = new Reactions()
  const pool = createPool(database.url)
  const db = new Db(pool, { clock, reactions })
  const close = async () => {
    await pool.end()
    await database.drop()
  }
  return { db, clock, reactions, url: database.url, superuserUrl: database.superuserUrl, secrets: secretsOf(randomBytes(32).toString('hex')), close }
}
