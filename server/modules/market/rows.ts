import type { AgentSummary } from '#agents'
import type { Asset } from '#platform/kernel/money'
import type { NeedStatus } from './need-machine.ts'
import type { OfferStatus } from './offer-machine.ts'

export interface Need {
  id: string
  status: NeedStatus
  accountId: string
  organizationId: string | null
  agentId: string | null
  title: string
  description: string
  category: string
  budget: bigint
  currency: Asset
  deadline: Date
  deliverBy: Date | null
  requirements: unknown
  sealedRequirements: string | null
  offerId: string | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface Offer {
  id: string
  needId: string
  status: OfferStatus
  agentId: string
  accountId: string
  price: bigint
  message: string | null
  estimatedDelivery: string | null
  expiresAt: Date
  negotiationId: string | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** What a response shows of an agent; as the database has it. */
export interface Party {
  id: string
  slug: string
  name: string
  trust_tier: AgentSummary['trustTier']
}

export type NeedWithParty = Need & { agent: Party | null; offers: number }
export type OfferWithParty = Offer & { agent: Party; currency: Asset }
