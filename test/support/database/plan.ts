import type { Statement } from '#platform/kernel/sql'
import type { TestService } from '../service/service.ts'

/** How the database runs a statement where the named ways, such as `enable_seqscan`, are the last resort. */
export async function planOf(
  { services }: TestService,
  { text, values }: Statement<unknown>,
  lastResorts: readonly string[] = ['enable_seqscan'],
): Promise<string> {
  const client = await services.db.pool.connect()
  try {
    for (const way of lastResorts) await client.query(`set ${way} = off`)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values])
    return rows.map(row => row['QUERY PLAN']).join('\n')
  } finally {
    client.release(true)
  }
}
