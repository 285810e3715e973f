import type { Db } from '../db.ts'
import { sql } from '../sql.ts'

const connectionSettings = () => sql<{ timeout: string; zone: string }>`
  select current_setting('statement_timeout') as timeout, current_setting('TimeZone') as zone`

/** A pooler may drop the settings that the service asks for when it connects. Throws if they are not in force. */
export async function requireConnectionSettings(db: Db): Promise<void> {
  const { timeout, zone } = await db.one(connectionSettings())
  if (timeout === '0' || !/^(?:UTC|Etc\/UTC)$/i.test(zone))
    throw new Error(
      `the pooler at DATABASE_URL does not pass on the settings of connections (statement_timeout is ${timeout}, TimeZone is ${zone}): set connect_query as in deploy/pgbouncer.ini`,
    )
}
