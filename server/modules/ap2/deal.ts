import { agentById, canOperate, isOwner, type Agent } from '#agents'
import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import { isBound, type Actor } from '#platform/http/actor'
import { isId } from '#platform/id'
import { AP2 } from './faults.ts'
import { staffOfDeals, type Staff } from './organizations.ts'
import type { EscrowRow, MilestoneRow, NegotiationRow, Side } from './rows.ts'
import * as statements from './sql.ts'

/** A negotiation with its agents, and its escrow and milestones once it is funded. */
export interface Deal {
  negotiation: NegotiationRow
  escrow: EscrowRow | null
  milestones: MilestoneRow[]
  buyerAgent: Agent | null
  sellerAgent: Agent | null
  staff: Staff
}
export type FundedDeal = Deal & { escrow: EscrowRow }

const notFound = () => fault(AP2.NEGOTIATION_NOT_FOUND, { hint: 'The id is unknown, or the negotiation has expired' })

/**
 * The deal, locked negotiation first and then escrow. 400 `Negotiation not found` for an unknown one, and for one that is
 * expired once the lock is held: the transaction may have waited for it.
 */
export async function lockDeal(tx: Tx, negotiationId: string): Promise<Deal> {
  const negotiation = isId(negotiationId) ? await tx.maybe(statements.lockNegotiation(negotiationId)) : undefined
  if (!negotiation || isExpired(negotiation, tx.clock.now())) throw notFound()
  const escrow = await tx.maybe(statements.lockEscrowOf(negotiation.id)) ?? null
  return withParts(tx, negotiation, escrow)
}

/** The deal of an escrow, locked in the same order. 404 `Escrow not found`. */
export async function lockFunded(tx: Tx, escrowId: string): Promise<FundedDeal> {
  const { negotiation_id: negotiationId } = await demandEscrow(tx, escrowId)
  const deal = await lockDeal(tx, negotiationId)
  return deal as FundedDeal
}

export async function demandEscrow(q: Queryable, escrowId: string): Promise<EscrowRow> {
  const escrow = isId(escrowId) ? await q.maybe(statements.escrowById(escrowId)) : undefined
  if (!escrow) throw fault(AP2.ESCROW_NOT_FOUND)
  return escrow
}

/** The deal as it stands, under no lock. */
export async function readDeal(q: Queryable, negotiationId: string, now: Date): Promise<Deal> {
  const negotiation = isId(negotiationId) ? await q.maybe(statements.negotiationById(negotiationId)) : undefined
  if (!negotiation || isExpired(negotiation, now)) throw notFound()
  const [escrow = null] = await q.rows(statements.escrowsOf([negotiation.id]))
  return withParts(q, negotiation, escrow)
}

async function withParts(q: Queryable, negotiation: NegotiationRow, escrow: EscrowRow | null): Promise<Deal> {
  const milestones = escrow ? await q.rows(statements.milestonesOf([escrow.id])) : []
  const agent = async (id: string | null) => (id ? await agentById(q, id) ?? null : null)
  return {
    negotiation, escrow, milestones, buyerAgent: await agent(negotiation.buyer_agent_id),
    sellerAgent: await agent(negotiation.seller_agent_id), staff: await staffOfDeals(q, [negotiation]),
  }
}

// A deadline that passed counts at once, not when its timer runs.
function isExpired({ status, expires_at: expiresAt, fund_by: fundBy }: NegotiationRow, now: Date): boolean {
  const deadline = expiresAt ?? fundBy
  return status === 'EXPIRED' || (deadline !== null && deadline <= now)
}

type Parties = Omit<Deal, 'escrow' | 'milestones'>
/** A rule of who may act for an agent: `canOperate` or `isOwner`. */
type Rule = (actor: Actor, agent: Agent) => boolean

/** The sides that the caller may operate for: both, where one owner deals with itself. */
export const sidesOf = (actor: Actor, deal: Parties): Side[] => sidesBy(canOperate, actor, deal)

/** The sides whose money the caller may move: those that it owns. The creator of a claimed agent owns none. */
export const ownedSidesOf = (actor: Actor, deal: Parties): Side[] => sidesBy(isOwner, actor, deal)

function sidesBy(rule: Rule, actor: Actor, { negotiation: row, buyerAgent, sellerAgent, staff }: Parties): Side[] {
  const speaks = (agent: Agent | null, accountId: string, organizationId: string | null) => {
    const forAgent = agent !== null && rule(actor, agent)
    return organizationId ? runs(actor, organizationId, staff, forAgent ? agent : null) : forAgent || isAccount(actor, accountId)
  }
  const sides: Side[] = []
  if (speaks(buyerAgent, row.buyer_account_id, row.buyer_organization_id)) sides.push('buyer')
  if (speaks(sellerAgent, row.seller_account_id, row.seller_organization_id)) sides.push('seller')
  return sides
}

const isAccount = (actor: Actor, accountId: string): boolean => !isBound(actor) && actor.accountId === accountId

// Its agent speaks as long as the agent's owner runs the organization whose money it is.
function runs(actor: Actor, organizationId: string, staff: Staff, agent: Agent | null): boolean {
  const people = staff.get(organizationId)
  if (agent && people?.has(agent.ownerId)) return true
  if (isBound(actor) && actor.organizationId !== organizationId) return false
  return people?.has(actor.accountId) ?? false
}

/** 403 unless the caller owns a side of the deal; with `side`, that side. Required by everything that moves money. */
export function requireOwnedSide(actor: Actor, deal: Deal, side?: Side): Side[] {
  demandSide(actor, deal, side)
  const owned = ownedSidesOf(actor, deal)
  if (side ? owned.includes(side) : owned.length) return owned
  throw fault(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this: its creator can operate it, but cannot move money' })
}

/** 403 unless the caller operates a side of the deal; with `side`, that side. */
export function demandSide(actor: Actor, deal: Deal, side?: Side): Side[] {
  const sides = sidesOf(actor, deal)
  if (!sides.length) throw fault(COMMON.FORBIDDEN, { hint: 'You are not a party to this deal' })
  if (side && !sides.includes(side)) throw fault(COMMON.FORBIDDEN, { hint: `Only the ${side} can do this` })
  return sides
}

export const otherSide = (side: Side): Side => (side === 'buyer' ? 'seller' : 'buyer')

/** Whose word a history row keeps. */
export const actorIdOf = (actor: Actor): string => actor.agentId ?? actor.accountId

/** Whether nothing that is still held waits for a verification. */
export const allVerified = (milestones: readonly MilestoneRow[]): boolean =>
  milestones.filter(each => each.released < each.amount).every(each => each.delivery_status === 'VERIFIED')

/** The verified milestones that wait for the buyer. */
export const standing = (milestones: readonly MilestoneRow[]): MilestoneRow[] =>
  milestones.filter(each => each.delivery_status === 'VERIFIED' && each.released < each.amount)
