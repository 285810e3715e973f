import type { Machine } from '#platform/kernel/machine'

export const OFFER_STATES = ['OPEN', 'ACCEPTED', 'REJECTED', 'WITHDRAWN', 'EXPIRED'] as const
export type OfferStatus = (typeof OFFER_STATES)[number]
export type OfferEvent = 'accept' | 'reject' | 'withdraw' | 'expire'
/** `system` ends what an ended need, a deleted account or an archived agent leaves open. */
export type OfferTrigger = 'buyer' | 'seller' | 'timer' | 'system'

export const offerMachine: Machine<OfferStatus, OfferEvent, OfferTrigger> = {
  name: 'offer',
  table: 'market_offer',
  states: OFFER_STATES,
  terminal: ['ACCEPTED', 'REJECTED', 'WITHDRAWN', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: ['OPEN'], event: 'accept', by: ['buyer'], to: 'ACCEPTED' },
    { from: ['OPEN'], event: 'reject', by: ['system'], to: 'REJECTED' },
    { from: ['OPEN'], event: 'withdraw', by: ['seller', 'system'], to: 'WITHDRAWN' },
    { from: ['OPEN'], event: 'expire', by: ['timer'], to: 'EXPIRED' },
  ],
}
