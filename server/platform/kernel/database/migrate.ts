import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { asError, textOf } from '../unknown.ts'
import { requireEmpty } from './empty.ts'
import { primaryOf } from './servers.ts'

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
 * or when the database is newer than the program. Older instances may serve meanwhile: a migration that does not get a
 * lock within a second is rolled back and tried again, so that their statements do not queue behind it.
 */
export async function migrate(
  url: string,
  modules: readonly string[],
  onStep: OnMigration = () => undefined,
  server = SERVER,
): Promise<string[]> {
  const migrations = await findMigrations(modules, server)
  return withClient(url, async client => {
    const done: string[] = []
    while (!(await takeTurn(client, migrations, { onStep, done }))) await sleep(LOCK_MS)
    return done
  })
}

/** Applies what is pending. False if another instance has to go first: its statement waits for the lock that this one holds. */
async function takeTurn(
  client: pg.Client,
  migrations: Migration[],
  { onStep, done }: { onStep: OnMigration; done: string[] },
): Promise<boolean> {
  await lockMigrations(client)
  const applied = await appliedTo(client)
  await client.query(MIGRATION_TABLE)
  const pending = pendingOf(migrations, applied)
  for (const [index, migration] of pending.entries()) {
    onStep({ name: migration.name, share: index / pending.length })
    if (!(await apply(client, migration))) {
      await client.query('select pg_advisory_unlock($1)', [LOCK])
      return false
    }
    done.push(migration.name)
  }
  return true
}

/** Called before each migration; `share` of them is done. */
export type OnMigration = (step: { name: string; share: number }) => void

export interface SchemaState {
  /** Number of applied migrations; none in a database that no service has used. */
  applied: number
  /** When the newest of them was applied. */
  appliedAt: Date | null
  /** In the order in which they would run. */
  pending: string[]
}

/** What `migrate` would do. Changes nothing, and throws as it does. */
export async function readSchemaState(url: string, modules: readonly string[]): Promise<SchemaState> {
  const migrations = await findMigrations(modules)
  return withClient(url, async client => {
    const applied = await appliedTo(client)
    return {
      applied: applied.length,
      appliedAt: applied.map(each => each.appliedAt).toSorted((a, b) => Number(b) - Number(a))[0] ?? null,
      pending: pendingOf(migrations, applied).map(({ name }) => name),
    }
  })
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: await primaryOf(url),
    connectionTimeoutMillis: 10_000,
    application_name: 'svc-migrate',
  })
  // A connection that breaks fails its statement, and reports again as an event.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

interface Applied extends MigrationName {
  appliedAt: Date
}

const OTHER_PROGRAM =
  'No version of this service has used it, so nothing was changed. Set DATABASE_URL to an empty database, or to a schema of its own in this one (docs/OPERATIONS.md, "The database").'

/** None in an empty database. Throws if it has tables of another program, and none of ours. */
async function appliedTo(client: pg.Client): Promise<Applied[]> {
  // In the schema where tables are made: a later one of the search path may have the table of another installation.
  const { rowCount: isMade } = await client.query(
    `select from pg_class where relname = 'platform_migration' and relnamespace = current_schema()::regnamespace`,
  )
  if (!isMade) {
    await requireEmpty(client, OTHER_PROGRAM)
    return []
  }
  const { rows } = await client.query<Applied>(
    'select name, checksum, applied_at as "appliedAt" from platform_migration order by name',
  )
  return rows
}

function pendingOf(migrations: Migration[], applied: readonly MigrationName[]): Migration[] {
  const names = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  refuseDrift(migrations, names)
  return migrations.filter(({ name }) => !names.has(name))
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

/**
 * Makes `migrate` wait, until the connection ends. Asks again and again: a statement that waits in the database has a
 * snapshot, and the process that holds the lock may be waiting for all snapshots to end, to make an index concurrently.
 */
export async function lockMigrations(client: pg.Client): Promise<void> {
  const isLocked = async () =>
    (await client.query<{ is: boolean }>('select pg_try_advisory_lock($1) as is', [LOCK])).rows[0]?.is
  while (!(await isLocked())) await sleep(LOCK_POLL_MS)
}

/** Runs migrations in the open transaction, on an empty database. */
export async function migrateEmpty(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(MIGRATION_TABLE)
  for (const migration of migrations) {
    // Of empty tables an index is made at once, and a transaction allows no other way.
    await client.query(migration.text.replaceAll(CONCURRENTLY, ' '))
    await record(client, migration)
  }
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

const LOCK_POLL_MS = 100
/** How long a migration waits for a lock, and with it every later statement on the same table. */
const LOCK_MS = 1000
const LOCK_ATTEMPTS = 120
const DEADLOCK = '40P01'
const LOCK_REFUSED = new Set(['55P03', DEADLOCK])

/** False if it deadlocked with an instance that waits for its turn. */
async function apply(client: pg.Client, migration: Migration): Promise<boolean> {
  try {
    if (migration.text.startsWith(OUTSIDE)) return await runOutside(client, migration)
    for (let attempt = 1; !(await tryOnce(client, migration, attempt === LOCK_ATTEMPTS)); attempt++)
      await sleep(LOCK_MS * Math.random())
    return true
  } catch (error) {
    const hint = LOCK_REFUSED.has(textOf(error, 'code'))
      ? '. Another transaction uses its table all the time: end it (pg_stat_activity), or stop the service, and start again'
      : ''
    throw new Error(`Migration ${migration.name} failed: ${asError(error).message}${hint}`, { cause: error })
  }
}

/** False if the locks were not free in time. */
async function tryOnce(client: pg.Client, migration: Migration, isLast: boolean): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${LOCK_MS}`)
    await client.query(migration.text)
    await record(client, migration)
    await client.query('commit')
    return true
  } catch (error) {
    await client.query('rollback')
    if (isLast || !LOCK_REFUSED.has(textOf(error, 'code'))) throw error
    return false
  }
}

/** The first line of a migration whose statements make or drop indexes without a lock, which no transaction allows. */
const OUTSIDE = '-- outside a transaction'
const CONCURRENTLY = /\bconcurrently\b/gi

/**
 * Statement by statement; what was cut off runs again from the first, so that each must be repeatable (`if exists`). False
 * after a deadlock: instances of earlier versions wait for their turn in a statement, whose snapshot an index that is made
 * concurrently waits for.
 */
async function runOutside(client: pg.Client, migration: Migration): Promise<boolean> {
  try {
    for (const statement of migration.text.split(/;[ \t]*$/m))
      if (statement.replaceAll(/^--.*$/gm, '').trim()) await client.query(statement)
  } catch (error) {
    if (textOf(error, 'code') === DEADLOCK) return false
    throw error
  }
  await record(client, migration)
  return true
}

async function record(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into platform_migration (name, checksum) values ($1, $2)', [name, checksum])
}
