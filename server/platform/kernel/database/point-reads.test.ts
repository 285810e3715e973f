import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { pointRead, sql } from '../sql.ts'

suite('point reads', () => {
  let t: TestDb
  before(async () => {
    t = await openTestDb()
    await t.db.run(sql`create table number (id int primary key)`)
    await t.db.run(sql`insert into number select generate_series(1, 100)`)
  })
  after(() => t.close())

  const byId = (id: number | string) =>
    pointRead(sql<{ id: number; backend: number }>`
      select id, pg_backend_pid() as backend from number where id = ${id}::text::int`)

  const read = (ids: readonly (number | string)[]) => Promise.allSettled(ids.map(id => t.db.maybe(byId(id))))

  test('reads of one turn share a connection, and each gets its own row', async () => {
    const rows = await Promise.all([1, 2, 3, 1000, 4].map(id => t.db.maybe(byId(id))))
    assert.deepEqual(
      rows.map(row => row?.id),
      [1, 2, 3, undefined, 4],
    )
    assert.equal(new Set(rows.flatMap(row => row?.backend ?? [])).size, 1)
  })

  test('many reads are split over several connections', async () => {
    const rows = await Promise.all(Array.from({ length: 40 }, (_, index) => t.db.one(byId(index + 1))))
    assert.deepEqual(
      rows.map(row => row.id),
      Array.from({ length: 40 }, (_, index) => index + 1),
    )
    assert.equal(new Set(rows.map(row => row.backend)).size, 3)
  })

  test('a read that fails fails alone, first, in between and last', async () => {
    for (const ids of [
      ['x', 1, 2],
      [1, 'x', 2],
      [1, 2, 'x'],
    ]) {
      const results = await read(ids)
      assert.deepEqual(
        results.map(result => (result.status === 'fulfilled' ? result.value?.id : result.status)),
        ids.map(id => (id === 'x' ? 'rejected' : id)),
      )
    }
  })

  test('equal reads of one turn are sent once, and each gets rows of its own; later ones are sent again', async () => {
    const slugs = ['a', 'b', 'a', 'a']
    const bySlug = (slug: string) =>
      pointRead(sql<{ slug: string; draw: number }>`select ${slug}::text as slug, random() as draw`)
    const rows = await Promise.all(slugs.map(slug => t.db.one(bySlug(slug))))
    assert.deepEqual(
      rows.map(row => row.slug),
      slugs,
    )
    const [first, other, second, third] = rows
    assert.deepEqual([second, third], [first, first])
    assert.notEqual(second, first)
    assert.notDeepEqual(other?.draw, first?.draw)
    assert.notDeepEqual((await t.db.one(bySlug('a'))).draw, first?.draw)
  })

  test('equal reads fail together', async () => {
    assert.deepEqual(
      (await read(['x', 'x', '1'])).map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled'],
    )
  })

  test('a transaction reads on its own connection', async () => {
    const [inside, outside] = await t.db.transaction(async tx => {
      await tx.run(sql`insert into number values (1001)`)
      return Promise.all([tx.maybe(byId(1001)), t.db.maybe(byId(1001))])
    })
    assert.equal(inside?.id, 1001)
    assert.equal(outside, undefined)
  })
})
