import type { Tx } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { formatMoney, parseAmount } from '#platform/money'
import { actorIdOf, lockDeal, lockFunded, requireOwnedSide, type FundedDeal } from './deal.ts'
import { AP2, cannot } from './faults.ts'
import { heldOf, isLive, type MilestoneRow } from './rows.ts'
import { settle, spread, type Settled } from './settle.ts'
import * as statements from './sql.ts'

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
export async function releaseEscrow(tx: Tx, actor: Actor, input: ReleaseInput): Promise<Settled> {
  const deal = await lockFunded(tx, input.escrowId)
  requireOwnedSide(actor, deal, 'buyer')
  demandReleasable(deal, input)
  const targets = targetsOf(deal, input.milestoneKey)
  if (!input.acceptUnverified && targets.some(each => each.delivery_status !== 'VERIFIED')) {
    throw fault(AP2.ESCROW_NOT_VERIFIED, {
      hint: 'Wait for a verified delivery, or send acceptUnverified: true to pay without one',
    })
  }
  const open = targets.reduce((sum, each) => sum + each.amount - each.released, 0n)
  const amount = input.amount === undefined ? open : parseAmount(input.amount)
  if (amount > open) throw invalid(`amount is above what is held: ${formatMoney(open)}`)
  const parts = spread(targets, amount)
  requirePartAllowed(deal, parts)
  return settle(tx, deal, {
    event: 'release', by: 'buyer', actorId: actorIdOf(actor), toSeller: amount, parts,
    memo: input.memo, author: actor.accountId,
    details: { amount: formatMoney(amount), ...(input.acceptUnverified ? { acceptUnverified: true } : {}) },
  })
}

/** 409 beyond 100 releases, unless this one ends a milestone: each is a journal and a line of the seller's statement. */
function requirePartAllowed({ escrow }: FundedDeal, parts: ReturnType<typeof spread>): void {
  const endsOne = parts.some(({ milestone, amount }) => milestone.released + amount === milestone.amount)
  if (escrow.releases >= PARTS_MAX && !endsOne) throw fault(AP2.RELEASES_EXHAUSTED, {
    hint: `After ${PARTS_MAX} releases release the rest of a milestone, or of the escrow`,
  })
}

function demandReleasable({ escrow }: FundedDeal, { expectedHeld }: ReleaseInput): void {
  if (!isLive(escrow)) throw fault(AP2.ESCROW_RELEASED, { details: { status: escrow.status } })
  if (escrow.status === 'FROZEN') throw fault(AP2.ESCROW_FROZEN, { details: { freezes: escrow.freezes } })
  if (escrow.status !== 'HELD') throw cannot('release', escrow.status)
  if (expectedHeld !== undefined && parseAmount(expectedHeld, { field: 'expectedHeld' }) !== heldOf(escrow)) {
    throw fault(AP2.HELD_CHANGED, {
      hint: `The escrow holds ${formatMoney(heldOf(escrow))}`, details: { held: formatMoney(heldOf(escrow)) },
    })
  }
}

function targetsOf({ negotiation, milestones }: FundedDeal, key: string | undefined): MilestoneRow[] {
  const open = milestones.filter(each => each.released < each.amount)
  if (key === undefined) return open
  const named = milestoneOf(negotiation.milestones !== null, milestones, key)
  if (named.released === named.amount) throw fault(AP2.ESCROW_RELEASED, { hint: `Milestone ${key} has been paid` })
  return [named]
}

/** The milestone of that key; a deal in one piece has none to name. */
export function milestoneOf(agreed: boolean, milestones: readonly MilestoneRow[], key: string): MilestoneRow {
  const named = agreed ? milestones.find(each => each.key === key) : undefined
  if (!named) throw fault(AP2.MILESTONE_NOT_FOUND, {
    hint: agreed ? `The milestones are ${milestones.map(each => each.key).join(', ')}` : 'The deal has no milestones',
  })
  return named
}

/** Timer: the buyer said nothing for the agreed days after a verification. */
export async function autoRelease(tx: Tx, milestoneId: string): Promise<void> {
  const { escrow_id: escrowId } = await tx.one(statements.milestoneById(milestoneId))
  const deal = await lockDeal(tx, (await tx.one(statements.escrowById(escrowId))).negotiation_id) as FundedDeal
  const milestone = deal.milestones.find(each => each.id === milestoneId)
  if (deal.escrow.status !== 'HELD' || !milestone?.auto_release_at || milestone.auto_release_at > tx.now) return
  const amount = milestone.amount - milestone.released
  await settle(tx, deal, {
    event: 'release', by: 'timer', toSeller: amount, parts: [{ milestone, amount }],
    details: { amount: formatMoney(amount), reason: 'no answer from the buyer' },
  })
}
