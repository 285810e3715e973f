import { setTimeout as sleep } from 'node:timers/promises'
import { sealLedger } from '#ledger'
import type { Db } from '#platform/kernel/db'
import type { Secrets } from '#platform/kernel/secrets'
import { sql } from '#platform/kernel/sql'

const LIMIT_MS = 60_000

/** Seals every journal. An open transaction of another test on the same server delays the newest ones. */
export async function sealAll(db: Db, secrets: Secrets): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await sleep(5)) {
    await sealLedger(db, secrets)
    if (!(await db.maybe(sql`select from ledger_unsealed limit 1`))) return
  }
  throw new Error(`journals were not sealed in ${LIMIT_MS} ms`)
}
