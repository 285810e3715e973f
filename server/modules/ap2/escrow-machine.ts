import type { Machine } from '#platform/machine'

export const ESCROW_STATES = ['HELD', 'DISPUTED', 'FROZEN', 'RELEASED', 'REFUNDED', 'SPLIT'] as const
export type EscrowStatus = (typeof ESCROW_STATES)[number]
export type EscrowEvent =
  | 'release' | 'refund' | 'cancel' | 'dispute' | 'answer' | 'withdraw' | 'default' | 'escalate' | 'lapse' | 'resolve' | 'freeze' | 'unfreeze'
/** `system` freezes and unfreezes as keys are revoked and issued. */
export type EscrowMover = 'buyer' | 'seller' | 'operator' | 'timer' | 'system'

/** FROZEN alone has no timer: only a person, or a new key, ends it. */
export const escrowMachine: Machine<EscrowStatus, EscrowEvent, EscrowMover> = {
  name: 'escrow',
  table: 'ap2_escrow',
  states: ESCROW_STATES,
  terminal: ['RELEASED', 'REFUNDED', 'SPLIT'],
  timers: ['timer'],
  edges: [
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
  ],
}
