import type { Machine } from '#platform/kernel/machine'

export const NEGOTIATION_STATES = [
  'PENDING',
  'COUNTERED',
  'ACCEPTED',
  'ESCROWED',
  'IN_PROGRESS',
  'DELIVERED',
  'COMPLETED',
  'REFUNDED',
  'SPLIT',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
] as const
export type NegotiationStatus = (typeof NEGOTIATION_STATES)[number]
export type NegotiationEvent =
  | 'counter'
  | 'accept'
  | 'reject'
  | 'cancel'
  | 'expire'
  | 'fund'
  | 'start'
  | 'deliver'
  | 'deliver_milestone'
  | 'request_changes'
  | 'continue'
  | 'complete'
  | 'refund'
  | 'split'
/** `system` acts for an account that is being deleted, `processor` takes money back for a card holder. */
export type NegotiationTrigger = 'buyer' | 'seller' | 'operator' | 'timer' | 'system' | 'processor'

const OPEN = ['PENDING', 'COUNTERED'] as const
/** Live, and not paid yet. */
export const UNFUNDED: readonly NegotiationStatus[] = [...OPEN, 'ACCEPTED']
const FUNDED = ['ESCROWED', 'IN_PROGRESS', 'DELIVERED'] as const
const ANYONE = ['buyer', 'seller', 'operator', 'timer'] as const

/** The life of a deal, as both sides see it. From ESCROWED on it follows its escrow to the end. */
export const negotiationMachine: Machine<NegotiationStatus, NegotiationEvent, NegotiationTrigger> = {
  name: 'negotiation',
  table: 'ap2_negotiation',
  states: NEGOTIATION_STATES,
  terminal: ['COMPLETED', 'REFUNDED', 'SPLIT', 'REJECTED', 'CANCELLED', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: OPEN, event: 'counter', by: ['buyer', 'seller'], to: 'COUNTERED' },
    { from: OPEN, event: 'accept', by: ['buyer', 'seller'], to: 'ACCEPTED' },
    { from: OPEN, event: 'reject', by: ['buyer', 'seller'], to: 'REJECTED' },
    { from: UNFUNDED, event: 'cancel', by: ['buyer', 'system'], to: 'CANCELLED' },
    { from: UNFUNDED, event: 'expire', by: ['timer'], to: 'EXPIRED' },
    { from: ['ACCEPTED'], event: 'fund', by: ['buyer'], to: 'ESCROWED' },
    { from: ['ESCROWED'], event: 'start', by: ['seller'], to: 'IN_PROGRESS' },
    { from: ['ESCROWED'], event: 'cancel', by: ['buyer'], to: 'REFUNDED' },
    { from: ['IN_PROGRESS'], event: 'deliver', by: ['seller'], to: 'DELIVERED' },
    { from: ['DELIVERED'], event: 'deliver_milestone', by: ['seller'], to: 'DELIVERED' },
    { from: ['DELIVERED'], event: 'request_changes', by: ['buyer'], to: 'IN_PROGRESS' },
    { from: ['DELIVERED'], event: 'continue', by: ['buyer', 'timer'], to: 'IN_PROGRESS' },
    { from: FUNDED, event: 'complete', by: ['buyer', 'operator', 'timer'], to: 'COMPLETED' },
    { from: FUNDED, event: 'refund', by: ['seller', 'operator', 'timer', 'processor'], to: 'REFUNDED' },
    { from: FUNDED, event: 'split', by: [...ANYONE, 'processor'], to: 'SPLIT' },
  ],
}

export const AP2_PHASES = ['NEGOTIATE', 'ACCEPT', 'HOLD', 'EXECUTE', 'VERIFY', 'RELEASE'] as const
export type Phase = (typeof AP2_PHASES)[number]

/** The phase of the AP2 lifecycle of each state; null for a deal that left the lifecycle. */
export const PHASES: Record<NegotiationStatus, Phase | null> = {
  PENDING: 'NEGOTIATE',
  COUNTERED: 'NEGOTIATE',
  ACCEPTED: 'ACCEPT',
  ESCROWED: 'HOLD',
  IN_PROGRESS: 'EXECUTE',
  DELIVERED: 'VERIFY',
  COMPLETED: 'RELEASE',
  REFUNDED: null,
  SPLIT: null,
  REJECTED: null,
  CANCELLED: null,
  EXPIRED: null,
}
