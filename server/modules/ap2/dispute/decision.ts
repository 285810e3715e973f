import assert from 'node:assert/strict'
import { requireStepUp } from '#identity'
import { audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney, share } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { writeTogether } from '#platform/kernel/sql'
import { actorIdOf, awaitingBuyer, lockFunded, openDisputeOf, type FundedDeal } from '../deal/deal.ts'
import { outcomeOf, requireKnownKeys, splitByCriteria } from '../criteria/weights.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import { heldOf, type DisputeRow, type Outcome } from '../deal/rows.ts'
import { AP2, cannot } from '../errors.ts'
import { requireNoParty } from '../escrow/freeze.ts'
import { refundToCard, toCardOf, type CardRefund, type RefundTarget } from '../escrow/refund.ts'
import { settle, type Settled } from '../escrow/settle.ts'
import type { Settlement } from '../escrow/settlement-plan.ts'
import { afterDispute, requireShare } from './dispute.ts'

export interface ResolveInput {
  outcome?: Outcome
  sellerBps?: number
  byCriteria?: boolean
  failedCriteria?: string[]
  sellerAtFault?: boolean
  reason: string
  /** Where the buyer's part goes. */
  to?: RefundTarget
}

const NO_ANSWER = { code: 'dispute_unanswered', reason: 'no answer in 5 days' }
const UNDECIDED = { code: 'dispute_undecided', reason: 'undecided for 60 days' }

/**
 * Timer: no answer in 5 days. A silent seller refunds what is unreleased. A silent buyer pays for what has a verified
 * delivery; without one, or if the buyer's account is deleted, the dispute waits for an operator.
 */
export async function decideByDefault(tx: Tx, escrowId: string): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  const { escrow } = deal
  if (escrow.status !== 'DISPUTED' || !escrow.answerBy || escrow.answerBy > tx.now) return
  const dispute = openDisputeOf(deal)
  assert(dispute, 'a disputed escrow has an open dispute')
  if (dispute.openedBy === 'buyer') {
    await decide(tx, deal, {
      event: 'default',
      by: 'timer',
      outcome: 'REFUND',
      ...NO_ANSWER,
      sellerAtFault: true,
    })
  } else if (!awaitingBuyer(deal.milestones).length || deal.deletedSides.has('buyer')) {
    const draft = new DealDraft(deal, tx.now)
    draft.moveEscrow({
      event: 'escalate',
      by: 'timer',
      set: { answerBy: null },
      details: NO_ANSWER,
    })
    tx.write(writeTogether(changesOf(draft)))
  } else await releaseVerified(tx, deal, dispute)
}

/** Pays every verified milestone; the escrow is HELD again if others are open. */
async function releaseVerified(tx: Tx, deal: FundedDeal, dispute: DisputeRow): Promise<void> {
  const parts = awaitingBuyer(deal.milestones).map(milestone => ({
    milestone,
    amount: milestone.amount - milestone.released,
  }))
  const toSeller = parts.reduce((sum, { amount }) => sum + amount, 0n)
  const draft = new DealDraft(deal, tx.now)
  draft.setDispute(dispute.id, { endedAt: tx.now, outcome: 'RELEASE' })
  const order: Settlement = {
    event: 'default',
    by: 'timer',
    toSeller,
    parts,
    disputeId: dispute.id,
    set: afterDispute(deal.escrow, tx.now),
    details: { outcome: 'RELEASE', ...NO_ANSWER, toSeller: formatMoney(toSeller) },
  }
  await settle(tx, deal, order, { draft })
}

/** Timer: no decision until the dispute lapses, so the money goes back. */
export async function lapseDispute(tx: Tx, escrowId: string): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  const { escrow } = deal
  if (escrow.status !== 'DISPUTED' || !escrow.lapsesAt || escrow.lapsesAt > tx.now) return
  await decide(tx, deal, { event: 'lapse', by: 'timer', outcome: 'REFUND', ...UNDECIDED })
}

/**
 * An operator who is no party decides: a dispute or a frozen escrow in any way, a HELD one by releasing what
 * is verified or by refunding it.
 */
export async function resolveEscrow(
  tx: Tx,
  ctx: RequestContext,
  escrowId: string,
  { jobs, ...input }: ResolveInput & Pick<Services, 'jobs'>,
): Promise<Settled & { refund?: CardRefund }> {
  const { sellerAtFault, reason, to } = input
  await requireStepUp(tx, ctx, tx.clock.real())
  const deal = await lockFunded(tx, escrowId)
  requireNoParty(ctx, deal)
  const { outcome, sellerBps, failed } = decisionOf(deal, input)
  requireShare(outcome, sellerBps)
  const { status } = deal.escrow
  if (status === 'HELD') requirePlainOutcome(deal, outcome)
  else if (status !== 'DISPUTED' && status !== 'FROZEN') throw cannot('resolve', status)
  await audit(tx, ctx, 'escrow.resolved', {
    target: ['escrow', deal.escrow.id],
    details: { outcome, sellerBps, sellerAtFault, reason, ...(failed ? { byCriteria: true } : {}) },
    about: [deal.negotiation.buyerAccountId, deal.negotiation.sellerAccountId],
  })
  const event = status === 'HELD' ? (outcome === 'RELEASE' ? 'release' : 'refund') : 'resolve'
  const by = { by: 'operator', actorId: actorIdOf(ctx) } as const
  const decision = { event, ...by, outcome, sellerBps, sellerAtFault, reason, failed, to } as const
  const settled = await decide(tx, deal, decision)
  return { ...settled, refund: await refundToCard(tx, { jobs }, settled, settled.toCard) }
}

/** The outcome that an operator names, or that follows from the weights of the criteria that failed. */
function decisionOf(
  { negotiation: { acceptance }, disputes }: FundedDeal,
  { outcome, sellerBps, byCriteria, failedCriteria }: ResolveInput,
): { outcome: Outcome; sellerBps?: number; failed?: string[] } {
  if (!byCriteria && !failedCriteria) {
    if (!outcome) throw invalid('outcome is required, or byCriteria, or failedCriteria')
    return { outcome, sellerBps }
  }
  if (outcome || sellerBps !== undefined)
    throw invalid('the outcome follows from the criteria: leave out outcome and sellerBps')
  const named = requireKnownKeys(acceptance, failedCriteria, 'failedCriteria')
  const failed = named ?? disputes.at(-1)?.criteria
  if (!acceptance || !failed) throw invalid('the dispute names no criteria: send failedCriteria')
  return { ...outcomeOf(splitByCriteria(acceptance, failed).sellerBps), failed }
}

function requirePlainOutcome({ milestones }: FundedDeal, outcome: Outcome): void {
  if (outcome === 'SPLIT') throw cannot('split', 'HELD', 'only a disputed or frozen escrow is split')
  const open = milestones.filter(each => each.released < each.amount)
  if (outcome === 'RELEASE' && open.some(each => each.deliveryStatus !== 'VERIFIED')) {
    throw apiError(AP2.ESCROW_NOT_VERIFIED)
  }
}

interface Decision {
  event: 'default' | 'lapse' | 'resolve' | 'release' | 'refund'
  by: 'timer' | 'operator'
  actorId?: string
  outcome: Outcome
  sellerBps?: number
  /** Counts in the seller's score; an end without payment alone does not. */
  sellerAtFault?: boolean
  /** Of a timer: its reason, for programs. */
  code?: string
  reason: string
  /** The criteria that it follows from. */
  failed?: string[]
  to?: RefundTarget
}

async function decide(
  tx: Tx,
  deal: FundedDeal,
  { event, by, actorId, outcome, sellerBps, sellerAtFault, code, reason, failed: criteria, to }: Decision,
): Promise<Settled & { toCard: bigint }> {
  const held = heldOf(deal.escrow)
  const toSeller =
    outcome === 'RELEASE' ? held : outcome === 'REFUND' ? 0n : share(held, sellerBps ?? 0, 'floor')
  const toBuyer = held - toSeller
  const toCard = toCardOf(deal.escrow, toBuyer, to)
  const dispute = openDisputeOf(deal)
  const draft = new DealDraft(deal, tx.now)
  if (dispute) draft.setDispute(dispute.id, { endedAt: tx.now, outcome })
  const order: Settlement = {
    event,
    by,
    actorId,
    toSeller,
    toBuyer,
    toCard,
    disputeId: dispute?.id,
    sellerFailed: sellerAtFault,
    details: {
      outcome,
      ...(code ? { code } : {}),
      reason,
      toSeller: formatMoney(toSeller),
      toBuyer: formatMoney(toBuyer),
      ...(criteria ? { criteria } : {}),
      ...(toCard ? { toCard: formatMoney(toCard) } : {}),
    },
  }
  return { ...(await settle(tx, deal, order, { draft })), toCard }
}
