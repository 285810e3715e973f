import assert from 'node:assert/strict'
import { after, before, mock, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, openLine, openTestDb, type TestDb } from '#test'
import { createPool } from './database/pool.ts'
import { DatabaseAway, Db } from './db.ts'
import { sql } from './sql.ts'

async function untilAnswers(db: Db): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    if (
      await db.rows(sql`select 1`).then(
        () => true,
        () => false,
      )
    )
      return
  }
  assert.fail('the database is not used again')
}

test('of several servers in a connection string the one that answers is used', async () => {
  const t = await openTestDb()
  const [one, other] = [await openLine(t.url), await openLine(t.url)]
  const pool = createPool(
    one.url.replace(/127\.0\.0\.1:\d+/, `${new URL(one.url).host},${new URL(other.url).host}`),
    3,
  )
  const db = new Db(pool, t.db.context)
  const ask = async () => assert.deepEqual(await db.rows(sql`select 1 as one`), [{ one: 1 }])
  try {
    await ask()
    await one.cut()
    await untilAnswers(db)
    await ask()
    await one.mend()
    await other.cut()
    await untilAnswers(db)
  } finally {
    await pool.close()
    await one.close()
    await t.close()
  }
})

suite('the loss of the database', () => {
  let t: TestDb
  before(async () => {
    t = await openTestDb()
    await t.db.run(sql`create table thing (id int primary key, amount bigint not null)`)
  })
  after(() => t.close())

  test('a connection that is ended before its user has it fails the first statement, and nothing else', async () => {
    const taken = await t.db.pool.acquire()
    const apart = await t.db.pool.connectApart()
    for (const connection of [taken, apart]) {
      // `once` of node:events would listen for errors too.
      const ended = new Promise<void>(resolve => connection.on('end', () => resolve()))
      const { rows } = await connection.execute(sql`select pg_backend_pid() as pid`)
      await t.db.run(sql`select pg_terminate_backend(${(rows[0] as { pid: number }).pid})`)
      // Without a listener the loss would be an uncaught exception of this process.
      await ended
      await assert.rejects(connection.execute(sql`select 1`))
    }
    taken.release(true)
  })

  test('a connection that is ended between two statements fails its transaction, and nothing else', async () => {
    await assert.rejects(
      t.db.transaction(async tx => {
        const { pid } = await tx.one(sql<{ pid: number }>`select pg_backend_pid() as pid`)
        await t.db.run(sql`select pg_terminate_backend(${pid})`)
        // Without a listener the loss would be an uncaught exception of this process.
        await new Promise(resolve => setTimeout(resolve, 50))
        await tx.run(sql`insert into thing values (4, 4)`)
      }),
      DatabaseAway,
    )
    assert.equal(await t.db.maybe(sql`select from thing where id = 4`), undefined)
  })

  test('an error of this program inside a query is not reported as a lost connection', async () => {
    const value = {
      toJSON: () => {
        throw new RangeError('value out of range')
      },
    }
    await assert.rejects(t.db.rows(sql`select ${value}::text`), RangeError)
    await assert.rejects(
      t.db.transaction(tx => tx.rows(sql`select ${value}::text`)),
      RangeError,
    )
    await assert.rejects(
      t.db.transaction(async tx => {
        tx.write(sql`insert into thing values (5, 5)`)
        tx.write(sql`select ${value}::text`)
      }),
      RangeError,
    )
    assert.equal(await t.db.maybe(sql`select from thing where id = 5`), undefined)
    const circular: Record<string, unknown> = {}
    circular.self = circular
    await assert.rejects(t.db.rows(sql`select ${circular}::jsonb`), error => !(error instanceof DatabaseAway))
  })

  test('a database that cannot be reached is reported as away', async () => {
    const pool = createPool(`postgres://nobody@127.0.0.1:${await freePort()}/none`)
    const db = new Db(pool, t.db.context)
    await assert.rejects(db.rows(sql`select 1`), DatabaseAway)
    await assert.rejects(
      db.transaction(tx => tx.rows(sql`select 1`)),
      DatabaseAway,
    )
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
        line.unfreeze()
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

  test(
    'a silent database is reported as away after the clock of the machine went back',
    { timeout: 25_000 },
    async () => {
      const line = await openLine(t.url)
      const pool = createPool(line.url, 3)
      const db = new Db(pool, t.db.context)
      try {
        // Longer than a statement may take before the server is asked whether it is there: it answers then.
        await db.rows(sql`select pg_sleep(3)`)
        mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
        line.freeze()
        await assert.rejects(db.rows(sql`select 1`), DatabaseAway)
      } finally {
        mock.timers.reset()
        line.unfreeze()
        await pool.close()
        await line.close()
      }
    },
  )

  test('a server that accepts no connection in time is not silent while it answers statements', async () => {
    const line = await openLine(t.url)
    const pool = createPool(line.url, 4)
    const db = new Db(pool, t.db.context)
    try {
      await Promise.all(Array.from({ length: 2 }, () => db.rows(sql`select pg_sleep(0.1)`)))
      line.holdNew()
      let isSlow = true
      const slow = db.rows(sql`select 1 as one from pg_sleep(7)`).finally(() => {
        isSlow = false
      })
      const others = async () => {
        for (; isSlow; await sleep(200)) assert.deepEqual(await db.rows(sql`select 2 as two`), [{ two: 2 }])
      }
      assert.deepEqual((await Promise.all([slow, others()]))[0], [{ one: 1 }])
    } finally {
      await pool.close()
      await line.close()
    }
  })

  test('a slow statement is no silence', async () => {
    assert.deepEqual(await t.db.rows(sql`select 1 as one from pg_sleep(5)`), [{ one: 1 }])
  })
})
