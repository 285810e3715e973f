import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { asError } from '../unknown.ts'

const SERVER = join(import.meta.dirname, '../../..')
const LOCK = 727_001
const MIGRATION_TABLE =
  'create table if not exists platform_migration (name text primary key, checksum text not null, applied_at timestamptz not null default now())'

export interface Migration {
  name: string
  text: string
  checksum: string
}

/**
 * Every migration, in the order in which they run: those of the platform, then those of `modules` in their order, so that
 * the tables of a module may refer to those of the modules before it.
 */
export async function findMigrations(modules: readonly string[], server = SERVER): Promise<Migration[]> {
  const found: Migration[] = []
  for (const owner of ['platform', ...modules]) {
    const folder =
      owner === 'platform'
        ? join(server, 'platform/migrations')
        : join(server, 'modules', owner, 'migrations')
    const files = await sqlFiles(folder)
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8')
      found.push({
        name: `${owner}/${file}`,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
      })
    }
  }
  return found
}

const sqlFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter(file => file.endsWith('.sql')).sort()

/**
 * Brings the database at `url` to this version: each migration once, in its own transaction, under an
 * advisory lock, so that several instances may start at once. Throws when an applied one was edited
 * or when the database is newer than the program.
 */
export async function migrate(url: string, modules: readonly string[]): Promise<string[]> {
  const migrations = await findMigrations(modules)
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'svc-migrate',
  })
  await client.connect()
  try {
    await lockMigrations(client)
    await client.query(MIGRATION_TABLE)
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from platform_migration',
    )
    const applied = new Map(rows.map(row => [row.name, row.checksum]))
    refuseDrift(migrations, applied)
    const pending = migrations.filter(migration => !applied.has(migration.name))
    for (const migration of pending) await apply(client, migration)
    return pending.map(migration => migration.name)
  } finally {
    await client.end()
  }
}

export type MigrationName = Pick<Migration, 'name' | 'checksum'>

/** This version's migrations with these names, in the order in which they run. Throws when one is unknown or was edited. */
export async function selectMigrations(
  names: readonly MigrationName[],
  modules: readonly string[],
): Promise<Migration[]> {
  const migrations = await findMigrations(modules)
  const wanted = new Map(names.map(({ name, checksum }) => [name, checksum]))
  refuseDrift(migrations, wanted)
  return migrations.filter(({ name }) => wanted.has(name))
}

/** Makes `migrate` wait, until the connection ends. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [LOCK])
}

/** Runs migrations in the open transaction, on an empty database. */
export async function migrateEmpty(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(MIGRATION_TABLE)
  for (const migration of migrations) await run(client, migration)
}

function refuseDrift(migrations: Migration[], applied: Map<string, string>): void {
  const known = new Set(migrations.map(migration => migration.name))
  for (const name of applied.keys()) {
    if (!known.has(name))
      throw new Error(
        `The database has migration ${name}, which this version does not know: it is newer. Start that version, or restore a backup.`,
      )
  }
  for (const migration of migrations) {
    const checksum = applied.get(migration.name)
    if (checksum && checksum !== migration.checksum)
      throw new Error(
        `Migration ${migration.name} was edited after it was applied. Restore the file and add a new migration.`,
      )
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await run(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${migration.name} failed: ${asError(error).message}`, { cause: error })
  }
}

async function run(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(migration.text)
  await client.query('insert into platform_migration (name, checksum) values ($1, $2)', [
    migration.name,
    migration.checksum,
  ])
}
