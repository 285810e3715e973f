import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { ApiError } from '../../kernel/errors.ts'
import { limitHeaders, Limits } from './limits.ts'
import { sql } from '../../kernel/sql.ts'

suite('limits', () => {
  let t: TestDb
  let real = new Date()
  let one: Limits
  let other: Limits
  before(async () => {
    t = await openTestDb()
    const clock = { now: () => real, real: () => real }
    one = new Limits(t.db, clock)
    other = new Limits(t.db, clock)
  })
  after(() => t.close())

  test('lets exactly n of 200 parallel calls over two instances through', async () => {
    const taken = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? one : other).take('parallel', 20, 60)),
    )
    assert.equal(taken.filter(each => each.allowed).length, 20)
  })

  test('refuses n+1 with the wait, and opens again when the window has ended', async () => {
    for (let call = 1; call <= 3; call++) assert.equal((await one.take('window', 3, 60)).remaining, 3 - call)
    await assert.rejects(
      one.requireQuota('window', 3, 60),
      (error: ApiError) => error.row.status === 429 && error.extra.headers?.['Retry-After'] === '60',
    )
    real = new Date(real.getTime() + 60_000)
    assert.equal((await one.requireQuota('window', 3, 60)).remaining, 2)
  })

  test('a window ends when it was to end, however often it is asked meanwhile', async () => {
    await one.take('asked', 1, 60)
    for (const seconds of [20, 20, 19]) {
      real = new Date(real.getTime() + seconds * 1000)
      assert.equal((await one.take('asked', 1, 60)).allowed, false)
    }
    real = new Date(real.getTime() + 1000)
    assert.equal((await one.take('asked', 1, 60)).allowed, true)
  })

  test('resets one key and no other', async () => {
    for (const key of ['reset', 'other']) await one.take(key, 1, 60)
    await one.reset('reset')
    assert.deepEqual(
      [(await one.take('reset', 1, 60)).allowed, (await one.take('other', 1, 60)).allowed],
      [true, false],
    )
  })

  test('sweeping deletes ended windows only', async () => {
    const stored = async () => {
      const rows = await t.db.rows(
        sql<{ key: string }>`select key from platform_limit where key like 'sweep-%'`,
      )
      return rows.map(({ key }) => key)
    }
    await one.take('sweep-ended', 1, 30)
    await one.take('sweep-open', 1, 60)
    real = new Date(real.getTime() + 30_000)
    await one.sweep()
    assert.deepEqual(await stored(), ['sweep-open'])
    assert.equal((await one.take('sweep-open', 1, 60)).allowed, false)
  })

  test('the headers say the limit, the rest and the wait, as the draft writes them', async () => {
    await one.take('quota', 3, 60)
    real = new Date(real.getTime() + 15_500)
    const taken = await one.take('quota', 3, 60)
    assert.deepEqual(limitHeaders('quota', taken, 60), {
      'RateLimit-Policy': '"quota";q=3;w=60',
      RateLimit: '"quota";r=1;t=45',
    })
  })
})
