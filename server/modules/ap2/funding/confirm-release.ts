import { cardPayments, PAYMENTS } from '#payments'
import { payoutOfTransfer } from '#payouts'
import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney } from '#platform/kernel/money'
import type { FundedDeal } from '../deal/deal.ts'
import { AP2, cannot } from '../errors.ts'
import { escrowViewFor, readableEscrow } from '../views/responses.ts'

/**
 * Confirms from the books that a card-funded escrow has paid its seller. The release itself is made by the buyer, a timer
 * or an operator; at the processor the money moves with the seller's payout, whose transfer may be named. Errors: 404 for
 * an unknown escrow or transfer, 403 for others, 409 for another rail, while nothing is released, or for the transfer of
 * another seller.
 */
export async function confirmCardRelease(
  q: Queryable,
  ctx: RequestContext,
  { escrowId, transferId }: { escrowId: string; transferId?: string },
) {
  const deal = await readableEscrow(q, ctx, escrowId)
  const { id, negotiationId, status, rail, released, fees } = deal.escrow
  if (rail !== 'card')
    throw apiError(PAYMENTS.NOT_PAID_BY_CARD, { hint: `The rail of this escrow is ${rail}` })
  if (released === 0n) throw cannot('confirm a release', status, 'nothing has been released to the seller')
  if (transferId !== undefined) await requireTransferOfSeller(q, deal, transferId)
  const payment = await cardPayments.paymentById(q, id)
  return {
    escrowId: id,
    negotiationId,
    status,
    escrow: escrowViewFor(ctx, deal),
    confirmed: true,
    released: formatMoney(released),
    netToSeller: formatMoney(released - fees),
    paymentIntentId: payment?.processorId ?? null,
    transferId: transferId ?? null,
  }
}

/** ApiErrors: 404 for a transfer of no payout, 409 for a payout to somebody else than the seller. */
async function requireTransferOfSeller(
  q: Queryable,
  { escrow, negotiation }: FundedDeal,
  transferId: string,
): Promise<void> {
  const payout = await payoutOfTransfer(q, transferId)
  if (!payout) throw apiError(PAYMENTS.TRANSFER_NOT_FOUND, { hint: 'No payout was sent with this transfer' })
  // An agent pays out itself, or passes the money on to the account that owns it.
  if (payout.walletId !== escrow.sellerWalletId && payout.accountId !== negotiation.sellerAccountId)
    throw apiError(AP2.TRANSFER_OF_OTHER, { hint: 'The transfer pays out to another owner' })
}
