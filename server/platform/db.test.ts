import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, openLine, openTestDb, type TestDb } from '#test'
import { createPool, DatabaseAway, Db, type Tx } from './db.ts'
import { identifier, joined, part, sql } from './sql.ts'

async function untilAnswers(db: Db): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(50)) {
    if (await db.rows(sql`select 1`).then(() => true, () => false)) return
  }
  assert.fail('the database is not used again')
}

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
    const rows = await t.db.rows(sql<{ amount: bigint }>`select amount from ${identifier('thing')} where ${joined(conditions, ' and ')}`)
    assert.deepEqual(rows, [{ amount: 9_007_199_254_740_993n }])
    assert.throws(() => identifier('thing; drop table thing'))
  })

  test('the same template is prepared once, another text gets another name', () => {
    const byId = (id: number) => sql`select * from thing where id = ${id}`
    assert.equal(byId(1).name, byId(2).name)
    assert.notEqual(byId(1).name, sql`select 1`.name)
  })

  test('the statements of a snapshot see one moment and write nothing', async () => {
    const count = sql<{ things: number }>`select count(*)::int as things from thing`
    await t.db.snapshot(async q => {
      const before = await q.one(count)
      await t.db.run(sql`insert into thing values (77, 1)`)
      assert.deepEqual(await q.one(count), before)
    })
    await assert.rejects(t.db.snapshot(q => q.run(sql`insert into thing values (78, 1)`)), /read-only transaction/)
    await t.db.run(sql`delete from thing where id = 77`)
  })

  test('a failed transaction leaves nothing and runs no after-commit act', async () => {
    let ran = false
    await assert.rejects(t.db.transaction(async tx => {
      tx.afterCommit(() => { ran = true })
      await tx.run(sql`insert into thing values (2, 2)`)
      throw new Error('no')
    }), /no/)
    assert.equal(await t.db.maybe(sql`select from thing where id = 2`), undefined)
    assert.equal(ran, false)
  })

  test('an error that was swallowed inside does not look like a success', async () => {
    await assert.rejects(t.db.transaction(async tx => {
      await tx.run(sql`insert into thing values (3, 3)`)
      await tx.run(sql`select 1 / 0`).catch(() => undefined)
    }), /swallowed/)
    assert.equal(await t.db.maybe(sql`select from thing where id = 3`), undefined)
  })

  test('a connection that is ended between two statements fails its transaction, and nothing else', async () => {
    await assert.rejects(t.db.transaction(async tx => {
      const { pid } = await tx.one(sql<{ pid: number }>`select pg_backend_pid() as pid`)
      await t.db.run(sql`select pg_terminate_backend(${pid})`)
      // Without a listener the loss would be an uncaught exception of this process.
      await new Promise(resolve => setTimeout(resolve, 50))
      await tx.run(sql`insert into thing values (4, 4)`)
    }), DatabaseAway)
    assert.equal(await t.db.maybe(sql`select from thing where id = 4`), undefined)
  })

  test('an error of this program inside a query is not reported as a lost connection', async () => {
    const value = { toPostgres: () => { throw new RangeError('value out of range') } }
    await assert.rejects(t.db.rows(sql`select ${value}::text`), RangeError)
    await assert.rejects(t.db.transaction(tx => tx.rows(sql`select ${value}::text`)), RangeError)
    const circular: Record<string, unknown> = {}
    circular.self = circular
    await assert.rejects(t.db.rows(sql`select ${circular}::jsonb`), error => !(error instanceof DatabaseAway))
  })

  test('a database that cannot be reached is reported as away', async () => {
    const pool = createPool(`postgres://nobody@127.0.0.1:${await freePort()}/none`)
    const db = new Db(pool, t.db.context)
    await assert.rejects(db.rows(sql`select 1`), DatabaseAway)
    await assert.rejects(db.transaction(tx => tx.rows(sql`select 1`)), DatabaseAway)
    await pool.end()
    await assert.rejects(db.rows(sql`select 1`), DatabaseAway)
  })

  test('a database that is silent is reported as away within seconds, and used again when it answers', async () => {
    const line = await openLine(t.url)
    const pool = createPool(line.url, 5)
    const db = new Db(pool, t.db.context)
    try {
      await Promise.all(Array.from({ length: 4 }, () => db.rows(sql`select pg_sleep(0.1)`)))
      const interrupted = db.transaction(async tx => {
        await tx.run(sql`insert into thing values (20, 0)`)
        line.freeze()
        // A caller that catches the loss of an answer must not get a success.
        await assert.rejects(tx.run(sql`insert into thing values (21, 0)`), DatabaseAway)
        line.thaw()
        await sleep(100)
      })
      await Promise.all([
        assert.rejects(interrupted, DatabaseAway),
        // More than there are connections: those that wait for one must not wait longer.
        ...Array.from({ length: 10 }, () => assert.rejects(db.rows(sql`select pg_sleep(60)`), DatabaseAway)),
      ])
      await untilAnswers(db)
      assert.deepEqual(await db.rows(sql`select id from thing where id in (20, 21)`), [])
    } finally {
      await pool.close()
      await line.close()
    }
  })

  test('a slow statement is no silence', async () => {
    assert.deepEqual(await t.db.rows(sql`select 1 as one from pg_sleep(5)`), [{ one: 1 }])
  })

  test('a transaction used after its end throws', async () => {
    let leaked: Tx | undefined
    await t.db.transaction(async tx => { leaked = tx })
    await assert.rejects(async () => leaked?.rows(sql`select 1`), /after its end/)
  })

  test('a deadlock runs one of the two again, and both succeed', async () => {
    await t.db.run(sql`insert into thing values (10, 0), (11, 0)`)
    const both = (first: number, second: number) => t.db.transaction(async tx => {
      await tx.run(sql`update thing set amount = amount + 1 where id = ${first}`)
      await tx.run(sql`select pg_sleep(0.05)`)
      await tx.run(sql`update thing set amount = amount + 1 where id = ${second}`)
    })
    await Promise.all([both(10, 11), both(11, 10)])
    assert.deepEqual(await t.db.rows(sql`select amount from thing where id in (10, 11)`), [{ amount: 2n }, { amount: 2n }])
  })
})
