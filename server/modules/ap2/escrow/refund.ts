import { cardPayments, PAYMENTS } from '#payments'
import { MINUTE } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney, type Asset } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import {
  actorIdOf,
  awaitingBuyer,
  lockFunded,
  requireHeld,
  requireOwnedSide,
  type FundedDeal,
} from '../deal/deal.ts'
import type { DealLine } from '../deal/parts.ts'
import { heldOf, type EscrowRow } from '../deal/rows.ts'
import { settle, type Settled } from './settle.ts'

const CENT = 10_000n

/** Where the buyer gets money back. */
export type RefundTarget = 'wallet' | 'card'

/** The seller gives back what is still held: to the buyer's wallet, or to the card that paid. */
export async function refundEscrow(
  tx: Tx,
  ctx: RequestContext,
  escrowId: string,
  { memo, to, jobs }: { memo?: string; to?: RefundTarget } & Pick<Services, 'jobs'>,
): Promise<Settled & { refund?: CardRefund }> {
  const deal = await lockFunded(tx, escrowId)
  requireOwnedSide(ctx, deal, 'seller')
  requireHeld(deal, 'refund')
  const held = heldOf(deal.escrow)
  const toCard = toCardOf(deal.escrow, held, to)
  const settled = await settle(tx, deal, {
    event: 'refund',
    by: 'seller',
    actorId: actorIdOf(ctx),
    toBuyer: held,
    toCard,
    memo,
    author: ctx.principal.accountId,
    details: { amount: formatMoney(held), ...(toCard ? { toCard: formatMoney(toCard) } : {}) },
  })
  return { ...settled, refund: await refundToCard(tx, { jobs }, settled, toCard) }
}

/** Money that is on its way back to a card. */
export interface CardRefund {
  id: string
  amount: bigint
  currency: Asset
  status: 'PENDING'
}

/** What of an amount for the buyer goes to the card that paid: whole cents. The rest goes to the wallet. */
export function toCardOf({ rail }: EscrowRow, amount: bigint, to: RefundTarget = 'wallet'): bigint {
  if (to === 'wallet') return 0n
  if (rail !== 'card')
    throw apiError(PAYMENTS.NOT_PAID_BY_CARD, { hint: 'Refund it to the wallet: leave out "to"' })
  const cents = amount - (amount % CENT)
  if (cents === 0n) throw invalid('less than a cent goes back: refund it to the wallet')
  return cents
}

/** Sends what a settlement posted for the card once this transaction commits; undefined where that is nothing. */
export async function refundToCard(
  tx: Tx,
  { jobs }: Pick<Services, 'jobs'>,
  { deal: { escrow }, journal }: Settled,
  amount: bigint,
): Promise<CardRefund | undefined> {
  if (!amount) return undefined
  const { id: paymentId, buyerWalletId: walletId, currency } = escrow
  const refund = { id: newId(), amount, currency }
  await cardPayments.openRefund({ jobs }, tx, { ...refund, paymentId, walletId, journalId: journal.id })
  return { ...refund, status: 'PENDING' }
}

/** Timer: `deliver_by` passed and no verified delivery waits for the buyer. */
export async function refundUndelivered(tx: Tx, escrowId: string): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  const { escrow, milestones } = deal
  const delivered =
    awaitingBuyer(milestones).length > 0 || milestones.some(each => each.deliveryStatus === 'VERIFYING')
  if (escrow.status !== 'HELD' || escrow.deliverBy > tx.now || delivered) return
  const held = heldOf(escrow)
  await settle(tx, deal, {
    event: 'refund',
    by: 'timer',
    toBuyer: held,
    sellerFailed: hadTimeToDeliver(deal),
    details: { amount: formatMoney(held), code: 'not_delivered', reason: 'not delivered in time' },
  })
}

/** With this time between the hold and the deliverBy a seller always answers for a late delivery. */
const MIN_TIME_TO_DELIVER = 10 * MINUTE

/** A buyer may fund a deal moments before its deliverBy: that is no failure of the seller. A short time that both agreed on is. */
function hadTimeToDeliver({ negotiation, escrow, history }: FundedDeal): boolean {
  const momentOf = (subject: DealLine['subject'], event: string) =>
    history.find(line => line.subject === subject && line.event === event)?.at.getTime()
  const heldAt = momentOf('escrow', 'hold')
  // Disputes and freezes move the deliverBy of the escrow, but give the seller no time; changes do give it.
  const { deliverBy } = escrow.changesRequested ? escrow : negotiation
  if (heldAt === undefined || !deliverBy) return true
  const agreed = deliverBy.getTime() - (momentOf('negotiation', 'accept') ?? heldAt)
  return deliverBy.getTime() - heldAt >= Math.min(MIN_TIME_TO_DELIVER, agreed / 2)
}
