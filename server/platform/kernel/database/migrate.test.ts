import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '#test'
import { MODULES } from '../../../modules/registry.ts'
import { findMigrations, migrate, readSchemaState } from './migrate.ts'

suite('migrations', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase({ empty: true })
  })
  after(() => database.drop())

  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      return await client.query(text)
    } finally {
      await client.end()
    }
  }

  test('four instances that start at once apply each of them once', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, MODULES)))
    assert.deepEqual(
      applied.flat(),
      (await findMigrations(MODULES)).map(migration => migration.name),
    )
    assert.deepEqual(await migrate(database.url, MODULES), [])
  })

  test('a database with tables of another program is refused and left as it is', async () => {
    const other = await createTestDatabase({ empty: true })
    const client = new pg.Client({ connectionString: other.url })
    await client.connect()
    const schemas = async () =>
      (
        await client.query<{ name: string }>(
          `select distinct relnamespace::regnamespace::text as name from pg_class
          where relkind = 'r' and relnamespace::regnamespace::text !~ '^pg_|^information' order by name`,
        )
      ).rows.map(({ name }) => name)
    try {
      await client.query('create table customers (id int)')
      const refusal =
        /not empty: it has 1 table \(customers\)\. No version .* Set DATABASE_URL to an empty database/
      await assert.rejects(migrate(other.url, MODULES), refusal)
      await assert.rejects(readSchemaState(other.url, MODULES), refusal)
      const { rows } = await client.query("select relname from pg_class where relname = 'platform_migration'")
      assert.deepEqual(rows, [])
      // A program with a schema of its own in the same database is none of ours.
      const own = new URL(other.url)
      own.searchParams.set('options', '-c search_path=svc,public')
      await assert.rejects(readSchemaState(own.href, MODULES), refusal)
      await client.query('create schema svc')
      assert.equal((await migrate(own.href, MODULES)).length, (await findMigrations(MODULES)).length)
      assert.deepEqual(await migrate(own.href, MODULES), [])
      assert.deepEqual(await schemas(), ['public', 'svc'])
    } finally {
      await client.end()
      await other.drop()
    }
  })

  test('a database with jobs and without the tables of their service is refused', async () => {
    const other = await createTestDatabase({ empty: true })
    const client = new pg.Client({ connectionString: other.url })
    await client.connect()
    try {
      await client.query('create schema jobs create table job (id int)')
      assert.equal((await readSchemaState(other.url, MODULES)).applied, 0)
      await client.query('insert into jobs.job values (1)')
      await assert.rejects(migrate(other.url, MODULES), /not empty: schema jobs has 1 job\. No version/)
    } finally {
      await client.end()
      await other.drop()
    }
  })

  test('migrations run in the order of the registry, the platform first', async () => {
    const server = await mkdtemp(join(tmpdir(), 'svc-migrations-'))
    for (const owner of ['platform', 'modules/wallets', 'modules/vouchers']) {
      await mkdir(join(server, owner, 'migrations'), { recursive: true })
      await writeFile(join(server, owner, 'migrations/0001-first.sql'), 'select 1')
    }
    const names = async (modules: string[]) => (await findMigrations(modules, server)).map(({ name }) => name)
    const [platform, wallets, vouchers] = ['platform', 'wallets', 'vouchers'].map(
      owner => `${owner}/0001-first.sql`,
    )
    assert.deepEqual(await names(['wallets', 'vouchers']), [platform, wallets, vouchers])
    assert.deepEqual(await names(['vouchers', 'wallets']), [platform, vouchers, wallets])
    await rm(server, { recursive: true })
  })

  test('a migration does not queue for a lock: others go on, and it is tried again', async () => {
    const server = await mkdtemp(join(tmpdir(), 'svc-migrations-'))
    await mkdir(join(server, 'platform/migrations'), { recursive: true })
    const write = (name: string, text: string) => writeFile(join(server, 'platform/migrations', name), text)
    const other = await createTestDatabase({ empty: true })
    const client = new pg.Client({ connectionString: other.url })
    const reader = new pg.Client({ connectionString: other.url, lock_timeout: 5000 })
    await Promise.all([client.connect(), reader.connect()])
    try {
      // A database that the service has used.
      await migrate(other.url, [], () => undefined, server)
      await client.query('create table busy (id int primary key)')
      await write('0001-column.sql', 'alter table busy add column more text')
      await write(
        '0002-index.sql',
        '-- outside a transaction\ndrop index concurrently if exists busy_more;\ncreate index concurrently busy_more on busy (more);\n',
      )
      await client.query('begin')
      await client.query('select from busy')
      const migrated = migrate(other.url, [], () => undefined, server)
      for (let waiting = 0; waiting === 0;)
        waiting = (await reader.query('select from pg_locks where not granted')).rowCount ?? 0
      // Behind the waiting migration, until it gives up.
      await reader.query('select from busy')
      await client.query('commit')
      assert.deepEqual(await migrated, ['platform/0001-column.sql', 'platform/0002-index.sql'])
      const { rows } = await reader.query(
        "select indisvalid from pg_index where indexrelid = 'busy_more'::regclass",
      )
      assert.deepEqual(rows, [{ indisvalid: true }])
    } finally {
      await Promise.all([client.end(), reader.end()])
      await other.drop()
      await rm(server, { recursive: true })
    }
  })

  test('an earlier version that waits for its turn in the database goes first, and the index is made after it', async () => {
    const server = await mkdtemp(join(tmpdir(), 'svc-migrations-'))
    const other = await createTestDatabase({ empty: true })
    await migrate(other.url, [], () => undefined, server)
    await mkdir(join(server, 'platform/migrations'), { recursive: true })
    await writeFile(
      join(server, 'platform/migrations/0001-index.sql'),
      '-- outside a transaction\ndrop index concurrently if exists busy_id;\ncreate index concurrently busy_id on busy (id);\n',
    )
    const [writer, earlier, reader] = [1, 2, 3].map(() => new pg.Client({ connectionString: other.url }))
    assert.ok(writer && earlier && reader)
    await Promise.all([writer, earlier, reader].map(client => client.connect()))
    const untilWaiting = async (count: number) => {
      const waiting = () =>
        reader.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      while (((await waiting()).rowCount ?? 0) < count) await sleep(20)
    }
    try {
      await writer.query('create table busy (id int)')
      await writer.query('begin')
      await writer.query('insert into busy values (1)')
      const migrated = migrate(other.url, [], () => undefined, server)
      await untilWaiting(1)
      const turn = earlier.query(
        `select pg_advisory_lock((select (classid::bigint << 32) | objid::bigint from pg_locks join pg_stat_activity using (pid)
          where locktype = 'advisory' and granted and datname = current_database()))`,
      )
      await untilWaiting(2)
      // After its own search for a deadlock, so that the statement which makes the index finds it.
      await sleep(1500)
      await writer.query('commit')
      await turn
      await earlier.end()
      assert.deepEqual(await migrated, ['platform/0001-index.sql'])
      const { rows } = await reader.query(
        "select indisvalid from pg_index where indexrelid = 'busy_id'::regclass",
      )
      assert.deepEqual(rows, [{ indisvalid: true }])
    } finally {
      await Promise.all([writer.end(), reader.end()])
      await other.drop()
      await rm(server, { recursive: true })
    }
  })

  test('an edited migration is refused', async () => {
    await query(`update platform_migration set checksum = 'other' where name = 'platform/0001-floor.sql'`)
    await assert.rejects(migrate(database.url, MODULES), /was edited/)
  })

  test('a database of a newer version is refused', async () => {
    await query(`insert into platform_migration values ('platform/9999-future.sql', 'x')`)
    await assert.rejects(migrate(database.url, MODULES), /newer/)
  })
})
