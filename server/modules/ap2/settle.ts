import { accounts, post, unfreezeAccount, type Journal } from '#ledger'
import { sweepIfDeleted } from '#wallets'
import { recordCompletion, recordFailure } from '#trust'
import type { Tx } from '#platform/db'
import { transition } from '#platform/machine'
import type { Leg } from '#platform/money'
import { react } from '#platform/reactions'
import { allVerified, standing, type FundedDeal } from './deal.ts'
import type { EscrowEvent, EscrowMover, EscrowStatus } from './escrow-machine.ts'
import { escrowMachine } from './escrow-machine.ts'
import { feeOfRelease } from './fee.ts'
import { forgetEnded } from './forget.ts'
import { refundLegs, releaseLegs } from './legs.ts'
import { negotiationMachine, type NegotiationEvent } from './negotiation-machine.ts'
import { heldOf, type EscrowRow, type MilestoneRow } from './rows.ts'
import * as statements from './sql.ts'

export interface Settlement {
  event: EscrowEvent
  by: EscrowMover
  actorId?: string | null
  /** Gross, of which the seller gets all but the fee. */
  toSeller?: bigint
  toBuyer?: bigint
  /** The milestones that `toSeller` pays for; all that is open, where it is not said. */
  parts?: readonly { milestone: MilestoneRow; amount: bigint }[]
  /** The dispute that this ends: its id is the posting's key. */
  disputeId?: string
  /** The seller did not do what it owed: counts in its score. */
  sellerFailed?: boolean
  /** Columns of the escrow that the event sets where it goes on. */
  set?: Record<string, unknown>
  memo?: string
  /** The account that wrote the memo. */
  author?: string
  details?: Record<string, unknown>
}

export interface Settled { escrow: EscrowRow; journal: Journal; legs: Leg[]; toSeller: bigint; fee: bigint; commission: bigint }

/**
 * The one way in which money leaves an escrow: moves the escrow and its negotiation, tells the modules above,
 * and posts once with their legs. The deal is locked. In micro-units; `toSeller + toBuyer` is at most what is held.
 */
export async function settle(tx: Tx, deal: FundedDeal, move: Settlement): Promise<Settled> {
  const { toSeller = 0n, toBuyer = 0n } = move
  const verified = await payMilestones(tx, deal, move)
  const { released, fees, fee_bps: feeBps } = deal.escrow
  const fee = toSeller ? feeOfRelease({ released, fees, feeBps }, toSeller) : 0n
  const escrow = await moveEscrow(tx, deal.escrow, { ...move, fee, unverified: !verified })
  const returned = await announce(tx, deal, { escrow, toSeller, fee, verified })
  if (escrow.ended_at) await recordEnd(tx, deal, escrow, move)
  const legs = [...releaseLegs(escrow, toSeller, fee), ...refundLegs(escrow, toBuyer), ...returned]
  const journal = await post(tx, {
    kind: toSeller && toBuyer ? 'ap2.split' : toSeller ? 'ap2.release' : 'ap2.refund', key: keyOf(escrow, move), legs,
    memo: move.memo, author: move.author,
    reference: { escrowId: escrow.id, negotiationId: deal.negotiation.id },
  })
  for (const walletId of [escrow.buyer_wallet_id, escrow.seller_wallet_id].sort()) await sweepIfDeleted(tx, walletId)
  await moveNegotiation(tx, deal, escrow, move)
  if (escrow.ended_at) await forgetEnded(tx, deal.negotiation)
  const commission = returned.filter(leg => leg.debit === accounts.commission).reduce((sum, leg) => sum + leg.amount, 0n)
  return { escrow, journal, legs, toSeller, fee, commission }
}

function keyOf(escrow: EscrowRow, { toSeller, toBuyer, disputeId }: Settlement): string {
  if (disputeId) return disputeId
  if (toSeller && toBuyer) return `${escrow.id}:split`
  return toSeller ? `${escrow.id}:${escrow.releases}` : `${escrow.id}:r${escrow.refunds}`
}

/** Marks what is paid for; answers whether all of it had a verified delivery. */
async function payMilestones(tx: Tx, { milestones }: FundedDeal, { toSeller = 0n, parts }: Settlement): Promise<boolean> {
  if (!toSeller) return true
  let verified = true
  for (const { milestone, amount } of parts ?? spread(milestones, toSeller)) {
    verified &&= milestone.delivery_status === 'VERIFIED'
    milestone.released += amount
    if (milestone.released === milestone.amount) milestone.auto_release_at = null
    await tx.run(statements.update<MilestoneRow>('ap2_milestone', milestone.id, {
      released: milestone.released, auto_release_at: milestone.auto_release_at,
    }))
  }
  return verified
}

/** An amount over the open milestones, in their order. */
export function spread(milestones: readonly MilestoneRow[], amount: bigint): { milestone: MilestoneRow; amount: bigint }[] {
  let left = amount
  return milestones.map(milestone => {
    const open = milestone.amount - milestone.released
    const part = left < open ? left : open
    left -= part
    return { milestone, amount: part }
  }).filter(part => part.amount > 0n)
}

interface Move extends Settlement { fee: bigint; unverified: boolean }

/** Columns that only a dispute or a freeze fills. */
const AT_REST = { original_status: null, freezes: [], frozen_at: null, disputed_at: null, answer_by: null, lapses_at: null }

async function moveEscrow(tx: Tx, escrow: EscrowRow, move: Move): Promise<EscrowRow> {
  const { toSeller = 0n, toBuyer = 0n, event, by, actorId, details } = move
  const after = { ...escrow, released: escrow.released + toSeller, refunded: escrow.refunded + toBuyer }
  const ended = heldOf(after) === 0n
  if (ended && escrow.status === 'FROZEN') await thaw(tx, escrow)
  return transition(tx, escrowMachine, escrow, {
    event, by, actorId, details, to: ended ? endOf(after) : 'HELD',
    set: {
      released: after.released, refunded: after.refunded, fees: escrow.fees + move.fee,
      unverified: escrow.unverified || move.unverified,
      releases: escrow.releases + (toSeller ? 1 : 0), refunds: escrow.refunds + (toBuyer ? 1 : 0),
      ...(ended ? { ended_at: tx.now, ...AT_REST } : move.set),
    },
  })
}

export const endOf = ({ released, refunded }: Pick<EscrowRow, 'released' | 'refunded'>): EscrowStatus =>
  (refunded === 0n ? 'RELEASED' : released === 0n ? 'REFUNDED' : 'SPLIT')

async function thaw(tx: Tx, escrow: EscrowRow): Promise<void> {
  for (const reason of escrow.freezes) await unfreezeAccount(tx, accounts.escrow(escrow.id), escrow.currency, reason)
}

interface Announcement { escrow: EscrowRow; toSeller: bigint; fee: bigint; verified: boolean }

async function announce(tx: Tx, { negotiation }: FundedDeal, { escrow, toSeller, fee, verified }: Announcement): Promise<Leg[]> {
  const about = factOf(negotiation, escrow)
  const legs: Leg[] = []
  if (toSeller) {
    const last = escrow.ended_at !== null
    legs.push(...(await react(tx, 'escrow.released', { ...about, amount: toSeller, fee, release: escrow.releases, last, verified })).legs)
  }
  if (escrow.ended_at) {
    const { released, refunded, fees } = escrow
    legs.push(...(await react(tx, 'escrow.ended', { ...about, status: endOf(escrow) as 'RELEASED', released, refunded, fees })).legs)
  }
  return legs
}

/** What every fact says of a deal. */
export const factOf = (negotiation: FundedDeal['negotiation'], escrow: EscrowRow) => ({
  escrowId: escrow.id, negotiationId: negotiation.id, sellerAgentId: negotiation.seller_agent_id,
  sellerAccountId: negotiation.seller_account_id,
  buyerAgentId: negotiation.buyer_agent_id, buyerAccountId: negotiation.buyer_account_id, asset: escrow.currency,
  test: escrow.test, selfDeal: negotiation.self_deal,
})

/**
 * A deal that was verified and paid in full is a completion. One that the seller failed counts against it, if it had
 * accepted or started the deal: nobody consents to a direct payment.
 */
async function recordEnd(tx: Tx, { negotiation, milestones }: FundedDeal, escrow: EscrowRow, { sellerFailed }: Settlement): Promise<void> {
  const agentId = negotiation.seller_agent_id
  if (!agentId) return
  const disputes = await tx.rows(statements.disputesOf([escrow.id]))
  const end = {
    amount: escrow.amount, agentId, dealId: negotiation.id, counterpartyAccountId: negotiation.buyer_account_id,
    selfDeal: negotiation.self_deal, test: escrow.test, disputed: disputes.length > 0,
  }
  const verified = milestones.filter(each => each.delivery_status === 'VERIFIED')
  const onTime = verified.every(each => each.verified_at !== null && each.verified_at <= escrow.deliver_by)
  if (escrow.status === 'RELEASED' && isMostlyVerified(escrow, verified)) await recordCompletion(tx, { ...end, onTime })
  else if (sellerFailed && await isSellerBound(tx, negotiation)) await recordFailure(tx, { ...end, onTime: false })
}

/** At most a tenth was paid for milestones without a verified delivery, so that a sliver paid early spoils nothing. */
const isMostlyVerified = ({ amount }: EscrowRow, verified: readonly MilestoneRow[]): boolean =>
  verified.reduce((sum, each) => sum + each.amount, 0n) * 10n >= amount * 9n

async function isSellerBound(tx: Tx, { id, status }: FundedDeal['negotiation']): Promise<boolean> {
  return status !== 'ESCROWED' || (await tx.one(statements.wasAccepted(id))).accepted
}

const ENDS: Partial<Record<EscrowStatus, NegotiationEvent>> = {
  RELEASED: 'complete', REFUNDED: 'refund', SPLIT: 'split',
}

async function moveNegotiation(tx: Tx, deal: FundedDeal, escrow: EscrowRow, { event, by, actorId, details }: Settlement): Promise<void> {
  const mover = by as 'buyer'
  const end = ENDS[escrow.status]
  if (end) {
    const negotiationEvent = event === 'cancel' && end === 'refund' ? 'cancel' : end
    await transition(tx, negotiationMachine, deal.negotiation, {
      event: negotiationEvent, by: mover, actorId, details, set: { ended_at: tx.now },
    })
  } else if (deal.negotiation.status === 'DELIVERED' && !standing(deal.milestones).length && !allVerified(deal.milestones)) {
    await transition(tx, negotiationMachine, deal.negotiation, { event: 'continue', by: mover, actorId, details })
  }
}
