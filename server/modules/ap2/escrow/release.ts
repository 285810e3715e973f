import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import { isId } from '#platform/kernel/id'
import {
  actorIdOf,
  lockFunded,
  milestoneOf,
  negotiationOf,
  refuseForRun,
  requireOwnedSide,
  type FundedDeal,
} from '../deal/deal.ts'
import { AP2, notHeld } from '../errors.ts'
import { heldOf, isLive, type MilestoneRow } from '../deal/rows.ts'
import { evidenceForRelease, lockDebtsOfSeller, settle, type Settled } from './settle.ts'
import { spread, type Part } from './settlement-plan.ts'
import * as statements from '../deal/sql.ts'

export interface ReleaseInput {
  escrowId: string
  amount?: number | string
  milestoneKey?: string
  memo?: string
  acceptUnverified?: boolean
  expectedHeld?: number | string
}

const PARTS_MAX = 100

/** The buyer pays the seller what was verified: all of it, one milestone, or an amount. */
export async function releaseEscrow(tx: Tx, ctx: RequestContext, input: ReleaseInput): Promise<Settled> {
  if (!isId(input.escrowId)) throw apiError(AP2.ESCROW_NOT_FOUND)
  const [deal, evidence, debts] = await Promise.all([
    lockFunded(tx, input.escrowId),
    evidenceForRelease(tx, input.escrowId),
    lockDebtsOfSeller(tx, negotiationOf(input.escrowId)),
  ])
  requireOwnedSide(ctx, deal, 'buyer')
  requireReleasable(deal, input)
  const targets = targetsOf(deal, input.milestoneKey)
  if (!input.acceptUnverified && targets.some(each => each.deliveryStatus !== 'VERIFIED')) {
    throw apiError(AP2.ESCROW_NOT_VERIFIED, {
      hint: 'Wait for a verified delivery, or send acceptUnverified: true to pay without one',
    })
  }
  const open = targets.reduce((sum, each) => sum + each.amount - each.released, 0n)
  const amount = input.amount === undefined ? open : parseAmount(input.amount)
  if (amount > open) throw invalid(`amount is above what is held: ${formatMoney(open)}`)
  const parts = spread(targets, amount)
  requirePartAllowed(deal, parts)
  const details = {
    amount: formatMoney(amount),
    ...(input.acceptUnverified ? { acceptUnverified: true } : {}),
  }
  const by = { by: 'buyer', actorId: actorIdOf(ctx), author: ctx.principal.accountId } as const
  return settle(
    tx,
    deal,
    { event: 'release', ...by, toSeller: amount, parts, memo: input.memo, details },
    { evidence, debts },
  )
}

/** 409 beyond 100 releases, unless this one ends a milestone: each is a journal and a line of the seller's statement. */
function requirePartAllowed({ escrow }: FundedDeal, parts: readonly Part[]): void {
  const endsOne = parts.some(({ milestone, amount }) => milestone.released + amount === milestone.amount)
  if (escrow.releases >= PARTS_MAX && !endsOne)
    throw apiError(AP2.RELEASES_EXHAUSTED, {
      hint: `After ${PARTS_MAX} releases release the rest of a milestone, or of the escrow`,
    })
}

function requireReleasable(deal: FundedDeal, { expectedHeld }: ReleaseInput): void {
  const { escrow } = deal
  if (escrow.status === 'PENDING_FUNDING') throw notHeld('release', escrow)
  if (!isLive(escrow)) throw apiError(AP2.ESCROW_RELEASED, { details: { status: escrow.status } })
  refuseForRun(deal, 'release')
  if (escrow.status === 'FROZEN') throw apiError(AP2.ESCROW_FROZEN, { details: { freezes: escrow.freezes } })
  if (escrow.status !== 'HELD') throw notHeld('release', escrow)
  if (expectedHeld !== undefined && parseAmount(expectedHeld, { field: 'expectedHeld' }) !== heldOf(escrow)) {
    throw apiError(AP2.HELD_CHANGED, {
      hint: `The escrow holds ${formatMoney(heldOf(escrow))}`,
      details: { held: formatMoney(heldOf(escrow)) },
    })
  }
}

function targetsOf(deal: FundedDeal, key: string | undefined): MilestoneRow[] {
  if (key === undefined) return deal.milestones.filter(each => each.released < each.amount)
  const named = milestoneOf(deal, key)
  if (named.released === named.amount)
    throw apiError(AP2.ESCROW_RELEASED, { hint: `Milestone ${key} has been paid` })
  return [named]
}

/** Timer: the buyer did not respond within the agreed days after a verification. */
export async function autoRelease(tx: Tx, milestoneId: string): Promise<void> {
  const { escrowId } = await tx.one(statements.milestoneById(milestoneId))
  const deal = await lockFunded(tx, escrowId)
  const milestone = deal.milestones.find(each => each.id === milestoneId)
  if (deal.escrow.status !== 'HELD' || !milestone?.autoReleaseAt || milestone.autoReleaseAt > tx.now) return
  const amount = milestone.amount - milestone.released
  await settle(tx, deal, {
    event: 'release',
    by: 'timer',
    toSeller: amount,
    parts: [{ milestone, amount }],
    details: { amount: formatMoney(amount), code: 'buyer_silent', reason: 'no answer from the buyer' },
  })
}
