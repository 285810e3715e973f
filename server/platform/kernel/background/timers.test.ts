import assert from 'node:assert/strict'
import { after, before, beforeEach, mock, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDb, type TestDb } from '#test'
import { createLog } from '../../adapters/log/log.ts'
import { newId } from '../id.ts'
import { part, sql } from '../sql.ts'
import { dueAmong, Timers } from './timers.ts'

suite('timers', () => {
  let t: TestDb
  let served: string[]
  const poison = newId()
  const moment = (seconds: number) => new Date(Date.now() + seconds * 1000)
  const add = (id: string, due: Date) => t.db.run(sql`insert into chore (id, due_at) values (${id}, ${due})`)

  function timers(log = createLog('silent')): Timers {
    const made = new Timers(t.db, t.clock, log)
    made.add({
      name: 'chore',
      table: 'chore',
      column: 'due_at',
      where: part`not done`,
      run: async (tx, id) => {
        if (id === poison) throw new Error('cannot')
        if (await tx.run(sql`update chore set done = true where id = ${id} and not done`))
          tx.afterCommit(() => {
            served.push(id)
          })
      },
    })
    return made
  }

  before(async () => {
    t = await openTestDb()
    await t.db.run(
      sql`create table chore (id uuid primary key, due_at timestamptz, done boolean not null default false)`,
    )
  })
  beforeEach(async () => {
    served = []
    await t.db.run(sql`delete from chore`)
  })
  after(() => t.close())

  test('serves what is due, the earliest first, and nothing else', async () => {
    const [late, early, future] = [newId(), newId(), newId()]
    await add(late, moment(-1))
    await add(early, moment(-5))
    await add(future, moment(60))
    await timers().runDue()
    assert.deepEqual(served, [early, late])
  })

  test('stop does not wait for all that is due', async () => {
    const ids = Array.from({ length: 400 }, () => newId())
    for (const id of ids) await add(id, moment(-1))
    const loop = timers()
    loop.start(1)
    while (!served.length) await sleep(1)
    await loop.stop()
    const before = served.length
    assert.ok(before < ids.length, `${before} were served`)
    await sleep(50)
    assert.equal(served.length, before)
    loop.start(1)
    while (served.length < ids.length) await sleep(5)
    await loop.stop()
  })

  test('a row that fails does not hold up those behind it', async () => {
    const good = newId()
    await add(poison, moment(-10))
    await add(good, moment(-1))
    await timers().runDue()
    assert.deepEqual(served, [good])
  })

  test('drops a failure of a row that another instance has served', async () => {
    const counts: unknown[] = []
    const log = createLog('error', {
      write: line => counts.push((JSON.parse(line) as { count?: number }).count),
    })
    await add(poison, moment(-10))
    const made = timers(log)
    await made.runDue()
    await t.db.run(sql`update chore set done = true`)
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 3000 })
    try {
      await made.runDue()
      await t.db.run(sql`update chore set done = false`)
      await made.runDue()
      mock.timers.setTime(Date.now() + 3000)
      await made.runDue()
    } finally {
      mock.timers.reset()
    }
    // Each number is that of the attempts in a row: those after the row was due again begin at one.
    assert.deepEqual(counts, [1, 1, 2])
  })

  test('a row that failed is tried again when the clock of the machine went back', async () => {
    await add(poison, moment(-10))
    const tries: unknown[] = []
    const made = timers(createLog('error', { write: line => tries.push(line) }))
    await made.runDue()
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
    try {
      await t.db.run(sql`update chore set due_at = due_at - interval '2 hours'`)
      await made.runDue()
    } finally {
      mock.timers.reset()
    }
    assert.equal(tries.length, 2)
  })

  test('timers take turns: many due rows of one do not hold up the others', async () => {
    await t.db.run(
      sql`create table if not exists errand (id uuid primary key, due_at timestamptz, done boolean not null default false)`,
    )
    const made = timers()
    made.add({
      name: 'errand',
      table: 'errand',
      column: 'due_at',
      where: part`not done`,
      run: async (tx, id) => {
        await tx.run(sql`update errand set done = true where id = ${id}`)
        tx.afterCommit(() => {
          served.push('errand')
        })
      },
    })
    for (let n = 0; n < 50; n++) await add(newId(), moment(-1))
    await t.db.run(sql`insert into errand (id, due_at) values (${newId()}, ${moment(-1)})`)
    assert.equal(await made.runDue(), 51)
    assert.equal(served.indexOf('errand'), 1)
    // One that falls due while another timer is busy is served before that one ends.
    for (let n = 0; n < 50; n++) await add(newId(), moment(-1))
    served = []
    made.add({
      name: 'late',
      table: 'chore',
      column: 'due_at',
      where: part`not done`,
      run: async tx => {
        if (served.length === 5)
          await tx.run(sql`insert into errand (id, due_at) values (${newId()}, ${moment(-1)})`)
      },
    })
    await made.runDue()
    assert.ok(served.indexOf('errand') < 45 && served.includes('errand'), String(served.indexOf('errand')))
  })

  test('two instances serve each row once', async () => {
    const ids = Array.from({ length: 20 }, newId)
    for (const id of ids) await add(id, moment(-1))
    await Promise.all([timers().runDue(), timers().runDue()])
    assert.deepEqual(served.toSorted(), ids.toSorted())
  })

  test('returns the next deadline for the clock, which advances in steps', async () => {
    assert.equal(await timers().nextDue(), null)
    const due = moment(30)
    await add(newId(), moment(90))
    await add(newId(), due)
    assert.equal((await timers().nextDue())?.getTime(), due.getTime())
  })

  test('are asked by their indexes, in a plan that does not depend on the moment', async () => {
    await t.db.run(sql`create index chore_due on chore (due_at) where not done`)
    await t.db.run(sql`insert into chore (id, due_at)
      select gen_random_uuid(), now() + n * interval '1 hour' from generate_series(1, 20000) n`)
    await t.db.run(sql`analyze chore`)
    const asked = { table: 'chore', column: 'due_at', where: part`not done` }
    const { text, values } = dueAmong([asked], moment(0))
    const plan = await t.db.transaction(async tx => {
      await tx.raw('set local plan_cache_mode = force_generic_plan')
      await tx.raw(`prepare due as ${text}`)
      return tx.raw(`explain execute due (now(), ${String(values[1])})`)
    })
    const lines = plan.rows.map(row => String(row['QUERY PLAN'])).join('\n')
    assert.match(lines, /Index (Only )?Scan using chore_due/)
    assert.doesNotMatch(lines, /Seq Scan/)
  })
})
