import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR } from '#platform/kernel/clock'
import { nextAsk } from './rails.ts'

test('asks a chain about a payout within seconds at first, at most every 6 hours later', () => {
  const start = new Date('2026-01-01T00:00:00Z')
  const end = start.getTime() + 30 * DAY
  const asked: number[] = []
  for (let now = start, asks = 0; now.getTime() < end; asks++) {
    const next = nextAsk({ rail: 'chain', status: 'PENDING', asks }, now)
    assert.ok(next)
    asked.push(next.getTime() - now.getTime())
    now = next
  }
  assert.deepEqual(asked.slice(0, 4), [1000, 2000, 4000, 8000])
  assert.equal(Math.max(...asked), 6 * HOUR)
  assert.ok(asked.length < 140, `${asked.length} questions in 30 days`)
})
