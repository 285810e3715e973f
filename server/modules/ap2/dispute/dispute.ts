import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { writeTogether } from '#platform/kernel/sql'
import {
  actorIdOf,
  lockFunded,
  openDisputeOf,
  otherSide,
  requireHeld,
  requireOwnedSide,
  requireParty,
  type FundedDeal,
} from '../deal/deal.ts'
import { requireKnownKeys } from '../criteria/weights.ts'
import { limitJsonSize } from '../deal/json-size.ts'
import { changesOf, DealDraft, postponeReleases } from '../deal/plan.ts'
import { withdrawalsOf, type DisputeRow, type EscrowRow, type Outcome, type Side } from '../deal/rows.ts'
import { AP2, cannot } from '../errors.ts'

export interface DisputeInput {
  reason: string
  asks?: Outcome
  sellerBps?: number
  evidence?: unknown
  as?: Side
  criteria?: string[]
}
const ANSWER_TIME = 5 * DAY
/** Counted from the first dispute of an escrow. */
const DISPUTE_TIME = 60 * DAY
/** Each dispute lasts this long at least, so that a late one can be answered and decided too. */
const DISPUTE_TIME_MIN = 7 * DAY

/** A party objects and says what it wants; the timers of delivery and release stop. Returns the id of the dispute too. */
export async function openDispute(
  tx: Tx,
  ctx: RequestContext,
  escrowId: string,
  input: DisputeInput,
): Promise<{ deal: FundedDeal; disputeId: string }> {
  const deal = await lockFunded(tx, escrowId)
  const [owned = 'buyer'] = requireOwnedSide(ctx, deal, input.as)
  const side = input.as ?? owned
  requireHeld(deal, 'dispute')
  const asks = input.asks ?? (side === 'buyer' ? 'REFUND' : 'RELEASE')
  requireShare(asks, input.sellerBps)
  const criteria = requireKnownKeys(deal.negotiation.acceptance, input.criteria, 'criteria')
  const actorId = actorIdOf(ctx)
  const disputeId = newId()
  const draft = new DealDraft(deal, tx.now)
  draft.addDispute({
    id: disputeId,
    escrowId: deal.escrow.id,
    openedBy: side,
    openerId: actorId,
    asks,
    sellerBps: input.sellerBps ?? null,
    reason: input.reason,
    evidence: limitJsonSize(input.evidence, 'evidence'),
    answer: null,
    answeredAt: null,
    openedAt: tx.now,
    endedAt: null,
    outcome: null,
    remindedAt: null,
    criteria,
  })
  draft.moveEscrow({
    event: 'dispute',
    by: side,
    actorId,
    details: { asks, reason: input.reason, ...(criteria ? { criteria } : {}) },
    set: {
      disputedAt: tx.now,
      answerBy: after(tx.now, ANSWER_TIME),
      lapsesAt: lapseTime(deal.disputes[0]?.openedAt ?? tx.now, tx.now),
    },
  })
  tx.write(writeTogether(changesOf(draft)))
  return { deal: draft.fundedDeal, disputeId }
}

function lapseTime(firstOpenedAt: Date, now: Date): Date {
  const [due, earliest] = [after(firstOpenedAt, DISPUTE_TIME), after(now, DISPUTE_TIME_MIN)]
  return due > earliest ? due : earliest
}

/** 400 unless a split, and nothing else, names the seller's share. */
export function requireShare(outcome: Outcome, sellerBps: number | undefined): void {
  if (outcome === 'SPLIT' && sellerBps === undefined) {
    throw invalid("sellerBps is required for a split: the seller's share in basis points")
  }
  if (outcome !== 'SPLIT' && sellerBps !== undefined) throw invalid('sellerBps is only allowed for a split')
}

/** The counterparty responds: from now on only an operator, or the opener, ends the dispute before its 60 days. */
export async function answerDispute(
  tx: Tx,
  ctx: RequestContext,
  escrowId: string,
  input: { statement: string },
): Promise<FundedDeal> {
  const { deal, dispute } = await lockDispute(tx, ctx, escrowId, 'answer')
  const side = otherSide(dispute.openedBy)
  requireOwnedSide(ctx, deal, side)
  if (dispute.answer !== null) throw apiError(AP2.DISPUTE_ANSWERED)
  const draft = new DealDraft(deal, tx.now)
  draft.setDispute(dispute.id, { answer: input.statement, answeredAt: tx.now })
  draft.moveEscrow({ event: 'answer', by: side, actorId: actorIdOf(ctx), set: { answerBy: null } })
  tx.write(writeTogether(changesOf(draft)))
  return draft.fundedDeal
}

/** The opener withdraws the dispute, once per side and escrow: it is HELD again, its timers with the time that was left. */
export async function withdrawDispute(tx: Tx, ctx: RequestContext, escrowId: string): Promise<FundedDeal> {
  const { deal, dispute } = await lockDispute(tx, ctx, escrowId, 'withdraw')
  requireOwnedSide(ctx, deal, dispute.openedBy)
  const { escrow, disputes, milestones } = deal
  if (withdrawalsOf(dispute.openedBy, disputes)) {
    throw apiError(AP2.WITHDRAWALS_EXHAUSTED, {
      hint: 'Each party can withdraw once: wait for a response or for an operator',
    })
  }
  const draft = new DealDraft(deal, tx.now)
  draft.setDispute(dispute.id, { endedAt: tx.now, outcome: 'WITHDRAWN' })
  postponeReleases(draft, milestones, disputeLength(escrow, tx.now))
  draft.moveEscrow({
    event: 'withdraw',
    by: dispute.openedBy,
    actorId: actorIdOf(ctx),
    set: afterDispute(escrow, tx.now),
  })
  tx.write(writeTogether(changesOf(draft)))
  return draft.fundedDeal
}

const disputeLength = (escrow: EscrowRow, now: Date): number =>
  now.getTime() - (escrow.disputedAt ?? now).getTime()

/** Columns of an escrow that continues after a dispute: the delivery has as much time left as when the dispute began. */
export const afterDispute = (escrow: EscrowRow, now: Date) => ({
  disputedAt: null,
  answerBy: null,
  lapsesAt: null,
  deliverBy: after(escrow.deliverBy, disputeLength(escrow, now)),
})

async function lockDispute(
  tx: Tx,
  ctx: RequestContext,
  escrowId: string,
  action: string,
): Promise<{ deal: FundedDeal; dispute: DisputeRow }> {
  const deal = await lockFunded(tx, escrowId)
  requireParty(ctx, deal)
  const { status, freezes } = deal.escrow
  if (status === 'FROZEN') throw apiError(AP2.ESCROW_FROZEN, { details: { freezes } })
  const dispute = openDisputeOf(deal)
  if (status !== 'DISPUTED' || !dispute) throw cannot(action, status)
  return { deal, dispute }
}
