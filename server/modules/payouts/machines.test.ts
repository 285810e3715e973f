import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEdge, strandedStates, type Machine } from '#platform/kernel/machine'
import { accountMachine, ACCOUNT_STATES, type AccountStatus } from './account/account-machine.ts'
import { payoutMachine, PAYOUT_STATES } from './payout/payout-machine.ts'

/** Every move that a machine allows, and by whom. */
function movesOf<S extends string, E extends string, A extends string>(
  machine: Machine<S, E, A>,
  events: readonly E[],
  actors: readonly A[],
): string[] {
  return machine.states.flatMap(from =>
    events.flatMap(event => {
      const by = actors.filter(actor => findEdge(machine, from, { event, by: actor }))
      const [first] = by
      const edge = first && findEdge(machine, from, { event, by: first })
      return edge ? [`${from} ${event} ${by.join('/')} ${edge.to}`] : []
    }),
  )
}

test('a payout is canceled only before it is sent, and a paid one may still come back', () => {
  assert.deepEqual(
    movesOf(
      payoutMachine,
      ['approve', 'reject', 'cancel', 'send', 'transmit', 'pay', 'fail', 'return'],
      ['owner', 'admin', 'system', 'timer', 'rail'],
    ),
    [
      'REVIEW approve admin REQUESTED',
      'REVIEW reject admin/timer CANCELED',
      'REVIEW cancel owner/system CANCELED',
      'REQUESTED cancel owner/system CANCELED',
      'REQUESTED send timer PENDING',
      'PENDING cancel rail CANCELED',
      'PENDING transmit rail IN_TRANSIT',
      'PENDING pay rail PAID',
      'PENDING fail rail FAILED',
      'IN_TRANSIT cancel rail CANCELED',
      'IN_TRANSIT pay rail PAID',
      'IN_TRANSIT fail rail FAILED',
      'PAID return rail RETURNED',
    ],
  )
  assert.deepEqual(strandedStates(payoutMachine), [])
  assert.deepEqual(PAYOUT_STATES.length, 8)
})

test('the processor decides the state of a connected account', () => {
  const moves = movesOf(accountMachine, ['connect', 'update', 'disconnect'], ['owner', 'processor', 'system'])
  assert.deepEqual(
    moves.filter(move => !move.includes('update')),
    [
      'NOT_CONNECTED connect owner PENDING',
      'PENDING disconnect system NOT_CONNECTED',
      'RESTRICTED disconnect system NOT_CONNECTED',
      'ACTIVE disconnect system NOT_CONNECTED',
      'REJECTED disconnect system NOT_CONNECTED',
    ],
  )
  const connected: AccountStatus[] = ACCOUNT_STATES.filter(state => state !== 'NOT_CONNECTED')
  for (const from of connected)
    for (const to of ACCOUNT_STATES)
      assert.equal(
        findEdge(accountMachine, from, { event: 'update', by: 'processor', to }) !== undefined,
        connected.includes(to) && to !== from,
        `${from} ${to}`,
      )
})
