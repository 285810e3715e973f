import type { Machine } from '#platform/kernel/machine'

export const DELIVERY_STATES = ['SUBMITTED', 'VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATES)[number]

export type DeliveryEvent = 'verify' | 'pass' | 'fail' | 'supersede'
export type DeliveryTrigger = 'seller' | 'verifier' | 'buyer'

/** One attempt to deliver. Each attempt has its own row, which stays. */
export const deliveryMachine: Machine<DeliveryStatus, DeliveryEvent, DeliveryTrigger> = {
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
