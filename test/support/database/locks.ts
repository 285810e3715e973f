import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { TestService } from '../service/service.ts'

/** A transaction of the test that holds locks while requests of the service wait for them. */
export interface Holder {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
  /** Returns when so many connections wait for a lock; fails after 12 s. */
  waiters(count: number): Promise<void>
  /** Ends the transaction before `work` ends; it is rolled back otherwise. */
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Below the lock timeout of the service, 15 s: after that the requests that wait have failed. */
const PATIENCE_MS = 12_000

/**
 * Runs `work` with a transaction on a connection of its own. One of the service's pool would be missing there: requests
 * that wait for the lock and a query of the test could then wait for a connection that only the test can free.
 */
export async function holdingLocks<Result>(
  { databaseUrl }: Pick<TestService, 'databaseUrl'>,
  work: (holder: Holder) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    // Without it the transaction would see the activity of its first look only.
    await client.query('set local stats_fetch_consistency = none')
    return await work({
      query: (text, values) => client.query(text, values),
      waiters: count => waiters(client, count),
      commit: async () => void (await client.query('commit')),
      rollback: async () => void (await client.query('rollback')),
    })
  } finally {
    await client.end()
  }
}

async function waiters(client: pg.Client, count: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(10)) {
    // Their texts say little: of statements that travel together the last is shown.
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if ((rowCount ?? 0) >= count) return
    assert.ok(Date.now() < deadline, `${rowCount} of ${count} connections wait for a lock`)
  }
}
