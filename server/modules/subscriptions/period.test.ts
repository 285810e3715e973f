import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, DAY, HOUR } from '#platform/kernel/clock'
import { strandedStates } from '#platform/kernel/machine'
import { daysOf, daysPassed, earnedAfter, monthsAfter, nextDayEnd } from './period.ts'
import { PLANS } from './plans.ts'
import { subscriptionMachine } from './subscription-machine.ts'

const day = (text: string) => new Date(`${text}T10:30:00Z`)

test('ends each month on the day of the first one, or on its last day', () => {
  const ends = (anchor: string) =>
    [1, 2, 3, 12, 13].map(months => monthsAfter(day(anchor), months).toISOString().slice(0, 10))
  assert.deepEqual(ends('2027-01-31'), ['2027-02-28', '2027-03-31', '2027-04-30', '2028-01-31', '2028-02-29'])
  assert.deepEqual(ends('2026-12-15'), ['2027-01-15', '2027-02-15', '2027-03-15', '2027-12-15', '2028-01-15'])
  assert.equal(monthsAfter(day('2027-01-31'), 1).toISOString().slice(11), '10:30:00.000Z')
})

test('earns parts that sum to the price, for every length of a month', () => {
  for (const start of ['2027-01-31', '2027-02-10', '2028-02-10', '2027-04-01', '2027-05-01'].map(day)) {
    const period = { start, end: monthsAfter(start, 1) }
    const days = daysOf(period)
    assert.ok(Number.isInteger(days) && days >= 28 && days <= 31)
    let sum = 0n
    for (let n = 1; n <= days; n++) {
      const part = earnedAfter(PLANS.PRO.price, period, n) - earnedAfter(PLANS.PRO.price, period, n - 1)
      assert.ok(part >= PLANS.PRO.price / BigInt(days) && part <= PLANS.PRO.price / BigInt(days) + 1n)
      sum += part
    }
    assert.equal(sum, PLANS.PRO.price)
    assert.deepEqual(nextDayEnd(period, days - 1), period.end)
    assert.equal(nextDayEnd(period, days), null)
  }
})

test('counts days that are over, or that have begun', () => {
  const start = day('2027-04-01')
  const period = { start, end: monthsAfter(start, 1) }
  const counts = [-HOUR, 0, HOUR, DAY, DAY + 1, 29 * DAY, 30 * DAY, 99 * DAY].map(ms => {
    const now = after(start, ms)
    return [daysPassed(period, now), daysPassed(period, now, { started: true })]
  })
  assert.deepEqual(counts, [
    [0, 0],
    [0, 1],
    [0, 1],
    [1, 2],
    [1, 2],
    [29, 30],
    [30, 30],
    [30, 30],
  ])
})

test('timers alone end a subscription from every state', () => {
  assert.deepEqual(strandedStates(subscriptionMachine), [])
})
