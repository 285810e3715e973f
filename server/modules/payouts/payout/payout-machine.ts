import type { Machine } from '#platform/kernel/machine'

export const PAYOUT_STATES = [
  'REVIEW',
  'REQUESTED',
  'PENDING',
  'IN_TRANSIT',
  'PAID',
  'RETURNED',
  'FAILED',
  'CANCELED',
] as const
export type PayoutStatus = (typeof PAYOUT_STATES)[number]
export type PayoutEvent = 'approve' | 'reject' | 'cancel' | 'send' | 'transmit' | 'pay' | 'fail' | 'return'
/** `rail` is the processor or the chain; `system` acts for an account that ends or loses an agent. */
export type PayoutActor = 'owner' | 'admin' | 'system' | 'timer' | 'rail'

/** A payout can be canceled until it is sent. A paid one may come back: the bank returns it, and that must never be lost. */
export const payoutMachine: Machine<PayoutStatus, PayoutEvent, PayoutActor> = {
  name: 'payout',
  table: 'payouts_payout',
  states: PAYOUT_STATES,
  terminal: ['PAID', 'RETURNED', 'FAILED', 'CANCELED'],
  timers: ['timer', 'rail'],
  edges: [
    { from: ['REVIEW'], event: 'approve', by: ['admin'], to: 'REQUESTED' },
    { from: ['REVIEW'], event: 'reject', by: ['admin', 'timer'], to: 'CANCELED' },
    { from: ['REVIEW', 'REQUESTED'], event: 'cancel', by: ['owner', 'system'], to: 'CANCELED' },
    { from: ['REQUESTED'], event: 'send', by: ['timer'], to: 'PENDING' },
    { from: ['PENDING'], event: 'transmit', by: ['rail'], to: 'IN_TRANSIT' },
    { from: ['PENDING', 'IN_TRANSIT'], event: 'pay', by: ['rail'], to: 'PAID' },
    { from: ['PENDING', 'IN_TRANSIT'], event: 'fail', by: ['rail'], to: 'FAILED' },
    { from: ['PENDING', 'IN_TRANSIT'], event: 'cancel', by: ['rail'], to: 'CANCELED' },
    { from: ['PAID'], event: 'return', by: ['rail'], to: 'RETURNED' },
  ],
}
