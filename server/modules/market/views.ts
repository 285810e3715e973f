import type { Static } from '#platform/http/type'
import { moneyNumber } from '#platform/kernel/money'
import type { NeedWithParty, OfferWithParty, Party } from './rows.ts'
import type { Need, Offer } from './schema.ts'

const partyView = ({ id, slug, name, trust_tier: trustTier }: Party) => ({ id, slug, name, trustTier })

export const needView = (need: NeedWithParty): Static<typeof Need> => ({
  id: need.id,
  status: need.status,
  buyerId: need.accountId,
  agent: need.agent && partyView(need.agent),
  title: need.title,
  description: need.description,
  category: need.category,
  budget: moneyNumber(need.budget),
  currency: need.currency,
  deadline: need.deadline.toISOString(),
  deliverBy: need.deliverBy?.toISOString() ?? null,
  requirements: need.requirements,
  openOffers: need.offers,
  acceptedOfferId: need.offerId,
  createdAt: need.createdAt.toISOString(),
  updatedAt: need.updatedAt.toISOString(),
})

export const offerView = (offer: OfferWithParty): Static<typeof Offer> => ({
  id: offer.id,
  needId: offer.needId,
  status: offer.status,
  agent: partyView(offer.agent),
  price: moneyNumber(offer.price),
  currency: offer.currency,
  message: offer.message,
  estimatedDelivery: offer.estimatedDelivery,
  expiresAt: offer.expiresAt.toISOString(),
  negotiationId: offer.negotiationId,
  createdAt: offer.createdAt.toISOString(),
  updatedAt: offer.updatedAt.toISOString(),
})
