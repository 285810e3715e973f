import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEdge, planTransition, strandedStates } from '#platform/kernel/machine'
import { RUN_EVENTS, RUN_STATES, RUN_TRIGGERS, runMachine } from './run-machine.ts'

/** Every allowed transition. Whatever is not here is refused. */
const ALLOWED = new Map([
  ['AWAITING_APPROVAL approve buyer', 'PENDING'],
  ['AWAITING_APPROVAL reject buyer', 'CANCELLED'],
  ['AWAITING_APPROVAL cancel buyer', 'CANCELLED'],
  ['AWAITING_APPROVAL cancel system', 'CANCELLED'],
  ['AWAITING_APPROVAL expire timer', 'TIMED_OUT'],
  ['PENDING cancel buyer', 'CANCELLED'],
  ['PENDING cancel system', 'CANCELLED'],
  ['PENDING start seller', 'RUNNING'],
  ['PENDING start caller', 'RUNNING'],
  ['PENDING succeed seller', 'SUCCEEDED'],
  ['PENDING fail seller', 'FAILED'],
  ['PENDING fail caller', 'FAILED'],
  ['PENDING expire timer', 'TIMED_OUT'],
  ['RUNNING cancel system', 'CANCELLED'],
  ['RUNNING succeed seller', 'SUCCEEDED'],
  ['RUNNING succeed caller', 'SUCCEEDED'],
  ['RUNNING fail seller', 'FAILED'],
  ['RUNNING fail caller', 'FAILED'],
  ['RUNNING expire timer', 'TIMED_OUT'],
])

test('every pair of state and event is allowed or refused as the table says', () => {
  const now = new Date()
  for (const status of RUN_STATES)
    for (const event of RUN_EVENTS)
      for (const by of RUN_TRIGGERS) {
        const pair = `${status} ${event} ${by}`
        const to = ALLOWED.get(pair)
        const plan = () => planTransition(runMachine, { id: pair, status }, { event, by }, now)
        if (to) assert.equal(plan().row.status, to, pair)
        else assert.throws(plan, { name: 'ApiError', message: /^Cannot / }, pair)
        assert.equal(findEdge(runMachine, status, { event, by })?.to, to, pair)
      }
})

test('timers alone bring every run to an end', () => {
  assert.deepEqual(strandedStates(runMachine), [])
})
