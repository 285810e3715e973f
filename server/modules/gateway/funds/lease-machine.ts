import type { Machine } from '#platform/kernel/machine'

export type LeaseStatus = 'OPEN' | 'CLOSED'
export type LeaseEvent = 'return' | 'expire' | 'revoke'
export type LeaseTrigger = 'instance' | 'timer' | 'account' | 'processor'

/** A closed lease stays closed: spending that arrives later is borne by the platform. */
export const leaseMachine: Machine<LeaseStatus, LeaseEvent, LeaseTrigger> = {
  name: 'routing lease',
  table: 'gateway_lease',
  states: ['OPEN', 'CLOSED'],
  terminal: ['CLOSED'],
  timers: ['timer'],
  edges: [
    // The instance that has it returns what is left when it is idle, and at its stop.
    { from: ['OPEN'], event: 'return', by: ['instance'], to: 'CLOSED' },
    // The instance has not renewed it: it crashed, or cannot reach the database.
    { from: ['OPEN'], event: 'expire', by: ['timer'], to: 'CLOSED' },
    // The account is deleted, or its bank takes back a payment by card.
    { from: ['OPEN'], event: 'revoke', by: ['account', 'processor'], to: 'CLOSED' },
  ],
}
