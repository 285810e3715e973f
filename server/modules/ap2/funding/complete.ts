import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import type { FundedDeal } from '../deal/deal.ts'
import { isSellerEnd } from '../escrow/hold-plan.ts'
import { escrowViewFor, readableEscrow } from '../views/responses.ts'
import { railOf } from './rails.ts'

/**
 * What became of an escrow's funding, whatever the caller says of it. While it waits for its funds, the processor or the
 * chain is asked, and its answer is booked.
 */
export async function completeFunding(
  services: Services,
  ctx: RequestContext,
  { escrowId }: { escrowId: string },
) {
  const { db } = services
  const { escrow: before } = await readableEscrow(db, ctx, escrowId)
  if (before.status === 'PENDING_FUNDING' && before.rail !== 'wallet')
    await railOf(before.rail).refresh(services, escrowId)
  const deal = await readableEscrow(db, ctx, escrowId)
  const escrow = escrowViewFor(ctx, deal)
  return {
    escrowId: escrow.id,
    negotiationId: escrow.negotiationId,
    status: escrow.status,
    escrow,
    message: messageOf(deal),
  }
}

function messageOf({ escrow: { status, rail }, history }: FundedDeal): string {
  if (rail === 'wallet') return 'Funded from a wallet: the money was held at once and needs no confirmation'
  if (status === 'PENDING_FUNDING') return 'The funds have not been confirmed yet'
  if (status !== 'CANCELLED') return 'The funds have been confirmed'
  const reason = history.findLast(isSellerEnd)?.details['reason']
  return typeof reason === 'string'
    ? `${reason[0]?.toUpperCase()}${reason.slice(1)}: it is in the buyer's wallet`
    : 'The funding failed or was not made in time: the negotiation can be funded again'
}
