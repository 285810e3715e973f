import { createHash } from 'node:crypto'
import { signing } from '#identity'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { criterionView } from '../criteria/criterion.ts'
import { readDeal, requireReader, type FundedDeal } from '../deal/deal.ts'
import { AP2 } from '../errors.ts'

/** Time to deliver, from the hold, where the parties agreed on none. */
export const DELIVERY_TIME = 30 * DAY
const TYPE = 'deal-terms+jws'

/**
 * What the parties agreed, from columns that nothing changes after the money is held. An agent's account is not among them:
 * an agent that is claimed has another owner afterwards.
 */
function documentOf(deal: FundedDeal, fundedAt: Date) {
  const { negotiation, escrow } = deal
  const party = (side: 'buyer' | 'seller') => {
    const agentId = negotiation[`${side}AgentId`]
    return {
      accountId: agentId === null ? negotiation[`${side}AccountId`] : null,
      agentId,
      organizationId: negotiation[`${side}OrganizationId`],
      walletId: escrow[`${side}WalletId`],
    }
  }
  return {
    type: 'deal-terms' as const,
    version: 1 as const,
    negotiationId: negotiation.id,
    escrowId: escrow.id,
    fundedAt: fundedAt.toISOString(),
    buyer: party('buyer'),
    seller: party('seller'),
    requestedService: negotiation.requestedService,
    requirements: negotiation.requirements ?? null,
    outputSchema: negotiation.acceptanceSchema,
    acceptance: (negotiation.acceptance ?? []).map(criterionView),
    notes: negotiation.notes,
    price: formatMoney(escrow.amount),
    currency: escrow.currency,
    test: escrow.test,
    feeBps: escrow.feeBps,
    milestones: (negotiation.milestones ?? []).map(({ key, title, amount }) => ({
      key,
      title,
      amount: formatMoney(BigInt(amount)),
    })),
    deliverBy: (negotiation.deliverBy ?? after(fundedAt, DELIVERY_TIME)).toISOString(),
    autoReleaseDays: negotiation.autoReleaseDays,
    referrerAgentId: negotiation.referrerAgentId,
  }
}

export type Terms = ReturnType<typeof documentOf>

/** The terms of a deal and their canonical text (RFC 8785); null before the money was held. */
function agreedTerms(deal: FundedDeal): { terms: Terms; text: string } | null {
  const held = deal.history.find(({ subject, event }) => subject === 'escrow' && event === 'hold')
  if (!held) return null
  // As JSON: fields without a value are left out.
  const terms = JSON.parse(JSON.stringify(documentOf(deal, held.at))) as Terms
  return { terms, text: signing.canonicalJson(terms) }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The hash of the terms of a deal that is being funded: it is stored, and sealed with the journal of the hold. */
export function hashTerms(deal: FundedDeal): string {
  const agreed = agreedTerms(deal)
  if (!agreed) throw new Error('the deal has no hold')
  return hashOf(agreed.text)
}

/**
 * The agreed terms, signed by the service, for the parties and admins. 404 before funding, and once the text of a deleted
 * party was erased: what is signed is what was agreed.
 */
export async function signedTerms(
  services: Services,
  q: Queryable,
  ctx: RequestContext,
  negotiationId: string,
) {
  const now = services.clock.now()
  const deal = await readDeal(q, negotiationId, now)
  requireReader(ctx, deal)
  const { escrow } = deal
  const agreed = escrow && agreedTerms({ ...deal, escrow })
  if (!agreed || !escrow.termsSha256)
    throw apiError(AP2.TERMS_NOT_FOUND, { hint: 'The terms are fixed when the deal is funded' })
  const { terms, text } = agreed
  const sha256 = hashOf(text)
  if (sha256 !== escrow.termsSha256)
    throw apiError(AP2.TERMS_NOT_FOUND, { hint: 'A party was deleted, and its text with it' })
  const key = signing.documentKeysOf(services).active(now)
  return { terms, sha256, jws: signing.signText(key, TYPE, text) }
}
