import { deletedAmong, demandStepUp } from '#identity'
import { audit } from '#platform/audit'
import { after, DAY } from '#platform/clock'
import type { Tx } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { transition } from '#platform/machine'
import { formatMoney, share } from '#platform/money'
import { bounded } from './bounded.ts'
import { actorIdOf, demandSide, lockFunded, otherSide, requireOwnedSide, standing, type FundedDeal } from './deal.ts'
import { escrowMachine } from './escrow-machine.ts'
import { AP2, cannot } from './faults.ts'
import { demandNoParty } from './freeze.ts'
import { demandHeld } from './negotiation.ts'
import { heldOf, withdrawalsOf, type DisputeRow, type EscrowRow, type Outcome, type Side } from './rows.ts'
import { settle, type Settled } from './settle.ts'
import * as statements from './sql.ts'

export interface DisputeInput { reason: string; asks?: Outcome; sellerBps?: number; evidence?: unknown; as?: Side }
export interface ResolveInput { outcome: Outcome; sellerBps?: number; sellerAtFault?: boolean; reason: string }

const ANSWER_TIME = 5 * DAY
/** Counted from the first dispute of an escrow. */
const DISPUTE_TIME = 60 * DAY
/** Each dispute lasts this long at least, so that a late one can be answered and decided too. */
const DISPUTE_TIME_MIN = 7 * DAY

/** A party objects and says what it wants; the timers of delivery and release stop. Returns the dispute. */
export async function openDispute(tx: Tx, actor: Actor, escrowId: string, input: DisputeInput): Promise<DisputeRow> {
  const deal = await lockFunded(tx, escrowId)
  const [owned = 'buyer'] = requireOwnedSide(actor, deal, input.as)
  const side = input.as ?? owned
  demandHeld(deal, 'dispute')
  const asks = input.asks ?? (side === 'buyer' ? 'REFUND' : 'RELEASE')
  demandShare(asks, input.sellerBps)
  const [first] = await tx.rows(statements.disputesOf([deal.escrow.id]))
  const dispute = await tx.one(statements.insert<DisputeRow>('ap2_dispute', {
    id: newId(), escrow_id: deal.escrow.id, opened_by: side, opener_id: actorIdOf(actor), asks,
    seller_bps: input.sellerBps ?? null,
    reason: input.reason, evidence: bounded(input.evidence, 'evidence'), opened_at: tx.now,
  }))
  await transition(tx, escrowMachine, deal.escrow, {
    event: 'dispute', by: side, actorId: actorIdOf(actor), details: { asks, reason: input.reason },
    set: { disputed_at: tx.now, answer_by: after(tx.now, ANSWER_TIME), lapses_at: lapseTime(first?.opened_at ?? tx.now, tx.now) },
  })
  return dispute
}

function lapseTime(firstOpenedAt: Date, now: Date): Date {
  const [due, earliest] = [after(firstOpenedAt, DISPUTE_TIME), after(now, DISPUTE_TIME_MIN)]
  return due > earliest ? due : earliest
}

function demandShare(outcome: Outcome, sellerBps: number | undefined): void {
  if (outcome === 'SPLIT' && sellerBps === undefined) {
    throw invalid('sellerBps is required for a split: the seller\'s share in basis points')
  }
  if (outcome !== 'SPLIT' && sellerBps !== undefined) throw invalid('sellerBps belongs to a split')
}

/** The other side's word: from now on only an operator, or the opener, ends the dispute before its 60 days. */
export async function answerDispute(tx: Tx, actor: Actor, escrowId: string, input: { statement: string }): Promise<void> {
  const { deal, dispute } = await lockDispute(tx, actor, escrowId, 'answer')
  const side = otherSide(dispute.opened_by)
  requireOwnedSide(actor, deal, side)
  if (dispute.answer !== null) throw fault(AP2.DISPUTE_ANSWERED)
  await tx.run(statements.update<DisputeRow>('ap2_dispute', dispute.id, {
    answer: input.statement, answered_at: tx.now,
  }))
  await transition(tx, escrowMachine, deal.escrow, {
    event: 'answer', by: side, actorId: actorIdOf(actor), set: { answer_by: null },
  })
}

/** The opener takes it back, once for each side of an escrow: it is HELD again, its timers with what was left. */
export async function withdrawDispute(tx: Tx, actor: Actor, escrowId: string): Promise<void> {
  const { deal, dispute } = await lockDispute(tx, actor, escrowId, 'withdraw')
  requireOwnedSide(actor, deal, dispute.opened_by)
  const { escrow } = deal
  if (withdrawalsOf(dispute.opened_by, await tx.rows(statements.disputesOf([escrow.id])))) {
    throw fault(AP2.WITHDRAWALS_EXHAUSTED, { hint: 'Each party can withdraw once: wait for a response or for an operator' })
  }
  await endDispute(tx, dispute, 'WITHDRAWN')
  await tx.run(statements.postponeReleases(escrow.id, disputeLength(escrow, tx.now)))
  await transition(tx, escrowMachine, escrow, {
    event: 'withdraw', by: dispute.opened_by, actorId: actorIdOf(actor), set: afterDispute(escrow, tx.now),
  })
}

const disputeLength = (escrow: EscrowRow, now: Date): number => now.getTime() - (escrow.disputed_at ?? now).getTime()

/** Columns of an escrow that goes on after a dispute: the delivery has as much time left as when the dispute began. */
const afterDispute = (escrow: EscrowRow, now: Date) => ({
  disputed_at: null, answer_by: null, lapses_at: null, deliver_by: after(escrow.deliver_by, disputeLength(escrow, now)),
})

async function lockDispute(tx: Tx, actor: Actor, escrowId: string, action: string): Promise<{ deal: FundedDeal; dispute: DisputeRow }> {
  const deal = await lockFunded(tx, escrowId)
  demandSide(actor, deal)
  if (deal.escrow.status === 'FROZEN') throw fault(AP2.ESCROW_FROZEN, { details: { freezes: deal.escrow.freezes } })
  if (deal.escrow.status !== 'DISPUTED') throw cannot(action, deal.escrow.status)
  return { deal, dispute: await tx.one(statements.openDisputeOf(deal.escrow.id)) }
}

const endDispute = (tx: Tx, dispute: DisputeRow, outcome: string) =>
  tx.run(statements.update<DisputeRow>('ap2_dispute', dispute.id, { ended_at: tx.now, outcome }))

const NO_ANSWER = 'no answer in 5 days'

/**
 * Timer: no answer in 5 days. A silent seller refunds what is unreleased. A silent buyer pays for what has a verified
 * delivery; without one, or if the buyer's account is deleted, the dispute waits for an operator.
 */
export async function decideByDefault(tx: Tx, escrowId: string): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  const { escrow } = deal
  if (escrow.status !== 'DISPUTED' || !escrow.answer_by || escrow.answer_by > tx.now) return
  const dispute = await tx.one(statements.openDisputeOf(escrow.id))
  if (dispute.opened_by === 'buyer') {
    await decide(tx, deal, { event: 'default', by: 'timer', outcome: 'REFUND', reason: NO_ANSWER, sellerAtFault: true })
  } else if (!standing(deal.milestones).length || await isBuyerDeleted(tx, deal)) {
    await transition(tx, escrowMachine, escrow, {
      event: 'escalate', by: 'timer', set: { answer_by: null }, details: { reason: NO_ANSWER },
    })
  } else await releaseVerified(tx, deal, dispute)
}

async function isBuyerDeleted(tx: Tx, { negotiation }: FundedDeal): Promise<boolean> {
  const buyer = negotiation.buyer_organization_id ?? negotiation.buyer_account_id
  return (await deletedAmong(tx, [buyer])).has(buyer)
}

/** Pays every verified milestone; the escrow is HELD again if others are open. */
async function releaseVerified(tx: Tx, deal: FundedDeal, dispute: DisputeRow): Promise<void> {
  const parts = standing(deal.milestones).map(milestone => ({ milestone, amount: milestone.amount - milestone.released }))
  const toSeller = parts.reduce((sum, { amount }) => sum + amount, 0n)
  await endDispute(tx, dispute, 'RELEASE')
  await settle(tx, deal, {
    event: 'default', by: 'timer', toSeller, parts, disputeId: dispute.id, set: afterDispute(deal.escrow, tx.now),
    details: { outcome: 'RELEASE', reason: NO_ANSWER, toSeller: formatMoney(toSeller) },
  })
}

/** Timer: no decision until the dispute lapses, so the money goes back. */
export async function lapseDispute(tx: Tx, escrowId: string): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  const { escrow } = deal
  if (escrow.status !== 'DISPUTED' || !escrow.lapses_at || escrow.lapses_at > tx.now) return
  await decide(tx, deal, { event: 'lapse', by: 'timer', outcome: 'REFUND', reason: 'undecided for 60 days' })
}

/**
 * An operator who is no party decides: a dispute or a frozen escrow in any way, a HELD one by releasing what
 * is verified or by refunding it.
 */
export async function resolveEscrow(tx: Tx, actor: Actor, escrowId: string, input: ResolveInput): Promise<Settled> {
  await demandStepUp(tx, actor, tx.clock.real())
  const deal = await lockFunded(tx, escrowId)
  demandNoParty(actor, deal)
  demandShare(input.outcome, input.sellerBps)
  const { status } = deal.escrow
  if (status === 'HELD') demandPlain(deal, input.outcome)
  else if (status !== 'DISPUTED' && status !== 'FROZEN') throw cannot('resolve', status)
  await audit(tx, {
    action: 'escrow.resolved', actorId: actor.accountId, actorKind: actor.kind, target: 'escrow', targetId: deal.escrow.id,
    details: { ...input }, about: [deal.negotiation.buyer_account_id, deal.negotiation.seller_account_id],
  })
  const event = status === 'HELD' ? (input.outcome === 'RELEASE' ? 'release' : 'refund') : 'resolve'
  return decide(tx, deal, { event, by: 'operator', actorId: actorIdOf(actor), ...input })
}

function demandPlain({ milestones }: FundedDeal, outcome: Outcome): void {
  if (outcome === 'SPLIT') throw cannot('split', 'HELD', 'only a disputed or frozen escrow is split')
  const open = milestones.filter(each => each.released < each.amount)
  if (outcome === 'RELEASE' && open.some(each => each.delivery_status !== 'VERIFIED')) {
    throw fault(AP2.ESCROW_NOT_VERIFIED)
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
  reason: string
}

async function decide(tx: Tx, deal: FundedDeal, { event, by, actorId, outcome, sellerBps, sellerAtFault, reason }: Decision): Promise<Settled> {
  const held = heldOf(deal.escrow)
  const toSeller = outcome === 'RELEASE' ? held : outcome === 'REFUND' ? 0n : share(held, sellerBps ?? 0, 'floor')
  const dispute = await tx.maybe(statements.openDisputeOf(deal.escrow.id))
  if (dispute) await endDispute(tx, dispute, outcome)
  return settle(tx, deal, {
    event, by, actorId, toSeller, toBuyer: held - toSeller, disputeId: dispute?.id, sellerFailed: sellerAtFault,
    details: { outcome, reason, toSeller: formatMoney(toSeller), toBuyer: formatMoney(held - toSeller) },
  })
}
