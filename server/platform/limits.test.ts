import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { Fault } from './fault.ts'
import { Limits } from './limits.ts'

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
    const taken = await Promise.all(Array.from({ length: 200 }, (_, index) => (index % 2 ? one : other).take('parallel', 20, 60)))
    assert.equal(taken.filter(each => each.allowed).length, 20)
  })

  test('refuses n+1 with the wait, and opens again when the window has ended', async () => {
    for (let call = 1; call <= 3; call++) assert.equal((await one.take('window', 3, 60)).remaining, 3 - call)
    await assert.rejects(one.demand('window', 3, 60), (error: Fault) => error.row.status === 429 && error.extra.headers?.['Retry-After'] === '60')
    real = new Date(real.getTime() + 60_000)
    assert.equal((await one.demand('window', 3, 60)).remaining, 2)
  })

  test('sweeping forgets ended windows only', async () => {
    await one.take('kept', 1, 60)
    await one.sweep()
    assert.equal((await one.take('kept', 1, 60)).allowed, false)
  })
})
