import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { getConstructionPlans } from 'pg-boss'
import { findMigrations, migrate } from '../../../server/platform/kernel/database/migrate.ts'
import { MODULES } from '../../../server/modules/registry.ts'
import { assertNoSecretIn, dumpOf, secretsSeen } from './canary.ts'

const LOCK = 727_902
const ROOT = join(import.meta.dirname, '../../..')

/** Owns the databases of tests, and has no other right: as the service's role does. */
const ROLE = 'svc_test'

export interface TestDatabase {
  url: string
  /** The same database for the superuser of the server. */
  superuserUrl: string
  drop(): Promise<void>
}

/**
 * A PostgreSQL to test on: `SVC_TEST_DATABASE_URL` (the runner starts one for all files), else an
 * embedded one in the project's data folder.
 */
async function testServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env.SVC_TEST_DATABASE_URL
  if (url) return { url, stop: async () => undefined }
  const { startEmbeddedPostgres } = await import('../../../server/platform/adapters/postgres/embedded.ts')
  const { adminUrl, stop } = await startEmbeddedPostgres({ dataDir: join(ROOT, '.data/test') })
  return { url: adminUrl, stop }
}

async function admin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const parsed = new URL(url)
  parsed.pathname = `/${name}`
  return parsed.href
}

function asTestRole(url: string): string {
  const parsed = new URL(url)
  parsed.username = ROLE
  parsed.password = ROLE
  return parsed.href
}

async function ensureRole(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [ROLE])
  if (!rowCount) await client.query(`create role ${ROLE} login password '${ROLE}'`)
}

/** By the URL of the server: this process looks for it once. */
const templates = new Map<string, Promise<string>>()

function template(url: string): Promise<string> {
  const made = templates.get(url) ?? makeTemplate(url)
  templates.set(url, made)
  return made
}

/** A migrated template with the tables of the job queue, which a first start makes, made once for these migrations. */
async function makeTemplate(url: string): Promise<string> {
  const migrations = await findMigrations(MODULES)
  const name = `svc_template_${createHash('sha256')
    .update(ROLE)
    .update(migrations.map(migration => migration.checksum).join())
    .digest('hex')
    .slice(0, 16)}`
  await admin(url, async client => {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await ensureRole(client)
    const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [
      name,
    ])
    if (rowCount) return
    await client.query(`drop database if exists ${name}`)
    await client.query(`create database ${name} owner ${ROLE}`)
    const migrated = asTestRole(withDatabase(url, name))
    await migrate(migrated, MODULES)
    await admin(migrated, owner => owner.query(getConstructionPlans('jobs')))
    await client.query(`alter database ${name} is_template true`)
  })
  return name
}

/** A database of one's own, cloned from the migrated template (about 0.06 s). `empty` skips the migrations. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const server = await testServer()
  const migrated = await template(server.url)
  const from = options.empty ? 'template0' : migrated
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  await admin(server.url, async client => {
    // Copies files instead of writing each page to the WAL too.
    await client.query(`create database ${name} template ${from} owner ${ROLE} strategy file_copy`)
    // Tests prove behavior, not disks: crash tests bring a database of their own.
    await client.query(`alter database ${name} set synchronous_commit = off`)
  })
  return {
    url: asTestRole(withDatabase(server.url, name)),
    superuserUrl: withDatabase(server.url, name),
    drop: async () => {
      const dump = secretsSeen() ? await dumpOf(withDatabase(server.url, name)) : []
      await admin(server.url, client => client.query(`drop database if exists ${name} with (force)`))
      await server.stop()
      assertNoSecretIn(dump)
    },
  }
}
