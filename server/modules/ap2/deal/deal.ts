import { canOperate, isOwner, type AgentSummary } from '#agents'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import {
  isAdmin,
  isBound,
  boundAgent,
  boundOrganization,
  type RequestContext,
} from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { part, type SqlPart } from '#platform/kernel/sql'
import { AP2, cannot, notHeld } from '../errors.ts'
import { readParts, type DealParts, type Staff } from './parts.ts'
import type { NegotiationStatus } from './negotiation-machine.ts'
import { type DisputeRow, type EscrowRow, type MilestoneRow, type NegotiationRow, type Side } from './rows.ts'
import * as statements from './sql.ts'

/** A negotiation with everything that belongs to it. */
export interface Deal extends DealParts {
  negotiation: NegotiationRow
}
export type FundedDeal = Deal & { escrow: EscrowRow }

const notFound = () =>
  apiError(AP2.NEGOTIATION_NOT_FOUND, { hint: 'The id is unknown, or the negotiation has expired' })

/** The negotiation of an escrow, for a statement that is sent before its id is known. */
export const negotiationOf = (escrowId: string): SqlPart =>
  part`select negotiation_id from ap2_escrow where id = ${escrowId}::uuid`

/**
 * The deal, locked. The lock of a negotiation covers everything that belongs to it (ADR 2). The parts are read by a
 * statement of their own, so that they are as the last holder of the lock left them. 400 `Negotiation not found` for an
 * unknown one, and for one that is expired once the lock is held: the transaction may have waited for it.
 */
export async function lockDeal(tx: Tx, negotiationId: string): Promise<Deal> {
  const deal = isId(negotiationId) ? await lockDealIfAny(tx, part`${negotiationId}::uuid`) : null
  if (!deal || isExpired(deal, tx.clock.now())) throw notFound()
  return deal
}

/** The deal, locked, in whatever state it is; null for an unknown one. */
export const lockDealIfAny = (tx: Tx, id: SqlPart): Promise<Deal | null> => load(tx, id, { lock: true })

/** The deal of an escrow, locked. 404 `Escrow not found`. */
export async function lockFunded(tx: Tx, escrowId: string): Promise<FundedDeal> {
  const deal = isId(escrowId) ? await load(tx, negotiationOf(escrowId), { lock: true }) : null
  if (!deal) throw apiError(AP2.ESCROW_NOT_FOUND)
  // Only one that failed to be funded is not the escrow of its negotiation any more.
  const escrow = deal.escrow?.id === escrowId ? deal.escrow : await requireEscrow(tx, escrowId)
  return { ...deal, escrow }
}

export async function requireEscrow(q: Queryable, escrowId: string): Promise<EscrowRow> {
  const escrow = isId(escrowId) ? await q.maybe(statements.escrowById(escrowId)) : undefined
  if (!escrow) throw apiError(AP2.ESCROW_NOT_FOUND)
  return escrow
}

/** The deal as it stands, under no lock. */
export async function readDeal(q: Queryable, negotiationId: string, now: Date): Promise<Deal> {
  const deal = isId(negotiationId) ? await load(q, part`${negotiationId}::uuid`) : null
  if (!deal || isExpired(deal, now)) throw notFound()
  return deal
}

/** The deal of an escrow, under no lock, also when it has expired. 404 `Escrow not found`. */
export async function readFunded(q: Queryable, escrowId: string): Promise<FundedDeal> {
  const id = negotiationOf(escrowId)
  const live = isId(escrowId) ? await load(q, id) : null
  // One that was canceled has a history of its own.
  const isLive = !live || live.escrow?.id === escrowId
  const deal = isLive ? live : await load(q, id, { escrow: part`e.id = ${escrowId}::uuid` })
  if (!deal?.escrow) throw apiError(AP2.ESCROW_NOT_FOUND)
  return { ...deal, escrow: deal.escrow }
}

interface Loading {
  lock?: boolean
  /** Another escrow than the live one. */
  escrow?: SqlPart
}

async function load(q: Queryable, id: SqlPart, { lock = false, escrow }: Loading = {}): Promise<Deal | null> {
  const [negotiation, parts] = await Promise.all([
    q.maybe(lock ? statements.lockNegotiation(id) : statements.negotiationBy(id)),
    readParts(q, id, escrow),
  ])
  const found = negotiation && parts.get(negotiation.id)
  return found ? { negotiation, ...found } : null
}

/** The deals of some negotiations, in their order, in one statement. */
export async function readDeals(q: Queryable, negotiations: readonly NegotiationRow[]): Promise<Deal[]> {
  const parts = await readParts(q, part`select unnest(${negotiations.map(row => row.id)}::uuid[])`)
  return negotiations.flatMap(negotiation => {
    const found = parts.get(negotiation.id)
    return found ? [{ negotiation, ...found }] : []
  })
}

/** A deal that is about to be opened: nothing but its negotiation and parties exists. */
export const newDeal = (
  negotiation: NegotiationRow,
  agents: { buyerAgent: AgentSummary | null; sellerAgent: AgentSummary | null; staff?: Staff },
): Deal => ({
  staff: new Map(),
  ...agents,
  negotiation,
  escrow: null,
  milestones: [],
  rounds: [],
  disputes: [],
  deliveries: [],
  history: [],
  deletedSides: new Set(),
  hasOrphanWallet: false,
  // Not read: whoever opens a funded deal applies the limits of the buyer if there are any.
  limitedSides: new Set(agents.buyerAgent ? ['buyer'] : []),
})

// A deadline that passed counts at once, not when its timer runs. While funds are on their way there is none.
function isExpired({ negotiation: { status, expiresAt, fundBy }, escrow }: Deal, now: Date): boolean {
  const deadline = escrow ? null : (expiresAt ?? fundBy)
  return status === 'EXPIRED' || (deadline !== null && deadline <= now)
}

type Parties = Pick<Deal, 'negotiation' | 'buyerAgent' | 'sellerAgent' | 'staff'>
/** Decides which accounts may act for an agent: `canOperate` or `isOwner`. */
type Rule = (ctx: RequestContext, agent: AgentSummary) => boolean

/** The sides that the caller may operate for: both, where one owner deals with itself. */
export const sidesOf = (ctx: RequestContext, deal: Parties): Side[] => sidesBy(canOperate, ctx, deal)

/** The sides whose money the caller may move: those that it owns. The creator of a claimed agent owns none. */
export const ownedSidesOf = (ctx: RequestContext, deal: Parties): Side[] => sidesBy(isOwner, ctx, deal)

function sidesBy(
  rule: Rule,
  ctx: RequestContext,
  { negotiation: row, buyerAgent, sellerAgent, staff }: Parties,
): Side[] {
  const isParty = (agent: AgentSummary | null, accountId: string, organizationId: string | null) => {
    const forAgent = agent !== null && rule(ctx, agent)
    return organizationId
      ? actsForOrganization(ctx, organizationId, staff, forAgent ? agent : null)
      : forAgent || isAccount(ctx, accountId)
  }
  const sides: Side[] = []
  if (isParty(buyerAgent, row.buyerAccountId, row.buyerOrganizationId)) sides.push('buyer')
  if (isParty(sellerAgent, row.sellerAccountId, row.sellerOrganizationId)) sides.push('seller')
  return sides
}

const isAccount = (ctx: RequestContext, accountId: string): boolean =>
  !isBound(ctx.principal) && ctx.principal.accountId === accountId

// Its agent acts as long as the agent's owner runs the organization whose money it is.
function actsForOrganization(
  ctx: RequestContext,
  organizationId: string,
  staff: Staff,
  agent: AgentSummary | null,
): boolean {
  const people = staff.get(organizationId)
  if (agent && people?.has(agent.ownerId)) return true
  if (isBound(ctx.principal) && boundOrganization(ctx.principal) !== organizationId) return false
  return people?.has(ctx.principal.accountId) ?? false
}

/** 403 unless the caller owns a side of the deal; with `side`, that side. Required by everything that moves money. */
export function requireOwnedSide(ctx: RequestContext, deal: Deal, side?: Side): Side[] {
  requireParty(ctx, deal, side)
  const owned = ownedSidesOf(ctx, deal)
  if (side ? owned.includes(side) : owned.length) return owned
  throw apiError(COMMON.FORBIDDEN, {
    hint: 'Only the owner of the agent can do this: its creator can operate it, but cannot move money',
  })
}

/** 403 unless the caller operates a side of the deal; with `side`, that side. */
export function requireParty(ctx: RequestContext, deal: Deal, side?: Side): Side[] {
  const sides = sidesOf(ctx, deal)
  if (!sides.length) throw apiError(COMMON.FORBIDDEN, { hint: 'You are not a party to this deal' })
  if (side && !sides.includes(side))
    throw apiError(COMMON.FORBIDDEN, { hint: `Only the ${side} can do this` })
  return sides
}

/** 403 unless the caller operates a side of the deal or is an admin. */
export function requireReader(ctx: RequestContext, deal: Deal): void {
  if (!sidesOf(ctx, deal).length && !isAdmin(ctx.principal))
    throw apiError(COMMON.FORBIDDEN, { hint: 'You are not a party to this deal' })
}

export const otherSide = (side: Side): Side => (side === 'buyer' ? 'seller' : 'buyer')

/** Who acted, for the history. */
export const actorIdOf = (ctx: RequestContext): string => boundAgent(ctx.principal) ?? ctx.principal.accountId

/** Whether nothing that is still held waits for a verification. */
export const allVerified = (milestones: readonly MilestoneRow[]): boolean =>
  milestones.filter(each => each.released < each.amount).every(each => each.deliveryStatus === 'VERIFIED')

/** The verified milestones that wait for the buyer. */
export const awaitingBuyer = (milestones: readonly MilestoneRow[]): MilestoneRow[] =>
  milestones.filter(each => each.deliveryStatus === 'VERIFIED' && each.released < each.amount)

/** The dispute that is open. */
export const openDisputeOf = ({ disputes }: Pick<Deal, 'disputes'>): DisputeRow | null =>
  disputes.find(each => each.endedAt === null) ?? null

/** 409 `Escrow frozen`, or `Cannot <action> while <STATUS>`: work on a deal goes on only while its money is HELD. */
export function requireHeld(deal: Deal, action: string): asserts deal is FundedDeal {
  if (!deal.escrow) throw cannot(action, deal.negotiation.status, hintBefore(deal.negotiation.status))
  refuseForRun(deal, action)
  if (deal.escrow.status === 'FROZEN')
    throw apiError(AP2.ESCROW_FROZEN, { details: { freezes: deal.escrow.freezes } })
  if (deal.escrow.status !== 'HELD') throw notHeld(action, deal.escrow)
}

/** What has to happen before the money of a deal is HELD; nothing for a negotiation that ended. */
export const hintBefore = (status: NegotiationStatus): string | undefined => HINTS_BEFORE[status]

const HINTS_BEFORE: Partial<Record<NegotiationStatus, string>> = {
  PENDING: 'The seller has to accept the offer first: POST /ap2/respond',
  COUNTERED: 'The other party has to accept the offer first: POST /ap2/respond',
  ACCEPTED: 'The buyer has to pay into escrow first: POST /payments/ap2/initiate',
}

/** 409 for the deal of a run: no command of a party applies, the end of the run pays or refunds it. */
export function refuseForRun({ negotiation }: Deal, action: string): void {
  if (negotiation.isRun)
    throw cannot(
      action,
      negotiation.status,
      'The deal belongs to a run, which pays or refunds it when it ends',
    )
}

/** The milestone of that key; a deal in one piece has none to name. */
export function milestoneOf(deal: Deal, key: string): MilestoneRow {
  const agreed = deal.negotiation.milestones !== null
  const named = agreed ? deal.milestones.find(each => each.key === key) : undefined
  if (!named)
    throw apiError(AP2.MILESTONE_NOT_FOUND, {
      hint: agreed
        ? `The milestones are ${deal.milestones.map(each => each.key).join(', ')}`
        : 'The deal has no milestones',
    })
  return named
}
