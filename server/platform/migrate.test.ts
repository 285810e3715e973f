import assert from 'node:assert/strict'
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

  test('an edited migration is refused', async () => {
    await query(`update platform_migration set checksum = 'other' where name = 'platform/0001-floor.sql'`)
    await assert.rejects(migrate(database.url), /was edited/)
  })

  test('a database of a newer version is refused', async () => {
    await query(`insert into platform_migration values ('platform/9999-future.sql', 'x')`)
    await assert.rejects(migrate(database.url), /newer/)
  })
})
