import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '#platform/kernel/clock'
import { findEdge, strandedStates } from '#platform/kernel/machine'
import { deliveryMachine, pauseAfter } from './delivery-machine.ts'

test('a webhook delivery ends with a success, a refusal of all attempts, or its endpoint', () => {
  const moves = deliveryMachine.states.flatMap(from =>
    (['succeed', 'retry', 'give_up', 'cancel'] as const).flatMap(event =>
      (['sender', 'owner'] as const).flatMap(by => {
        const edge = findEdge(deliveryMachine, from, { event, by })
        return edge ? [`${from} ${event} ${by} ${edge.to}`] : []
      }),
    ),
  )
  assert.deepEqual(moves, [
    'PENDING succeed sender DELIVERED',
    'PENDING retry sender PENDING',
    'PENDING give_up sender FAILED',
    'PENDING cancel sender CANCELLED',
    'PENDING cancel owner CANCELLED',
  ])
  assert.deepEqual(strandedStates(deliveryMachine), [])
})

test('eight attempts take about a day', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7].map(attempts => pauseAfter(attempts) ?? 0)
  const total = pauses.reduce((sum, pause) => sum + pause, 0)
  assert.ok(pauses.every(Boolean) && total > 22 * HOUR && total < 26 * HOUR)
  assert.equal(pauseAfter(8), null)
})
