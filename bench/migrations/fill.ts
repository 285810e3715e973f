import pg from 'pg'

interface Column {
  name: string
  type: string
  isUnique: boolean
}

/**
 * Inserts `rows` copies of the seeds into a table of an older schema: what it does not know of a seed is left out, and what
 * must be unique is made anew. Foreign keys and triggers are off (session_replication_role), so the client is a superuser's.
 */
export async function fillTable(
  client: pg.Client,
  table: string,
  { seeds, rows }: { seeds: readonly object[]; rows: number },
): Promise<void> {
  const columns = await columnsOf(client, table)
  const names = columns.map(({ name }) => pg.escapeIdentifier(name)).join(', ')
  const values = columns.map(column =>
    column.isUnique ? freshValue(column) : `r.${pg.escapeIdentifier(column.name)}`,
  )
  const id = pg.escapeIdentifier(table)
  await client.query(
    `insert into ${id} (${names}) overriding system value select ${values.join(', ')}
    from generate_series(1, $2::int) n
    join jsonb_array_elements($1::jsonb) with ordinality as s(seed, place) on s.place = 1 + n % jsonb_array_length($1::jsonb)
    cross join lateral jsonb_populate_record(null::${id}, s.seed) r`,
    [JSON.stringify(seeds), rows],
  )
  await client.query(`analyze ${id}`)
}

/** All columns that are not generated, and whether a unique index contains them. */
async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, null) as type,
      exists (select from pg_index where indrelid = attrelid and indisunique and attnum = any(indkey)) as "isUnique"
    from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`,
    [table],
  )
  return rows
}

function freshValue({ name, type }: Column): string {
  if (type === 'uuid') return 'gen_random_uuid()'
  if (type === 'text') return `'x' || left(md5(n::text || random()::text), 20)`
  if (type === 'bigint') return '1000000 + n'
  // Other columns of a unique index, such as a number within a parent, differ by the parent.
  return `r.${pg.escapeIdentifier(name)}`
}
