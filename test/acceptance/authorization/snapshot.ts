import type { TestService } from '#test'
import { sql } from '../../../server/platform/sql.ts'

/** What requests and the service's own housekeeping may write although nothing was done. */
const MARGINAL = [
  'platform_limit', 'ledger_unsealed', 'ledger_block', 'ledger_rollup',
  'platform_audit_unsealed', 'platform_audit_block', 'platform_task',
]

/** Who called an operation of admins without being one is noted. */
const REFUSALS: Record<string, string> = {
  platform_audit: `where action <> 'admin.refused'`,
  platform_audit_private: `where audit_id not in (select id from platform_audit where action = 'admin.refused')`,
}

interface Table { name: string; is_used: boolean }

/** A digest of each table; when keys and sessions were last used aside. */
export async function snapshotOf({ services: { db } }: TestService): Promise<Record<string, string>> {
  const { rows } = await db.pool.query<Table>(`
    select table_name as name, bool_or(column_name = 'last_used_at') as is_used from information_schema.columns
    where table_schema = 'public' and table_name <> all($1) group by table_name`, [MARGINAL])
  const textOf = ({ is_used: isUsed }: Table) => (isUsed ? `(to_jsonb(t) - 'last_used_at')::text` : 't::text')
  const digests = rows.map(table => `
    select '${table.name}' as name,
      coalesce(sum(hashtextextended(${textOf(table)}, 0)), 0) || ' over ' || count(*) as digest
    from "${table.name}" t ${REFUSALS[table.name] ?? ''}`)
  const found = await db.pool.query<{ name: string; digest: string }>(digests.join(' union all '))
  return Object.fromEntries(found.rows.map(({ name, digest }) => [name, digest]))
}

/** Opens every limit again: the suite asks more often than they let through. */
export const forgetLimits = ({ services: { db } }: TestService): Promise<unknown> =>
  db.run(sql`delete from platform_limit`)
