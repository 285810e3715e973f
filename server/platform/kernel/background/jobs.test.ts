import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openTestDb, type TestDb } from '#test'
import { createLog } from '../../adapters/log/log.ts'
import { sql } from '../sql.ts'
import { Jobs } from './jobs.ts'

const outputOf = (number: number) =>
  sql<{ output: { message: string } }>`select output from jobs.job where data->>'number' = ${String(number)}`

suite('jobs that are taken in batches', () => {
  let t: TestDb
  let jobs: Jobs
  before(async () => {
    t = await openTestDb()
  })
  afterEach(() => jobs.stop())
  after(() => t.close())

  test('run at the same time; one that fails is tried again, and the others are not', async () => {
    jobs = new Jobs(t.db, createLog('silent'))
    const tries = new Map<number, number>()
    const again = Promise.withResolvers<{ output: { message: string } }>()
    let running = 0
    let most = 0
    jobs.define({
      name: 'test.batch',
      batch: 3,
      async handle({ number }) {
        most = Math.max(most, ++running)
        const count = (tries.get(Number(number)) ?? 0) + 1
        tries.set(Number(number), count)
        // Until all of the batch have begun.
        await new Promise(setImmediate)
        running--
        if (number === 2 && count === 1) throw new Error('the first try fails')
        // The end of this try replaces what the first one left.
        if (number === 2) again.resolve(await t.db.one(outputOf(2)))
      },
    })
    await jobs.start()
    await t.db.transaction(tx =>
      jobs.enqueueAll(
        tx,
        'test.batch',
        [1, 2, 3].map(number => ({ number })),
      ),
    )
    const { output } = await again.promise
    assert.equal(most, 3)
    assert.deepEqual(
      [...tries].toSorted(([a], [b]) => a - b),
      [
        [1, 1],
        [2, 2],
        [3, 1],
      ],
    )
    assert.equal(output.message, 'the first try fails')
  })

  test('are handled together; where that fails, each runs alone', async () => {
    jobs = new Jobs(t.db, createLog('silent'))
    const together: number[][] = []
    const alone: number[] = []
    const ended = Promise.withResolvers<void>()
    jobs.define({
      name: 'test.together',
      batch: 3,
      async handle({ number }) {
        alone.push(Number(number))
        if (alone.length === 3) ended.resolve()
      },
      async handleTogether(all) {
        const numbers = all.map(({ payload: { number } }) => Number(number))
        together.push(numbers.toSorted((a, b) => a - b))
        if (numbers.includes(6)) throw new Error('one of them fails')
      },
    })
    await jobs.start()
    for (const numbers of [
      [1, 2, 3],
      [4, 5, 6],
    ])
      await t.db.transaction(tx =>
        jobs.enqueueAll(
          tx,
          'test.together',
          numbers.map(number => ({ number })),
        ),
      )
    await ended.promise
    assert.deepEqual(together, [
      [1, 2, 3],
      [4, 5, 6],
    ])
    assert.deepEqual(
      alone.toSorted((a, b) => a - b),
      [4, 5, 6],
    )
  })

  test('of another instance run too, though it wakes no worker here', async () => {
    const taken = Promise.withResolvers<unknown>()
    jobs = new Jobs(t.db, createLog('silent'))
    const sender = new Jobs(t.db, createLog('silent'))
    const define = (handle: (payload: object) => Promise<void>) => ({ name: 'test.elsewhere', handle })
    jobs.define(define(async payload => taken.resolve(payload)))
    sender.define(define(() => assert.fail('a sender works on none')))
    await jobs.start()
    await sender.startSending()
    await t.db.transaction(tx => sender.enqueue(tx, 'test.elsewhere', { number: 4 }))
    assert.deepEqual(await taken.promise, { number: 4 })
    await sender.stop()
  })

  test('read no jobs that have ended, however many there are, also where the first ran in an empty queue', async () => {
    jobs = new Jobs(t.db, createLog('silent'))
    let ran = Promise.withResolvers<void>()
    jobs.define({ name: 'test.ended', handle: async () => ran.resolve() })
    await jobs.start()
    const runOne = async () => {
      ran = Promise.withResolvers()
      await t.db.transaction(tx => jobs.enqueue(tx, 'test.ended', {}))
      await ran.promise
    }
    // Connections may keep plans for a table that is nearly empty.
    for (let n = 0; n < 20; n++) await runOne()
    await t.db.run(sql`insert into jobs.job (name, state, completed_on)
      select 'test.ended', 'completed', now() from generate_series(1, 20000)`)
    const before = await rowsRead()
    for (let n = 0; n < 5; n++) await runOne()
    const read = (await rowsRead()) - before
    assert.ok(read < 5000, `${read} rows were read`)
  })

  /** Rows of the jobs that all connections have read, through an index or not; they report them each second. */
  async function rowsRead(): Promise<number> {
    await setTimeout(1500)
    const { read } = await t.db.one(sql<{ read: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
      where schemaname = 'jobs' and relname = 'job_common'`)
    return read
  }
})
