import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEdge, strandedStates } from '#platform/kernel/machine'
import { RUN_STATES, runMachine } from './runs/run-machine.ts'
import { tasksOf, type SuiteId } from './suites/suites.ts'

test('a run moves along its edges only, and timers end every state', () => {
  const events = ['start', 'begin', 'pass', 'fail', 'time_out', 'abort'] as const
  const actors = ['creator', 'admin', 'system', 'timer'] as const
  const moves = RUN_STATES.flatMap(from =>
    events.flatMap(event =>
      actors.flatMap(by => {
        const edge = findEdge(runMachine, from, { event, by })
        return edge ? [`${from} ${event} ${by} ${edge.to}`] : []
      }),
    ),
  )
  assert.deepEqual(moves, [
    'OPEN start creator QUEUED',
    'OPEN abort creator ABORTED',
    'OPEN abort admin ABORTED',
    'OPEN abort system ABORTED',
    'OPEN abort timer ABORTED',
    'QUEUED begin timer RUNNING',
    'QUEUED time_out timer TIMED_OUT',
    'QUEUED abort creator ABORTED',
    'QUEUED abort admin ABORTED',
    'QUEUED abort system ABORTED',
    'RUNNING pass system PASSED',
    'RUNNING fail system FAILED',
    'RUNNING time_out timer TIMED_OUT',
    'RUNNING abort creator ABORTED',
    'RUNNING abort admin ABORTED',
    'RUNNING abort system ABORTED',
  ])
  assert.deepEqual(strandedStates(runMachine), [])
})

test('tasks follow from the seed, and differ between seeds', () => {
  const words = (id: SuiteId, seed: string) =>
    JSON.stringify(tasksOf(id, seed, task => `/${task}`).map(({ kind, input }) => [kind, input]))
  for (const id of ['smoke', 'reliability', 'reasoning', 'browser-execution'] as const) {
    assert.equal(words(id, 'a'), words(id, 'a'))
    assert.notEqual(words(id, 'a'), words(id, 'b'))
  }
})
