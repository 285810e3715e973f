import type { Machine } from '#platform/kernel/machine'

export const ESCROW_STATES = [
  'PENDING_FUNDING',
  'HELD',
  'DISPUTED',
  'FROZEN',
  'RELEASED',
  'REFUNDED',
  'SPLIT',
  'CANCELLED',
] as const
export type EscrowStatus = (typeof ESCROW_STATES)[number]
export type EscrowEvent =
  | 'hold'
  | 'fail'
  | 'abandon'
  | 'release'
  | 'refund'
  | 'cancel'
  | 'dispute'
  | 'answer'
  | 'withdraw'
  | 'default'
  | 'escalate'
  | 'lapse'
  | 'resolve'
  | 'freeze'
  | 'unfreeze'
  | 'charge_back'
/**
 * `system` freezes and unfreezes as keys are revoked and issued, and acts for an account that is being deleted;
 * `processor` confirms funds or refuses them, and takes them back for a card holder.
 */
export type EscrowTrigger = 'buyer' | 'seller' | 'operator' | 'timer' | 'system' | 'processor'

/** FROZEN alone has no timer: only a person, a new key or the end of a chargeback ends it. */
export const escrowMachine: Machine<EscrowStatus, EscrowEvent, EscrowTrigger> = {
  name: 'escrow',
  table: 'ap2_escrow',
  states: ESCROW_STATES,
  terminal: ['RELEASED', 'REFUNDED', 'SPLIT', 'CANCELLED'],
  timers: ['timer'],
  edges: [
    { from: ['PENDING_FUNDING'], event: 'hold', by: ['processor'], to: 'HELD' },
    { from: ['PENDING_FUNDING'], event: 'fail', by: ['processor', 'timer', 'system'], to: 'CANCELLED' },
    { from: ['PENDING_FUNDING'], event: 'abandon', by: ['buyer'], to: 'CANCELLED' },
    { from: ['HELD'], event: 'release', by: ['buyer', 'timer'], to: 'HELD' },
    { from: ['HELD'], event: 'release', by: ['buyer', 'timer', 'operator'], to: 'RELEASED' },
    { from: ['HELD'], event: 'refund', by: ['seller', 'operator', 'timer'], to: 'REFUNDED' },
    { from: ['HELD'], event: 'refund', by: ['seller', 'operator', 'timer'], to: 'SPLIT' },
    { from: ['HELD'], event: 'cancel', by: ['buyer'], to: 'REFUNDED' },
    { from: ['HELD'], event: 'cancel', by: ['buyer'], to: 'SPLIT' },
    { from: ['HELD'], event: 'dispute', by: ['buyer', 'seller'], to: 'DISPUTED' },
    { from: ['DISPUTED'], event: 'answer', by: ['buyer', 'seller'], to: 'DISPUTED' },
    { from: ['DISPUTED'], event: 'withdraw', by: ['buyer', 'seller'], to: 'HELD' },
    { from: ['DISPUTED'], event: 'default', by: ['timer'], to: 'HELD' },
    { from: ['DISPUTED'], event: 'escalate', by: ['timer'], to: 'DISPUTED' },
    { from: ['DISPUTED'], event: 'default', by: ['timer'], to: 'RELEASED' },
    { from: ['DISPUTED'], event: 'default', by: ['timer'], to: 'REFUNDED' },
    { from: ['DISPUTED'], event: 'default', by: ['timer'], to: 'SPLIT' },
    { from: ['DISPUTED'], event: 'lapse', by: ['timer'], to: 'REFUNDED' },
    { from: ['DISPUTED'], event: 'lapse', by: ['timer'], to: 'SPLIT' },
    { from: ['DISPUTED', 'FROZEN'], event: 'resolve', by: ['operator'], to: 'RELEASED' },
    { from: ['DISPUTED', 'FROZEN'], event: 'resolve', by: ['operator'], to: 'REFUNDED' },
    { from: ['DISPUTED', 'FROZEN'], event: 'resolve', by: ['operator'], to: 'SPLIT' },
    { from: ['HELD', 'DISPUTED'], event: 'freeze', by: ['system'], to: 'FROZEN' },
    { from: ['FROZEN'], event: 'unfreeze', by: ['system', 'operator'], to: 'HELD' },
    { from: ['FROZEN'], event: 'unfreeze', by: ['system', 'operator'], to: 'DISPUTED' },
    { from: ['FROZEN'], event: 'charge_back', by: ['processor'], to: 'FROZEN' },
    { from: ['FROZEN'], event: 'charge_back', by: ['processor'], to: 'REFUNDED' },
    { from: ['FROZEN'], event: 'charge_back', by: ['processor'], to: 'SPLIT' },
  ],
}
