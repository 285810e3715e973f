import pg from 'pg'
import { sql } from '../../kernel/sql.ts'
import type { Sequence, Table } from './format.ts'

const { escapeIdentifier } = pg

/** For a session that copies everything: no time limits of the server or the role, one way to write each value. */
export const prepareSession = () => sql`
  select set_config(wanted.name, wanted.value, false) from pg_settings known join (values
    ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'), ('lock_timeout', '15s'),
    ('timezone', 'UTC'), ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('bytea_output', 'hex'), ('extra_float_digits', '3'),
    ('synchronize_seqscans', 'off')
  ) as wanted (name, value) on lower(known.name) = wanted.name`

export const beginSnapshot = 'begin isolation level repeatable read, read only'
export const lockTables = (tables: readonly Table[]): string =>
  `lock table ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')} in access share mode`

/** Tables of the modules that have migrations, without generated columns: those are computed again. */
export const modulesTables = () => sql<Table>`
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> 'platform_migration'
    and split_part(c.relname, '_', 1) in (select split_part(name, '/', 1) from platform_migration)
  group by c.relname order by c.relname`

/** Of the same tables, with their large values. */
export const tableSizes = () => sql<{ name: string; bytes: number }>`
  select relname as name, pg_table_size(oid)::float8 as bytes from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> 'platform_migration'
    and split_part(relname, '_', 1) in (select split_part(name, '/', 1) from platform_migration)`

export const migrationsOf = () =>
  sql<{ name: string; checksum: string }>`select name, checksum from platform_migration order by name`
export const versionAndTime = () =>
  sql<{ version: string; now: Date }>`select current_setting('server_version') as version, now()`
export const oldestSecret = () =>
  sql<{
    name: string
    sealed: string
  }>`select name, sealed from platform_secret order by created_at, name limit 1`

const columnsOf = ({ columns }: Table): string => columns.map(escapeIdentifier).join(', ')
export const copyOut = (table: Table): string =>
  `copy ${escapeIdentifier(table.name)} (${columnsOf(table)}) to stdout`
export const copyIn = (table: Table): string =>
  `copy ${escapeIdentifier(table.name)} (${columnsOf(table)}) from stdin`

export const modulesSequences = () => sql<{ name: string }>`
  select relname as name from pg_class where relkind = 'S' and relnamespace = current_schema()::regnamespace
    and split_part(relname, '_', 1) in (select split_part(name, '/', 1) from platform_migration) order by relname`
// Sequences belong to no snapshot: read after it was taken, they are never behind its rows.
export const sequenceValue = (name: string): string =>
  `select last_value::text as "lastValue", is_called as "isCalled" from ${escapeIdentifier(name)}`
export const setSequence = ({ name, lastValue, isCalled }: Sequence) => sql`
  select setval(${escapeIdentifier(name)}::regclass, ${lastValue}::bigint, ${isCalled}::boolean)`

export const jobsInstalled = () =>
  sql<{ installed: boolean }>`select to_regclass('jobs.job') is not null as installed`
export const queues = () => sql<{
  name: string
  retryLimit: number
  retryDelay: number
  retryBackoff: boolean
  retryDelayMax: number | null
  expireInSeconds: number
}>`
  select name, retry_limit as "retryLimit", retry_delay as "retryDelay", retry_backoff as "retryBackoff", retry_delay_max as "retryDelayMax", expire_seconds as "expireInSeconds"
  from jobs.queue where name not like '\\_\\_pgboss%' order by name`
export const openPendingJobs = () => sql`
  declare pending no scroll cursor for
  select name, id, data, priority, start_after as "startAfter", retry_limit as "retryLimit" from jobs.job
  where state < 'completed' and name not like '\\_\\_pgboss%' order by created_on, id`
export const fetchPendingJobs = 'fetch 500 from pending'
export const dropJobs = 'drop schema if exists jobs cascade'

/** Foreign keys are dropped while rows are copied, in whatever order, and checked when they are made again. */
export const foreignKeys = () => sql<{ table: string; name: string; definition: string }>`
  select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by conname`
export const dropForeignKey = ({ table, name }: { table: string; name: string }): string =>
  `alter table ${table} drop constraint ${escapeIdentifier(name)}`
export const addForeignKey = ({
  table,
  name,
  definition,
}: {
  table: string
  name: string
  definition: string
}): string => `alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`

/** Those of foreign keys are not among them: they would need a superuser. */
export const disableTriggers = ({ name }: Table): string =>
  `alter table ${escapeIdentifier(name)} disable trigger user`
export const enableTriggers = ({ name }: Table): string =>
  `alter table ${escapeIdentifier(name)} enable trigger user`
export const emptyTables = (tables: readonly Table[]): string =>
  `truncate ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')}`
export const analyze = (tables: readonly Table[]): string =>
  `analyze ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')}`

/** Columns that name a transaction of the server that wrote the row. */
export const transactionColumns = () => sql<{ table: string; column: string }>`
  select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
  where a.atttypid = 'xid8'::regtype and a.atthasdef and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`
export const resetTransactions = ({ table, column }: { table: string; column: string }): string =>
  `update ${escapeIdentifier(table)} set ${escapeIdentifier(column)} = '0'`
