import type { DealEnd } from '#trust'
import type { Leg } from '#platform/kernel/money'
import { allVerified, awaitingBuyer, type FundedDeal } from '../deal/deal.ts'
import type { EscrowEvent, EscrowTrigger, EscrowStatus } from '../deal/escrow-machine.ts'
import type { NegotiationEvent } from '../deal/negotiation-machine.ts'
import { DealDraft, type DealPlan } from '../deal/plan.ts'
import { heldOf, type DisputeRow, type EscrowRow, type MilestoneRow } from '../deal/rows.ts'
import { feeOfRelease } from './fee.ts'
import { refundLegs, releaseLegs } from './legs.ts'

/** Money that leaves an escrow, in micro-units: `toSeller + toBuyer` is at most what is held. */
export interface Settlement {
  event: EscrowEvent
  by: EscrowTrigger
  actorId?: string | null
  /** Gross, of which the seller gets all but the fee. */
  toSeller?: bigint
  toBuyer?: bigint
  /** The part of `toBuyer` that goes back to the card, in whole cents. */
  toCard?: bigint
  /** The milestones that `toSeller` pays for; by default all that is open. */
  parts?: readonly Part[]
  /** The dispute that this ends: its id is the posting key. */
  disputeId?: string
  /** The seller did not do what it owed: counts in its score. */
  sellerFailed?: boolean
  /** Columns of the escrow that the event sets if the escrow continues. */
  set?: Partial<EscrowRow>
  memo?: string
  /** The account that wrote the memo. */
  author?: string
  details?: Record<string, unknown>
}

/** An amount that is paid for a milestone. */
export interface Part {
  milestone: MilestoneRow
  amount: bigint
}

/** All state changes and legs of a settlement, decided before anything is written. */
export interface SettlementPlan extends DealPlan {
  readonly deal: FundedDeal
  kind: 'ap2.release' | 'ap2.refund' | 'ap2.split'
  /** The posting key: each settlement of an escrow is posted once. */
  key: string
  legs: Leg[]
  toSeller: bigint
  fee: bigint
  /** Everything that `toSeller` pays for has a verified delivery. */
  isVerified: boolean
  /** What the end of the deal says about the seller; null while the deal continues. */
  trust: { end: DealEnd; outcome: 'COMPLETED' | 'FAILED' } | null
}

/** Decides a settlement of a locked deal. `draft` may already hold other changes of the same command. */
export function planSettlement(
  deal: FundedDeal,
  order: Settlement,
  now: Date,
  draft = new DealDraft(deal, now),
): SettlementPlan {
  const { toSeller = 0n, toBuyer = 0n, toCard } = order
  const isVerified = payMilestones(draft, deal, order)
  const { released, fees, feeBps } = deal.escrow
  const fee = toSeller ? feeOfRelease({ released, fees, feeBps }, toSeller) : 0n
  const escrow = draft.moveEscrow(moveOf(deal.escrow, order, { fee, isVerified, now }))
  if (escrow.endedAt) stopReleases(draft)
  const negotiationMove = negotiationMoveOf(draft, order)
  if (negotiationMove) draft.moveNegotiation(negotiationMove)
  const { rows, lines } = draft
  return {
    deal: draft.fundedDeal,
    rows,
    lines,
    kind: toSeller && toBuyer ? 'ap2.split' : toSeller ? 'ap2.release' : 'ap2.refund',
    key: keyOf(escrow, order),
    legs: [...releaseLegs(escrow, toSeller, fee), ...refundLegs(escrow, toBuyer, toCard)],
    toSeller,
    fee,
    isVerified,
    trust: trustOf({ ...deal, disputes: draft.deal.disputes }, escrow, order),
  }
}

function keyOf(escrow: EscrowRow, { toSeller, toBuyer, disputeId }: Settlement): string {
  if (disputeId) return disputeId
  if (toSeller && toBuyer) return `${escrow.id}:split`
  return toSeller ? `${escrow.id}:${escrow.releases}` : `${escrow.id}:r${escrow.refunds}`
}

/** Marks what is paid for; returns whether all of it has a verified delivery. */
function payMilestones(
  draft: DealDraft,
  { milestones }: FundedDeal,
  { toSeller = 0n, parts = spread(milestones, toSeller) }: Settlement,
): boolean {
  if (!toSeller) return true
  for (const { milestone, amount } of parts) {
    const released = milestone.released + amount
    const autoReleaseAt = released === milestone.amount ? null : milestone.autoReleaseAt
    draft.setMilestone(milestone.id, { released, autoReleaseAt })
  }
  return parts.every(({ milestone }) => milestone.deliveryStatus === 'VERIFIED')
}

/** Of an escrow that has ended nothing is released any more. */
function stopReleases(draft: DealDraft): void {
  for (const { id, autoReleaseAt } of draft.deal.milestones)
    if (autoReleaseAt) draft.setMilestone(id, { autoReleaseAt: null })
}

/** An amount over the open milestones, in their order. */
export function spread(milestones: readonly MilestoneRow[], amount: bigint): Part[] {
  let left = amount
  return milestones
    .map(milestone => {
      const open = milestone.amount - milestone.released
      const part = left < open ? left : open
      left -= part
      return { milestone, amount: part }
    })
    .filter(part => part.amount > 0n)
}

/** Columns that only a dispute or a freeze fills. */
const AT_REST = {
  originalStatus: null,
  freezes: [],
  frozenAt: null,
  disputedAt: null,
  answerBy: null,
  lapsesAt: null,
}

function moveOf(
  escrow: EscrowRow,
  { toSeller = 0n, toBuyer = 0n, event, by, actorId = null, details = {}, set = {} }: Settlement,
  { fee, isVerified, now }: { fee: bigint; isVerified: boolean; now: Date },
) {
  const after = { ...escrow, released: escrow.released + toSeller, refunded: escrow.refunded + toBuyer }
  const ended = heldOf(after) === 0n
  return {
    event,
    by,
    actorId,
    details,
    to: ended ? endOf(after) : event === 'charge_back' ? 'FROZEN' : 'HELD',
    set: {
      released: after.released,
      refunded: after.refunded,
      fees: escrow.fees + fee,
      unverified: escrow.unverified || !isVerified,
      releases: escrow.releases + (toSeller ? 1 : 0),
      refunds: escrow.refunds + (toBuyer ? 1 : 0),
      ...(ended ? { endedAt: now, ...AT_REST } : set),
    },
  }
}

/** The state of an escrow that holds nothing any more. */
export const endOf = ({
  released,
  refunded,
}: Pick<EscrowRow, 'released' | 'refunded'>): 'RELEASED' | 'REFUNDED' | 'SPLIT' =>
  refunded === 0n ? 'RELEASED' : released === 0n ? 'REFUNDED' : 'SPLIT'

const ENDS: Partial<Record<EscrowStatus, NegotiationEvent>> = {
  RELEASED: 'complete',
  REFUNDED: 'refund',
  SPLIT: 'split',
}

/** The negotiation follows its escrow: to its end, or back to work while nothing waits for the buyer. */
function negotiationMoveOf(
  { deal, now }: DealDraft,
  { event, by, actorId = null, details = {} }: Settlement,
) {
  const move = { by, actorId, details }
  const end = deal.escrow && ENDS[deal.escrow.status]
  if (end) {
    const negotiationEvent: NegotiationEvent = event === 'cancel' && end === 'refund' ? 'cancel' : end
    return { ...move, event: negotiationEvent, set: { endedAt: now } }
  }
  if (event === 'charge_back') return null
  const isIdle = !awaitingBuyer(deal.milestones).length && !allVerified(deal.milestones)
  return deal.negotiation.status === 'DELIVERED' && isIdle ? { ...move, event: 'continue' as const } : null
}

/**
 * A deal that was verified and paid in full is a completion. One that the seller failed counts against it, if it had
 * accepted or started the deal: nobody consents to a direct payment.
 */
function trustOf(
  { negotiation, milestones, disputes, rounds }: FundedDeal,
  escrow: EscrowRow,
  { sellerFailed }: Settlement,
): SettlementPlan['trust'] {
  const { sellerAgentId: agentId } = negotiation
  if (!escrow.endedAt || !agentId) return null
  const end = {
    amount: escrow.amount,
    agentId,
    dealId: negotiation.id,
    counterpartyAccountId: negotiation.buyerAccountId,
    selfDeal: negotiation.selfDeal,
    test: escrow.test,
    disputed: disputes.some(isAgainstSeller),
  }
  const verified = milestones.filter(each => each.deliveryStatus === 'VERIFIED')
  const onTime = verified.every(each => each.verifiedAt !== null && each.verifiedAt <= escrow.deliverBy)
  if (escrow.status === 'RELEASED' && isMostlyVerified(escrow, verified))
    return { end: { ...end, onTime }, outcome: 'COMPLETED' }
  const isBound = negotiation.status !== 'ESCROWED' || rounds.some(round => round.action === 'ACCEPTED')
  return sellerFailed && isBound ? { end: { ...end, onTime: false }, outcome: 'FAILED' } : null
}

/** Not where a seller objects because its buyer is silent, and not where the buyer withdrew the dispute or lost it. */
const isAgainstSeller = ({ openedBy, outcome }: DisputeRow): boolean =>
  openedBy === 'buyer' && outcome !== 'WITHDRAWN' && outcome !== 'RELEASE'

/** At most a tenth was paid for milestones without a verified delivery, so that a sliver paid early spoils nothing. */
const isMostlyVerified = ({ amount }: EscrowRow, verified: readonly MilestoneRow[]): boolean =>
  verified.reduce((sum, each) => sum + each.amount, 0n) * 10n >= amount * 9n
