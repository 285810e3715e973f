import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureKind } from '../core/upstream.ts'
import { createModelHealth } from './breaker.ts'

function trial() {
  let now = 0
  const health = createModelHealth(() => now)
  return {
    health,
    pass: (ms: number) => (now += ms),
    record: (failure: FailureKind | null, times = 1, status: number | null = null) => {
      for (let at = 0; at < times; at++) health.record('m', { failure, status, latencyMs: 10 })
    },
  }
}

test('opens after five failures in a row, and lets one trial through after 10 s', () => {
  const { health, record, pass } = trial()
  record('server_error', 4)
  assert.equal(health.stateOf('m'), 'closed')
  record('timeout')
  assert.deepEqual(
    [health.stateOf('m'), health.isAvailable('m'), health.tryEnter('m')],
    ['open', false, false],
  )
  pass(10_000)
  assert.deepEqual(
    [health.stateOf('m'), health.tryEnter('m'), health.tryEnter('m')],
    ['half-open', true, false],
  )
  assert.equal(health.isAvailable('m'), false)
  record(null)
  assert.deepEqual([health.stateOf('m'), health.tryEnter('m'), health.tryEnter('m')], ['closed', true, true])
})

test('stays open twice as long after each trial that fails', () => {
  const { health, record, pass } = trial()
  record('connection', 5)
  for (const waitMs of [10_000, 20_000, 40_000]) {
    pass(waitMs - 1)
    assert.equal(health.stateOf('m'), 'open')
    pass(1)
    assert.equal(health.tryEnter('m'), true)
    record('connection')
  }
  assert.equal(health.stateOf('m'), 'open')
})

test('opens when half of the last 20 calls failed', () => {
  const { health, record } = trial()
  for (let at = 0; at < 9; at++) {
    record(null)
    record('cut')
  }
  record(null)
  assert.equal(health.stateOf('m'), 'closed')
  record('cut')
  assert.equal(health.stateOf('m'), 'open')
})

test('opens at once when the key of the operator is refused', () => {
  for (const status of [400, 401]) {
    const { health, record } = trial()
    record('credentials', 1, status)
    assert.equal(health.stateOf('m'), 'open')
  }
})

test('counts other refusals of the operator as any failure', () => {
  for (const status of [402, 403, 404, 429]) {
    const { health, record } = trial()
    record('credentials', 4, status)
    assert.equal(health.stateOf('m'), 'closed')
    record('credentials', 1, status)
    assert.equal(health.stateOf('m'), 'open')
  }
})

test('counts a refused request as an answer', () => {
  const { health, record } = trial()
  record('server_error', 4)
  record('refused')
  record('server_error', 4)
  assert.equal(health.stateOf('m'), 'closed')
})

test('lets another trial through after one that says nothing about the model', () => {
  const { health, record, pass } = trial()
  record('server_error', 5)
  pass(10_000)
  assert.deepEqual([health.tryEnter('m'), health.tryEnter('m')], [true, false])
  health.abandon('m')
  assert.deepEqual(
    [health.stateOf('m'), health.tryEnter('m'), health.tryEnter('m')],
    ['half-open', true, false],
  )
})
