import type { AgentSummary } from '#agents'
import type { RequestContext } from '#platform/http/principal'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { moneyNumber } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { parseCriteria } from '../criteria/criterion.ts'
import { acceptanceIn, requireUsableSchemas, withoutAcceptance } from '../deal/acceptance.ts'
import type { Deal } from '../deal/deal.ts'
import { limitJsonSize } from '../deal/json-size.ts'
import { requireTier, rulesOf, type Rules } from '../deal/tier.ts'
import { FUNDING_TIME, roundOf } from './negotiation-plan.ts'
import { openDeal, type NegotiateInput } from './negotiation.ts'

export { negotiationViewFor } from '../views/responses.ts'
export { Negotiation } from './schema.ts'
export type AgreementRules = Rules

/** The rules for deals that parties agree on outside a negotiation. */
export const agreementRules = (services: Services): Rules => rulesOf(services)

/** 400 for requirements that no deal could have. Before the transaction: it may take a while. */
export async function requireUsableRequirements(
  services: Services,
  accountId: string,
  requirements: unknown,
): Promise<void> {
  limitJsonSize(withoutAcceptance(requirements), 'requirements')
  const acceptance = acceptanceIn(requirements)
  const field = 'requirements.acceptance'
  const { seal } = rulesOf(services)
  parseCriteria(acceptance, field, { side: 'buyer', earlier: [], milestoneKeys: [], seal })
  await requireUsableSchemas(services.schemas, accountId, { requirements, acceptance, field })
}

/** 400 `Insufficient trust tier` where the agent may not sell at this price. */
export const requireSellable = (rules: Rules, seller: AgentSummary, price: bigint): void =>
  requireTier(rules, seller, price)

/** The consent of the seller, which it gave before the deal was opened. */
export interface Consent {
  actorId: string
  notes?: string
  estimatedDelivery?: string
}

/**
 * Opens a deal on terms to which the seller has agreed: ACCEPTED at the budget, as if the seller had accepted the offer of
 * the buyer, who calls it.
 */
export const openAgreedDeal = (
  tx: Tx,
  ctx: RequestContext,
  input: NegotiateInput,
  { rules, consent }: { rules: Rules; consent: Consent },
): Promise<Deal> =>
  openDeal(tx, ctx, input, {
    rules,
    terms: {},
    isInvited: true,
    plan(draft) {
      const { actorId } = consent
      draft.moveNegotiation({
        event: 'accept',
        by: 'seller',
        actorId,
        set: { expiresAt: null, fundBy: after(draft.now, FUNDING_TIME) },
        details: { price: moneyNumber(draft.deal.negotiation.price) },
      })
      const entry = { ...consent, side: 'seller', action: 'ACCEPTED' } as const
      draft.addRound(roundOf(draft.deal.negotiation, entry, draft.now))
    },
  })
