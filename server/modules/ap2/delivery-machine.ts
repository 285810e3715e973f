import type { Machine } from '#platform/machine'

export const DELIVERY_STATES = ['SUBMITTED', 'VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATES)[number]

/** One attempt to deliver. Attempts are kept; the next one is a row of its own. */
export const deliveryMachine: Machine<DeliveryStatus, 'verify' | 'pass' | 'fail' | 'supersede', 'seller' | 'verifier' | 'buyer'> = {
  name: 'delivery',
  table: 'ap2_delivery',
  states: DELIVERY_STATES,
  terminal: ['VERIFIED', 'FAILED', 'SUPERSEDED'],
  timers: ['verifier'],
  edges: [
    { from: ['SUBMITTED'], event: 'verify', by: ['verifier'], to: 'VERIFYING' },
    { from: ['VERIFYING'], event: 'pass', by: ['verifier'], to: 'VERIFIED' },
    { from: ['VERIFYING'], event: 'fail', by: ['verifier'], to: 'FAILED' },
    { from: ['VERIFIED'], event: 'supersede', by: ['buyer'], to: 'SUPERSEDED' },
  ],
}
