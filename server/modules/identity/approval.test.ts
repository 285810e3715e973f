import { test } from 'node:test'
import assert from 'node:assert/strict'
import { findEdge, strandedStates } from '#platform/machine'
import { APPROVAL_STATUSES, approvalMachine, type ApprovalActor, type ApprovalEvent } from './approval-machine.ts'

const EVENTS: readonly ApprovalEvent[] = ['approve', 'reject', 'expire']
const ACTORS: readonly ApprovalActor[] = ['admin', 'timer']

test('an approval moves from PENDING alone: an admin decides it, a timer ends it', () => {
  const moves = APPROVAL_STATUSES.flatMap(from =>
    EVENTS.flatMap(event =>
      ACTORS.flatMap(by => {
        const edge = findEdge(approvalMachine, from, { event, by })
        return edge ? [`${from} ${event} by ${by}: ${edge.to}`] : []
      }),
    ),
  )
  assert.deepEqual(moves, [
    'PENDING approve by admin: APPROVED',
    'PENDING reject by admin: REJECTED',
    'PENDING expire by timer: EXPIRED',
  ])
})

test('an approval ends without anybody', () => {
  assert.deepEqual(strandedStates(approvalMachine), [])
})
