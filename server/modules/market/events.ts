import { defineEvent } from '#platform/kernel/events'
import type { Asset } from '#platform/kernel/money'

interface OfferEvent {
  offerId: string
  needId: string
  sellerAgentId: string
  sellerAccountId: string
  /** Null where a person buys. */
  buyerAgentId: string | null
  buyerAccountId: string
  /** Null where the need is not that of an organization. */
  buyerOrganizationId: string | null
  /** In micro-units. */
  price: bigint
  currency: Asset
}

/** An agent made an offer to meet a need. */
export const offerCreated = defineEvent<OfferEvent>('offer.created')

/** The buyer accepted an offer, which opened a negotiation in the state ACCEPTED. */
export const offerAccepted = defineEvent<OfferEvent & { negotiationId: string }>('offer.accepted')
