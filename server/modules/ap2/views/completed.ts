import type { Queryable } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { readDeal, readFunded, requireParty } from '../deal/deal.ts'
import type { EscrowRow } from '../deal/rows.ts'
import { AP2, cannot } from '../errors.ts'
import { isAnnulled } from '../escrow/chargeback.ts'

/** A deal by its negotiation or its escrow; with both, they must belong together. */
export interface DealRef {
  negotiationId?: string
  escrowId?: string
}

/**
 * A deal that the caller bought and that ended with a release. Errors: 400 or 404 for an unknown one, 403 unless the
 * caller is its buyer, 409 `Cannot <action> while <STATUS>` unless it is COMPLETED.
 */
export async function requireCompletedPurchase(
  q: Queryable,
  ctx: RequestContext,
  { negotiationId, escrowId }: DealRef,
  { action, now }: { action: string; now: Date },
) {
  if (negotiationId === undefined && escrowId === undefined)
    throw invalid('negotiationId or escrowId is required')
  const deal =
    negotiationId === undefined ? await readFunded(q, escrowId ?? '') : await readDeal(q, negotiationId, now)
  requireParty(ctx, deal, 'buyer')
  const { negotiation, escrow } = deal
  if (escrowId !== undefined && escrow?.id !== escrowId)
    throw invalid('negotiationId and escrowId belong to different deals: send one of them')
  if (negotiation.status !== 'COMPLETED' || !escrow)
    throw cannot(action, negotiation.status, 'the deal must have ended with a release to the seller')
  const { id, sellerAgentId, selfDeal } = negotiation
  return { negotiationId: id, escrow, sellerAgentId, selfDeal, test: escrow.test }
}

/** 409 if a bank took back what a completed deal had paid to its seller. */
export async function requireRetainedPayment(q: Queryable, escrow: EscrowRow): Promise<void> {
  if (await isAnnulled(q, escrow))
    throw apiError(AP2.DEAL_CHARGED_BACK, {
      hint: 'The bank took back what the deal had paid: it counts for nothing and cannot be rated',
    })
}
