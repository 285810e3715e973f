import { setTimeout as sleep } from 'node:timers/promises'
import { mailsSettled, type TestService } from '#test'
import { sql } from '../../../server/platform/kernel/sql.ts'

/** What requests and the service's own housekeeping may write although nothing was done. */
const MARGINAL = [
  'platform_limit',
  'ledger_unsealed',
  'ledger_block',
  'ledger_rollup',
  'platform_audit_unsealed',
  'platform_audit_block',
  'platform_task',
  // Attempts to reach the webhooks of the fixtures.
  'notifications_delivery',
  'notifications_delivery_history',
]

/** Who called an operation of admins without being one is noted. */
const REFUSALS: Record<string, string> = {
  platform_audit: `where action <> 'admin.refused'`,
  platform_audit_private: `where audit_id not in (select id from platform_audit where action = 'admin.refused')`,
}

/** Columns that any authenticated request may write. */
const USED = `'last_used_at', 'last_seen_at', 'presence_status'`

interface Table {
  name: string
  is_used: boolean
}

/** A digest of each table; when keys, sessions and the agents of keys were last used aside. */
export async function snapshotOf(service: TestService): Promise<Record<string, string>> {
  const { db } = service.services
  await eventsSettled(service)
  await leasesReturned(service)
  await mailsSettled(service)
  const { rows } = await db.pool.query<Table>(
    `
    select table_name as name, bool_or(column_name in ('last_used_at', 'last_seen_at')) as is_used from information_schema.columns
    where table_schema = 'public' and table_name <> all($1) group by table_name`,
    [MARGINAL],
  )
  const textOf = ({ is_used: isUsed }: Table) => (isUsed ? `(to_jsonb(t) - array[${USED}])::text` : 't::text')
  const digests = rows.map(
    table => `
    select '${table.name}' as name,
      coalesce(sum(hashtextextended(${textOf(table)}, 0)), 0) || ' over ' || count(*) as digest
    from "${table.name}" t ${REFUSALS[table.name] ?? ''}`,
  )
  const found = await db.pool.query<{ name: string; digest: string }>(digests.join(' union all '))
  return Object.fromEntries(found.rows.map(({ name, digest }) => [name, digest]))
}

/** Returns when the changes of deals so far are events, which are written after the commit. */
async function eventsSettled({ services: { db } }: TestService): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50))
    if (!(await db.rows(sql`select from platform_outbox limit 1`)).length) return
  throw new Error('the outbox is not emptied')
}

/** Returns when no routing balance is leased: a lease is renewed, and returned some time after its last request. */
async function leasesReturned({ services: { db } }: TestService): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50))
    if (!(await db.rows(sql`select from gateway_lease where status = 'OPEN' limit 1`)).length) return
  throw new Error('the leases of the gateway are not returned')
}

/** Opens every limit again: the suite asks more often than they let through. */
export const resetLimits = ({ services: { db } }: TestService): Promise<unknown> =>
  db.run(sql`delete from platform_limit`)
