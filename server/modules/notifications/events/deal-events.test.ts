import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DealNotice } from '#ap2'
import { deliveryMachine } from '../../ap2/deal/delivery-machine.ts'
import { escrowMachine } from '../../ap2/deal/escrow-machine.ts'
import { negotiationMachine } from '../../ap2/deal/negotiation-machine.ts'
import { dealEvents } from './deal-events.ts'

type Subject = DealNotice['lines'][number]['subject']

const typesOf = (subject: Subject, event: string, to: string): string =>
  dealEvents({ lines: [{ subject, event, to, by: 'buyer', at: '' }] })
    .map(({ type }) => type)
    .join(' + ')

/** Transitions that are part of a larger change, which has its event. */
const SILENT = new Set([
  'negotiation fund ESCROWED',
  'escrow abandon CANCELLED',
  'negotiation cancel REFUNDED',
  'negotiation request_changes IN_PROGRESS',
  'negotiation continue IN_PROGRESS',
  'negotiation complete COMPLETED',
  'negotiation refund REFUNDED',
  'negotiation split SPLIT',
  'delivery verify VERIFYING',
  'delivery pass VERIFIED',
])

test('every transition of a deal is an event, or part of another one', () => {
  for (const [subject, { edges }] of [
    ['negotiation', negotiationMachine],
    ['escrow', escrowMachine],
    ['delivery', deliveryMachine],
  ] as const)
    for (const { event, to } of edges) {
      const edge = `${subject} ${event} ${to}`
      assert.equal(typesOf(subject, event, to) === '', SILENT.has(edge), edge)
    }
})

test('a decision that ends an escrow is two events', () => {
  assert.equal(typesOf('escrow', 'resolve', 'SPLIT'), 'dispute.resolved + deal.split')
  assert.equal(typesOf('escrow', 'default', 'HELD'), 'dispute.resolved')
  assert.equal(typesOf('escrow', 'lapse', 'REFUNDED'), 'dispute.resolved + deal.refunded')
  assert.equal(typesOf('escrow', 'release', 'RELEASED'), 'deal.released')
  assert.equal(typesOf('escrow', 'refund', 'SPLIT'), 'deal.refunded')
  assert.equal(typesOf('escrow', 'charge_back', 'REFUNDED'), 'deal.charged_back + deal.refunded')
})

test('a request for changes is one event, of however many milestones', () => {
  const line = { by: 'buyer', at: '' }
  const sentBack = { ...line, subject: 'delivery', event: 'supersede', to: 'SUPERSEDED' } as const
  const reopened = { ...line, subject: 'negotiation', event: 'request_changes', to: 'IN_PROGRESS' } as const
  for (const lines of [[sentBack], [sentBack, sentBack], [sentBack, sentBack, reopened]])
    assert.deepEqual(
      dealEvents({ lines }).map(({ type }) => type),
      ['deal.changes_requested'],
    )
})
