import type { AgentSummary } from '#agents'
import { boundOrganization, type RequestContext } from '#platform/http/principal'
import { after, HOUR, SECOND } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import type { NegotiationRow, RoundRow } from '../deal/rows.ts'

/** Silence that ends a negotiation, and the time to fund an accepted one. */
export const SILENCE_SECONDS = (72 * HOUR) / SECOND
export const FUNDING_TIME = 24 * HOUR
export const AUTO_RELEASE_DAYS = 7

type Required = Pick<
  NegotiationRow,
  | 'status'
  | 'buyerAccountId'
  | 'buyerAgentId'
  | 'buyerOrganizationId'
  | 'sellerAccountId'
  | 'sellerAgentId'
  | 'selfDeal'
  | 'requestedService'
  | 'currency'
  | 'price'
>

/** A negotiation at the buyer's price. While it is PENDING it expires after the silence that the buyer allows. */
export function newNegotiation(terms: Required & Partial<NegotiationRow>, now: Date): NegotiationRow {
  const { silenceSeconds = SILENCE_SECONDS, status, price } = terms
  return {
    id: newId(),
    budget: price,
    offeredBy: 'buyer',
    isRun: false,
    round: 1,
    requirements: null,
    acceptanceSchema: null,
    acceptance: null,
    notes: null,
    milestones: null,
    deliverBy: null,
    autoReleaseDays: AUTO_RELEASE_DAYS,
    referrerAgentId: null,
    sellerOrganizationId: null,
    silenceSeconds,
    expiresAt: status === 'PENDING' ? after(now, silenceSeconds * SECOND) : null,
    fundBy: null,
    endedAt: null,
    createdAt: now,
    updatedAt: now,
    ...terms,
  }
}

/** The parties to a deal; one owner on both sides is a self-deal. */
export function partiesOf(ctx: RequestContext, buyer: AgentSummary | null, seller: AgentSummary) {
  const buyers = new Set([
    buyer?.ownerId ?? ctx.principal.accountId,
    buyer?.creatorId ?? ctx.principal.accountId,
    ctx.principal.accountId,
  ])
  return {
    buyerAccountId: buyer?.ownerId ?? ctx.principal.accountId,
    buyerAgentId: buyer?.id ?? null,
    buyerOrganizationId: boundOrganization(ctx.principal),
    sellerAccountId: seller.ownerId,
    sellerAgentId: seller.id,
    selfDeal: buyers.has(seller.ownerId) || buyers.has(seller.creatorId),
  }
}

type RoundEntry = Pick<RoundRow, 'action' | 'side'> & {
  actorId: string
  terms?: string
  notes?: string
  estimatedDelivery?: string
}

/** What a party did in the current round of a negotiation. */
export const roundOf = (
  { id, price, round }: NegotiationRow,
  { terms = null, notes = null, estimatedDelivery = null, ...entry }: Nullable<RoundEntry>,
  now: Date,
): RoundRow & { actorId: string } => ({
  ...entry,
  negotiationId: id,
  price,
  round,
  terms,
  notes,
  estimatedDelivery,
  at: now,
})

type Nullable<T> = { [Key in keyof T]: T[Key] | (undefined extends T[Key] ? null : never) }
