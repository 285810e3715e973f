import { agentById, agentBySlug, assertTradable, demandAgent, type Agent } from '#agents'
import { lockAgainstDeletion } from '#identity'
import { after, DAY, HOUR, SECOND } from '#platform/clock'
import type { Tx } from '#platform/db'
import { COMMON, fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { transition, type Move } from '#platform/machine'
import { parseAmount, type Asset } from '#platform/money'
import { actorIdOf, demandSide, lockDeal, requireOwnedSide, type Deal } from './deal.ts'
import { AP2, cannot } from './faults.ts'
import { acceptanceSchema } from './acceptance.ts'
import { bounded } from './bounded.ts'
import { forgetEnded } from './forget.ts'
import { proposedMilestones } from './milestones.ts'
import { negotiationMachine, type NegotiationEvent, type NegotiationMover } from './negotiation-machine.ts'
import { heldOf, type NegotiationRow, type RoundRow } from './rows.ts'
import { settle } from './settle.ts'
import * as statements from './sql.ts'
import { demandTier, type Rules } from './tier.ts'

export interface NegotiateInput {
  requesterAgentId?: string
  responderAgentId?: string
  responderSlug?: string
  requestedService?: string
  service?: string
  budget: number | string
  currency?: Asset
  requirements?: unknown
  notes?: string
  deliverBy?: string
  autoReleaseDays?: number
  milestones?: { key: string; title?: string; amount: number | string }[]
  referrerAgentId?: string
  expiresInSeconds?: number
}

/** Silence that ends a negotiation, and the time to fund an accepted one. */
export const SILENCE_SECONDS = 72 * HOUR / SECOND
export const FUNDING_TIME = 24 * HOUR
export const AUTO_RELEASE_DAYS = 7
const DELIVER_BY_MAX = 366 * DAY

/** Opens a negotiation: the buyer's budget is the first price on the table. Returns its id. */
export async function negotiate(tx: Tx, actor: Actor, input: NegotiateInput, rules: Rules): Promise<string> {
  const buyer = input.requesterAgentId === undefined ? await ownAgent(tx, actor) : await demandAgent(tx, actor, input.requesterAgentId)
  const seller = await responder(tx, input)
  if (buyer?.id === seller.id) throw invalid('an agent cannot hire itself')
  if (buyer) assertTradable(buyer)
  assertTradable(seller)
  const budget = parseAmount(input.budget, { field: 'budget' })
  demandTier(rules, seller, budget)
  await requireAccounts(tx, actor, [buyer?.ownerId ?? actor.accountId, seller.ownerId])
  const row = await tx.one(statements.insert<NegotiationRow>('ap2_negotiation', {
    ...partiesOf(actor, buyer, seller), ...await termsOf(tx, input, budget),
    acceptance_schema: acceptanceSchema(input.requirements),
  }))
  await noteRound(tx, row, { actor, action: 'PROPOSED', notes: input.notes })
  await tx.run(statements.insert('ap2_negotiation_history', {
    id: newId(), subject_id: row.id, event: 'negotiate', from_status: '', to_status: row.status, actor: 'buyer',
    actor_id: actorIdOf(actor), details: '{}', at: tx.now,
  }))
  return row.id
}

// A deletion that runs at the same time either waits, and cancels the negotiation, or has happened.
async function requireAccounts(tx: Tx, { accountId }: Actor, parties: readonly string[]): Promise<void> {
  const deleted = await lockAgainstDeletion(tx, [accountId, ...parties])
  if (deleted.has(accountId)) throw fault(COMMON.UNAUTHORIZED, { hint: 'The account has been deleted' })
  if (deleted.size) assertTradable({ status: 'ARCHIVED' })
}

// A key of one agent buys for that agent.
const ownAgent = async (tx: Tx, { agentId }: Actor): Promise<Agent | undefined> => (agentId ? agentById(tx, agentId) : undefined)

async function responder(tx: Tx, { responderAgentId, responderSlug }: NegotiateInput): Promise<Agent> {
  if (responderAgentId === undefined && responderSlug === undefined) {
    throw invalid('responderAgentId or responderSlug is required')
  }
  const agent = responderAgentId === undefined ? await agentBySlug(tx, responderSlug ?? '') : await agentById(tx, responderAgentId)
  if (!agent) throw fault(AP2.AGENT_NOT_FOUND)
  if (responderSlug !== undefined && agent.slug !== responderSlug) throw invalid('responderAgentId and responderSlug name different agents: send one of them')
  return agent
}

/** Who deals with whom; one owner on both sides is a self-deal. */
export function partiesOf(actor: Actor, buyer: Agent | null | undefined, seller: Agent): Partial<NegotiationRow> {
  const buyers = new Set([buyer?.ownerId ?? actor.accountId, buyer?.creatorId ?? actor.accountId, actor.accountId])
  return {
    buyer_account_id: buyer?.ownerId ?? actor.accountId, buyer_agent_id: buyer?.id ?? null, buyer_organization_id: actor.organizationId,
    seller_account_id: seller.ownerId, seller_agent_id: seller.id,
    self_deal: buyers.has(seller.ownerId) || buyers.has(seller.creatorId),
  }
}

async function termsOf(tx: Tx, input: NegotiateInput, budget: bigint): Promise<Partial<NegotiationRow>> {
  const service = input.requestedService ?? input.service
  if (input.service !== undefined && input.service !== service) throw invalid('requestedService and service differ: send one of them')
  if (!service?.trim()) throw invalid('requestedService is required')
  const silence = input.expiresInSeconds ?? SILENCE_SECONDS
  if (input.referrerAgentId !== undefined && !await agentById(tx, input.referrerAgentId)) {
    throw fault(AP2.AGENT_NOT_FOUND, { hint: 'referrerAgentId is unknown' })
  }
  return {
    id: newId(), status: 'PENDING', requested_service: service, currency: input.currency ?? 'USD', budget,
    price: budget, offered_by: 'buyer',
    requirements: bounded(input.requirements, 'requirements'), notes: input.notes ?? null,
    milestones: input.milestones?.length ? proposedMilestones(input.milestones, budget) : null,
    deliver_by: input.deliverBy === undefined ? null : deadline(tx.now, input.deliverBy),
    auto_release_days: input.autoReleaseDays ?? AUTO_RELEASE_DAYS, referrer_agent_id: input.referrerAgentId ?? null,
    silence_seconds: silence, expires_at: after(tx.now, silence * SECOND), created_at: tx.now, updated_at: tx.now,
  }
}

function deadline(now: Date, text: string): Date {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime()) || moment <= now) throw invalid('deliverBy must be in the future')
  if (moment > after(now, DELIVER_BY_MAX)) throw invalid('deliverBy must be within a year')
  return moment
}

type Word = Partial<RoundRow> & Pick<RoundRow, 'action'> & { actor: Actor }

/** What a side said, for the rounds of the negotiation. */
export async function noteRound(tx: Tx, negotiation: NegotiationRow, { actor, ...rest }: Word): Promise<void> {
  await tx.run(statements.insert('ap2_round', {
    side: 'buyer', price: negotiation.price, round: negotiation.round, ...present(rest),
    id: newId(), negotiation_id: negotiation.id, actor_id: actorIdOf(actor), at: tx.now,
  }))
}

const present = <T extends object>(row: T): Partial<T> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Partial<T>

/** 409 `Escrow frozen`, or `Cannot <action> while <STATUS>`: work on a deal goes on only while its money is HELD. */
export function demandHeld(deal: Deal, action: string): asserts deal is Deal & { escrow: NonNullable<Deal['escrow']> } {
  if (!deal.escrow) throw cannot(action, deal.negotiation.status)
  if (deal.escrow.status === 'FROZEN') throw fault(AP2.ESCROW_FROZEN, { details: { freezes: deal.escrow.freezes } })
  if (deal.escrow.status !== 'HELD') throw cannot(action, deal.escrow.status)
}

/** The seller begins to work. */
export async function startWork(tx: Tx, actor: Actor, negotiationId: string): Promise<void> {
  const deal = await lockDeal(tx, negotiationId)
  demandSide(actor, deal, 'seller')
  demandHeld(deal, 'start')
  await transition(tx, negotiationMachine, deal.negotiation, {
    event: 'start', by: 'seller', actorId: actorIdOf(actor),
  })
}

/** The buyer takes the offer back; once funded and before the seller started, the money comes back too. */
export async function cancelNegotiation(tx: Tx, actor: Actor, negotiationId: string): Promise<void> {
  const deal = await lockDeal(tx, negotiationId)
  demandSide(actor, deal, 'buyer')
  const { negotiation, escrow } = deal
  const move = { event: 'cancel', by: 'buyer', actorId: actorIdOf(actor) } as const
  if (!escrow) {
    await endUnfunded(tx, negotiation, move)
    return
  }
  requireOwnedSide(actor, deal, 'buyer')
  demandHeld(deal, 'cancel')
  if (negotiation.status !== 'ESCROWED') {
    throw cannot('cancel', negotiation.status, 'the seller has started: agree on a refund, or dispute')
  }
  await settle(tx, deal, { ...move, toBuyer: heldOf(escrow) })
}

/** A negotiation comes to nothing: its deadlines stop. */
export async function endUnfunded(tx: Tx, negotiation: NegotiationRow, move: Move<NegotiationEvent, NegotiationMover>): Promise<void> {
  await transition(tx, negotiationMachine, negotiation, { ...move, set: { expires_at: null, fund_by: null, ended_at: tx.now } })
  await forgetEnded(tx, negotiation)
}

/** Deletion of an account: what it had not funded is cancelled. Follows `account.deleted`. */
export async function cancelUnfunded(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  for (const { id } of await tx.rows(statements.unfundedDealsOfAccount(accountId))) {
    const negotiation = await tx.maybe(statements.lockNegotiation(id))
    if (!negotiation || !['PENDING', 'COUNTERED', 'ACCEPTED'].includes(negotiation.status)) continue
    await endUnfunded(tx, negotiation, { event: 'cancel', by: 'system', details: { reason: 'account deleted' } })
  }
}
