import type { Machine } from '#platform/kernel/machine'

export const INTENT_STATES = ['PENDING', 'SUCCEEDED', 'FAILED', 'EXPIRED'] as const
export type IntentStatus = (typeof INTENT_STATES)[number]
export type IntentEvent = 'confirm' | 'fail' | 'expire'
export type IntentActor = 'processor' | 'timer' | 'payer'

/** A confirmation counts from every state: the money has arrived, whatever was thought of it before. */
export const intentMachine: Machine<IntentStatus, IntentEvent, IntentActor> = {
  name: 'payment',
  table: 'payments_intent',
  states: INTENT_STATES,
  terminal: ['SUCCEEDED', 'FAILED', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: ['PENDING', 'FAILED', 'EXPIRED'], event: 'confirm', by: ['processor'], to: 'SUCCEEDED' },
    { from: ['PENDING'], event: 'fail', by: ['processor'], to: 'FAILED' },
    { from: ['PENDING'], event: 'expire', by: ['processor', 'timer', 'payer'], to: 'EXPIRED' },
  ],
}
