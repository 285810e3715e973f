import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '#test'
import { findMigrations, migrate } from './migrate.ts'

suite('migrations', () => {
  let database: TestDatabase
  before(async () => { database = await createTestDatabase({ empty: true }) })
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
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url)))
    assert.deepEqual(applied.flat(), (await findMigrations()).map(migration => migration.name))
    assert.deepEqual(await migrate(database.url), [])
  })

  test('migrations of a module that the order does not list stop the start', async () => {
    const server = await mkdtemp(join(tmpdir(), 'svc-migrations-'))
    for (const module of ['wallets', 'vouchers']) await mkdir(join(server, 'modules', module, 'migrations'), { recursive: true })
    await writeFile(join(server, 'modules/wallets/migrations/0001-wallets.sql'), 'select 1')
    assert.deepEqual((await findMigrations(server)).map(({ name }) => name), ['wallets/0001-wallets.sql'])
    await writeFile(join(server, 'modules/vouchers/migrations/0001-vouchers.sql'), 'select 1')
    await assert.rejects(findMigrations(server), /module vouchers would not run: add "vouchers" to ORDER/)
    await rm(server, { recursive: true })
  })

  test('an edited migration is refused', async () => {
    await query(`update platform_migration set checksum = 'other' where name = 'platform/0001-floor.sql'`)
    await assert.rejects(migrate(database.url), /was edited/)
  })

  test('a database of a newer version is refused', async () => {
    await query(`insert into platform_migration values ('platform/9999-future.sql', 'x')`)
    await assert.rejects(migrate(database.url), /newer/)
  })
})
