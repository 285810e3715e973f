import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDb, type TestDb } from '#test'
import type { Tx } from './db.ts'
import { Connection } from './database/connection.ts'
import { patiently } from './database/patient.ts'
import { identifier, joined, part, sql, type Statement } from './sql.ts'

suite('the database', () => {
  let t: TestDb
  before(async () => {
    t = await openTestDb()
    await t.db.run(sql`create table thing (id int primary key, amount bigint not null)`)
  })
  after(() => t.close())

  test('statements take values as parameters, parts inline, and int8 as bigint', async () => {
    const conditions = [part`amount >= ${1n}`, part`id <> ${7}`]
    await t.db.run(sql`insert into thing values (${1}, ${9_007_199_254_740_993n})`)
    const rows = await t.db.rows(
      sql<{ amount: bigint }>`select amount from ${identifier('thing')} where ${joined(conditions, ' and ')}`,
    )
    assert.deepEqual(rows, [{ amount: 9_007_199_254_740_993n }])
    assert.throws(() => identifier('thing; drop table thing'))
  })

  test('the same template is prepared once, another text gets another name', () => {
    const byId = (id: number) => sql`select * from thing where id = ${id}`
    assert.equal(byId(1).name, byId(2).name)
    assert.notEqual(byId(1).name, sql`select 1`.name)
  })

  test('prepared statements go on when a migration of another process adds a column', async () => {
    const all = sql<{ id: number; later?: string }>`select * from thing where id = 90`
    const read = () =>
      Promise.all([
        t.db.one(all),
        t.db.transaction(tx => tx.one(all)),
        t.db.transaction(async tx => {
          tx.write(sql`update thing set amount = amount + 1 where id = 90 returning *`)
          return (await tx.rows(all))[0]
        }),
        t.db.snapshot(q => q.one(all)),
      ])
    await t.db.run(sql`insert into thing values (90, 1)`)
    await read()
    await t.db.run(sql`alter table thing add column later text default 'x'`)
    assert.deepEqual(
      (await read()).map(row => row?.later),
      ['x', 'x', 'x', 'x'],
    )
    assert.deepEqual(await t.db.one(sql`select amount::int from thing where id = 90`), { amount: 3 })
    await t.db.run(sql`alter table thing drop column later`)
    await t.db.run(sql`delete from thing where id = 90`)
  })

  test('a statement has 30 s, and an hour where it may read whole tables', async () => {
    const limit = sql<{ limit: string }>`select current_setting('statement_timeout') as limit`
    assert.equal((await t.db.one(limit)).limit, '30s')
    assert.equal(await patiently(t.db, async db => (await db.one(limit)).limit), '1h')
  })

  test('a statement without a name is parsed each time', async () => {
    const unnamed = (text: string) => ({ text, values: [], name: '' })
    const two = await t.db.transaction(async tx => [
      await tx.rows(unnamed('select 1 as one')),
      await tx.rows(unnamed('select 2 as two')),
    ])
    assert.deepEqual(two, [[{ one: 1 }], [{ two: 2 }]])
  })

  test('the statements of a snapshot see one moment and write nothing', async () => {
    const count = sql<{ things: number }>`select count(*)::int as things from thing`
    await t.db.snapshot(async q => {
      const before = await q.one(count)
      await t.db.run(sql`insert into thing values (77, 1)`)
      assert.deepEqual(await q.one(count), before)
    })
    await assert.rejects(
      t.db.snapshot(q => q.run(sql`insert into thing values (78, 1)`)),
      /read-only transaction/,
    )
    await t.db.run(sql`delete from thing where id = 77`)
  })

  test('a failed transaction leaves nothing and runs no after-commit callback', async () => {
    let ran = false
    await assert.rejects(
      t.db.transaction(async tx => {
        tx.afterCommit(() => {
          ran = true
        })
        await tx.run(sql`insert into thing values (2, 2)`)
        throw new Error('no')
      }),
      /no/,
    )
    assert.equal(await t.db.maybe(sql`select from thing where id = 2`), undefined)
    assert.equal(ran, false)
  })

  test('an error that was swallowed inside does not look like a success', async () => {
    await assert.rejects(
      t.db.transaction(async tx => {
        await tx.run(sql`insert into thing values (3, 3)`)
        await tx.run(sql`select 1 / 0`).catch(() => undefined)
      }),
      /swallowed/,
    )
    assert.equal(await t.db.maybe(sql`select from thing where id = 3`), undefined)
  })

  test('statements that are given together take one round trip with begin, and one with commit', async () => {
    const seen: { connection: Connection; text: string }[] = []
    const { execute } = Connection.prototype
    Connection.prototype.execute = function record(this: Connection, statement): ReturnType<typeof execute> {
      seen.push({ connection: this, text: statement.text })
      const sent = Reflect.apply(execute, this, [statement])
      void sent.then(() => seen.push({ connection: this, text: 'response' }))
      return sent
    }
    try {
      await t.db.transaction(async tx => {
        await Promise.all([tx.rows(sql`select 1`), tx.rows(sql`select 2`)])
        tx.write(sql`insert into thing values (30, 0)`)
        tx.write(sql`insert into thing values (31, 0)`)
      })
    } finally {
      Connection.prototype.execute = execute
    }
    // A service that other test files share has statements of its own on other connections.
    const own = seen.find(({ text }) => text === 'select 1')?.connection
    const order = seen.filter(({ connection }) => connection === own).map(({ text }) => text)
    assert.deepEqual(order, [
      'begin',
      'select 1',
      'select 2',
      'response',
      'response',
      'response',
      'insert into thing values (30, 0)',
      'insert into thing values (31, 0)',
      'commit',
      'response',
      'response',
      'response',
    ])
    assert.equal((await t.db.rows(sql`select from thing where id in (30, 31)`)).length, 2)
  })

  test('a write that fails beside the commit rolls everything back and gives its own error', async () => {
    await t.db.run(sql`insert into thing values (32, 0)`)
    let ran = false
    await assert.rejects(
      t.db.transaction(async tx => {
        tx.afterCommit(() => {
          ran = true
        })
        tx.write(sql`insert into thing values (33, 0)`)
        tx.write(sql`insert into thing values (32, 0)`)
        tx.write(sql`insert into thing values (34, 0)`)
      }),
      { code: '23505', constraint: 'thing_pkey' },
    )
    assert.deepEqual(await t.db.rows(sql`select id from thing where id in (33, 34)`), [])
    assert.equal(ran, false)
  })

  test('a statement after a failed write is refused with the error of the write', async () => {
    await assert.rejects(
      t.db.transaction(async tx => {
        tx.write(sql`insert into thing values (32, 0)`)
        await tx.rows(sql`select 1`)
        assert.fail('the transaction went on')
      }),
      { code: '23505' },
    )
    await assert.rejects(
      t.db.transaction(tx => Promise.all([tx.run(sql`select 1 / 0`), tx.rows(sql`select 1`)])),
      { code: '22012' },
    )
  })

  test('a branch that still runs after another has failed sends nothing more', async () => {
    let late: Promise<unknown> | undefined
    await assert.rejects(
      t.db.transaction(tx => {
        late = sleep(50).then(() => tx.run(sql`insert into thing values (35, 0)`))
        late.catch(() => undefined)
        return Promise.all([late, tx.rows(sql`select 1 / 0`)])
      }),
      { code: '22012' },
    )
    await assert.rejects(async () => late, /after its end/)
    assert.deepEqual(await t.db.rows(sql`select id from thing where id = 35`), [])
  })

  test('a command that refuses after a write leaves nothing', async () => {
    await assert.rejects(
      t.db.transaction(async tx => {
        tx.write(sql`insert into thing values (36, 0)`)
        throw new Error('refused')
      }),
      /refused/,
    )
    assert.deepEqual(await t.db.rows(sql`select id from thing where id = 36`), [])
  })

  test('a begin that fails is the error of the transaction', async () => {
    const client = await t.db.pool.acquire()
    client.release()
    const { execute } = client
    Object.assign(client, {
      execute: (statement: Statement<unknown>): unknown =>
        Reflect.apply(execute, client, [
          statement.text === 'begin' ? sql`begin isolation level none` : statement,
        ]),
    })
    try {
      await assert.rejects(
        t.db.transaction(async tx => {
          await tx.rows(sql`select 1`)
          await tx.run(sql`insert into thing values (37, 0)`)
        }),
        { code: '42601' },
      )
    } finally {
      Object.assign(client, { execute })
    }
    assert.deepEqual(await t.db.rows(sql`select id from thing where id = 37`), [])
  })

  test('a transaction used after its end throws', async () => {
    let leaked: Tx | undefined
    await t.db.transaction(async tx => {
      leaked = tx
    })
    await assert.rejects(async () => leaked?.rows(sql`select 1`), /after its end/)
  })

  test('a deadlock of statements that are sent with the commit runs one of the two again', async () => {
    await t.db.run(sql`insert into thing values (12, 0), (13, 0)`)
    const both = (first: number, second: number) =>
      t.db.transaction(async tx => {
        tx.write(sql`update thing set amount = amount + 1 where id = ${first}`)
        tx.write(sql`select pg_sleep(0.05)`)
        tx.write(sql`update thing set amount = amount + 1 where id = ${second}`)
      })
    await Promise.all([both(12, 13), both(13, 12)])
    assert.deepEqual(await t.db.rows(sql`select amount from thing where id in (12, 13)`), [
      { amount: 2n },
      { amount: 2n },
    ])
  })

  test('a deadlock runs one of the two again, and both succeed', async () => {
    await t.db.run(sql`insert into thing values (10, 0), (11, 0)`)
    const both = (first: number, second: number) =>
      t.db.transaction(async tx => {
        await tx.run(sql`update thing set amount = amount + 1 where id = ${first}`)
        await tx.run(sql`select pg_sleep(0.05)`)
        await tx.run(sql`update thing set amount = amount + 1 where id = ${second}`)
      })
    await Promise.all([both(10, 11), both(11, 10)])
    assert.deepEqual(await t.db.rows(sql`select amount from thing where id in (10, 11)`), [
      { amount: 2n },
      { amount: 2n },
    ])
  })
})
