import type { Machine } from '#platform/kernel/machine'

export const CHARGEBACK_STATES = ['NEEDS_RESPONSE', 'UNDER_REVIEW', 'WON', 'LOST'] as const
export type ChargebackStatus = (typeof CHARGEBACK_STATES)[number]
export type ChargebackEvent = 'review' | 'win' | 'lose'

/** Follows the dispute at the processor, which ends it without us too: an unanswered dispute is lost. */
export const chargebackMachine: Machine<ChargebackStatus, ChargebackEvent, 'processor'> = {
  name: 'chargeback',
  table: 'payments_chargeback',
  states: CHARGEBACK_STATES,
  terminal: ['WON', 'LOST'],
  timers: ['processor'],
  edges: [
    { from: ['NEEDS_RESPONSE'], event: 'review', by: ['processor'], to: 'UNDER_REVIEW' },
    { from: ['NEEDS_RESPONSE', 'UNDER_REVIEW'], event: 'win', by: ['processor'], to: 'WON' },
    { from: ['NEEDS_RESPONSE', 'UNDER_REVIEW'], event: 'lose', by: ['processor'], to: 'LOST' },
  ],
}
