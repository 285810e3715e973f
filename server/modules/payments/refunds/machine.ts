import type { Machine } from '#platform/kernel/machine'

export type RefundStatus = 'PENDING' | 'SUCCEEDED' | 'FAILED'

/** A refund that has succeeded may still fail: a bank can return it days later. */
export const refundMachine: Machine<RefundStatus, 'succeed' | 'fail', 'processor'> = {
  name: 'refund',
  table: 'payments_refund',
  states: ['PENDING', 'SUCCEEDED', 'FAILED'],
  terminal: ['SUCCEEDED', 'FAILED'],
  // The processor is asked until it answers.
  timers: ['processor'],
  edges: [
    { from: ['PENDING'], event: 'succeed', by: ['processor'], to: 'SUCCEEDED' },
    { from: ['PENDING', 'SUCCEEDED'], event: 'fail', by: ['processor'], to: 'FAILED' },
  ],
}
