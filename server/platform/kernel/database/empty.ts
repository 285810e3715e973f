import type pg from 'pg'

/** Tables and views of the schema that the connection uses; not those of an extension. */
const TABLES = `
  select relname as name from pg_class c where relkind in ('r', 'p', 'v', 'm', 'f') and relnamespace = current_schema()::regnamespace
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e') order by relname`

const SHOWN = 3

/**
 * Throws if the schema of the connection has tables, or the schema of the jobs has jobs. Other schemas may belong to other
 * programs. `remedy` says what to do, after the reason.
 */
export async function requireEmpty(client: pg.ClientBase, remedy: string): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(TABLES)
  if (tables.length) {
    const names = tables.slice(0, SHOWN).map(({ name }) => name)
    const list = [...names, ...(tables.length > SHOWN ? ['...'] : [])].join(', ')
    throw new Error(
      `The database is not empty: it has ${counted(tables.length, 'table')} (${list}). ${remedy}`,
    )
  }
  const { rows: found } = await client.query<{ isMade: boolean }>(
    `select to_regclass('jobs.job') is not null as "isMade"`,
  )
  if (!found[0]?.isMade) return
  const { rows: jobs } = await client.query<{ count: number }>('select count(*)::int as count from jobs.job')
  if (jobs[0]?.count)
    throw new Error(`The database is not empty: schema jobs has ${counted(jobs[0].count, 'job')}. ${remedy}`)
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
