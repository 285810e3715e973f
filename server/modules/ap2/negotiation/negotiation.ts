import {
  agentById,
  agentBySlug,
  ownersOfAgents,
  requireAgent,
  requireOpenTo,
  requireTradable,
  type Agent,
} from '#agents'
import { IDENTITY, erasure } from '#identity'
import { findLimits, requireSpending } from '#spending'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import { boundAgent, type RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { parseAmount, type Asset } from '#platform/kernel/money'
import { writeTogether, type SqlPart } from '#platform/kernel/sql'
import { parseCriteria } from '../criteria/criterion.ts'
import { acceptanceIn, acceptanceSchema, withoutAcceptance } from '../deal/acceptance.ts'
import { actorIdOf, lockDeal, newDeal, requireHeld, requireParty, type Deal } from '../deal/deal.ts'
import { limitJsonSize } from '../deal/json-size.ts'
import { proposedMilestones } from '../deal/milestones.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import { type NegotiationRow } from '../deal/rows.ts'
import { requireTier, type Rules } from '../deal/tier.ts'
import {
  AUTO_RELEASE_DAYS,
  FUNDING_TIME,
  newNegotiation,
  partiesOf,
  roundOf,
  SILENCE_SECONDS,
} from './negotiation-plan.ts'

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

const DELIVER_BY_MAX = 366 * DAY

/** Opens a negotiation: the buyer's budget is the first price. */
export const negotiate = (tx: Tx, ctx: RequestContext, input: NegotiateInput, rules: Rules): Promise<Deal> =>
  openDeal(tx, ctx, input, { rules, terms: {} })

/**
 * Opens a deal that needs no answer of the seller, because the buyer pays it at once: ACCEPTED at the budget. Like a direct
 * payment it says nothing about the seller until the seller starts.
 */
export const openHire = (tx: Tx, ctx: RequestContext, input: NegotiateInput, rules: Rules): Promise<Deal> =>
  openDeal(tx, ctx, input, { rules, terms: { status: 'ACCEPTED', fundBy: after(tx.now, FUNDING_TIME) } })

interface Opening {
  rules: Rules
  /** Beyond those of an offer. */
  terms: Partial<Pick<NegotiationRow, 'status' | 'fundBy'>>
  /** The seller offered itself to the buyer, who need not see it otherwise. */
  isInvited?: boolean
  /** What happened before it was opened. */
  plan?: (draft: DealDraft) => void
}

export async function openDeal(
  tx: Tx,
  ctx: RequestContext,
  input: NegotiateInput,
  { rules, terms: more, isInvited, plan }: Opening,
): Promise<Deal> {
  if (input.responderAgentId === undefined && input.responderSlug === undefined)
    throw invalid('responderAgentId or responderSlug is required')
  const [status, buyer, limits, seller, referrer] = await Promise.all([
    lockOwners(tx, ctx, input),
    buyingAgent(tx, ctx, input),
    findLimits(tx, input.requesterAgentId ?? boundAgent(ctx.principal)),
    input.responderAgentId === undefined
      ? agentBySlug(tx, input.responderSlug ?? '')
      : agentById(tx, input.responderAgentId),
    input.referrerAgentId === undefined ? undefined : agentById(tx, input.referrerAgentId),
  ])
  if (!seller) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  requireNamed(input, seller)
  if (!isInvited) requireOpenTo([ctx.principal.accountId, buyer?.ownerId], seller)
  if (buyer?.id === seller.id) throw invalid('an agent cannot hire itself')
  if (buyer) requireTradable(buyer)
  requireTradable(seller)
  const budget = parseAmount(input.budget, { field: 'budget' })
  requireTier(rules, seller, budget)
  // Approval is asked for where money is committed.
  if (limits)
    await requireSpending(tx, {
      agentId: limits.agentId,
      amount: budget,
      action: 'negotiate',
      counterpartyAgentId: seller.id,
      counterpartyAccountId: seller.ownerId,
    })
  await requireAccounts(tx, status, ctx, [buyer?.ownerId ?? ctx.principal.accountId, seller.ownerId])
  if (input.referrerAgentId !== undefined && !referrer)
    throw apiError(IDENTITY.AGENT_NOT_FOUND, { hint: 'referrerAgentId is unknown' })
  const terms = {
    ...partiesOf(ctx, buyer ?? null, seller),
    ...termsOf(input, budget, { now: tx.now, rules }),
    ...more,
  }
  return openNegotiation(
    tx,
    ctx,
    newDeal(newNegotiation(terms, tx.now), {
      buyerAgent: buyer ?? null,
      sellerAgent: seller,
    }),
    { notes: input.notes, plan },
  )
}

function openNegotiation(
  tx: Tx,
  ctx: RequestContext,
  deal: Deal,
  { notes, plan }: Pick<NegotiateInput, 'notes'> & Pick<Opening, 'plan'>,
): Deal {
  const { negotiation } = deal
  const draft = new DealDraft(deal, tx.now)
  const actorId = actorIdOf(ctx)
  draft.openNegotiation(negotiation)
  draft.addRound(roundOf(negotiation, { actorId, side: 'buyer', action: 'PROPOSED', notes }, tx.now))
  draft.noteStart('negotiation', {
    subjectId: negotiation.id,
    event: 'negotiate',
    toStatus: negotiation.status,
    actor: 'buyer',
    actorId,
    details: {},
  })
  plan?.(draft)
  tx.write(writeTogether(changesOf(draft)))
  return draft.deal
}

// A key that is bound to one agent buys for that agent.
async function buyingAgent(
  tx: Tx,
  ctx: RequestContext,
  { requesterAgentId }: NegotiateInput,
): Promise<Agent | undefined> {
  if (requesterAgentId !== undefined) return requireAgent(tx, ctx, requesterAgentId)
  const agentId = boundAgent(ctx.principal)
  return agentId === null ? undefined : agentById(tx, agentId)
}

function requireNamed({ responderAgentId, responderSlug }: NegotiateInput, seller: Agent): void {
  if (responderAgentId !== undefined && responderSlug !== undefined && seller.slug !== responderSlug)
    throw invalid('responderAgentId and responderSlug name different agents: send one of them')
}

/** Locks the accounts of both parties before the agents are read, which name their owners. */
const lockOwners = (tx: Tx, ctx: RequestContext, input: NegotiateInput): Promise<Map<string, string>> =>
  erasure.lockAgainstDeletion(tx, [ctx.principal.accountId], ownersOf(ctx, input))

function ownersOf(ctx: RequestContext, input: NegotiateInput): SqlPart {
  const ids = [input.responderAgentId, input.requesterAgentId, boundAgent(ctx.principal)]
  return ownersOfAgents(
    ids.filter(id => typeof id === 'string').filter(id => isId(id)),
    input.responderSlug ?? null,
  )
}

// A deletion that runs at the same time either waits, and cancels the negotiation, or has happened.
async function requireAccounts(
  tx: Tx,
  locked: ReadonlyMap<string, string>,
  { principal: { accountId } }: RequestContext,
  parties: readonly string[],
): Promise<void> {
  // An agent that was claimed meanwhile has another owner than the one that is locked.
  const missing = parties.filter(id => !locked.has(id))
  const status = missing.length
    ? new Map([...locked, ...(await erasure.lockAgainstDeletion(tx, missing))])
    : locked
  const isDeleted = (id: string) => status.get(id) === 'DELETED'
  if (isDeleted(accountId)) throw apiError(COMMON.UNAUTHORIZED, { hint: 'The account has been deleted' })
  if (parties.some(isDeleted)) requireTradable({ status: 'ARCHIVED' })
}

function termsOf(input: NegotiateInput, budget: bigint, { now, rules }: { now: Date; rules: Rules }) {
  const service = input.requestedService ?? input.service
  if (input.service !== undefined && input.service !== service)
    throw invalid('requestedService and service differ: send one of them')
  if (!service?.trim()) throw invalid('requestedService is required')
  const milestones = input.milestones?.length ? proposedMilestones(input.milestones, budget) : null
  const proposal = {
    side: 'buyer',
    earlier: [],
    milestoneKeys: (milestones ?? []).map(({ key }) => key),
    seal: rules.seal,
  } as const
  return {
    status: 'PENDING' as const,
    requestedService: service,
    currency: input.currency ?? 'USD',
    price: budget,
    requirements: limitJsonSize(withoutAcceptance(input.requirements), 'requirements'),
    acceptance: parseCriteria(acceptanceIn(input.requirements), 'requirements.acceptance', proposal),
    acceptanceSchema: acceptanceSchema(input.requirements),
    notes: input.notes ?? null,
    milestones,
    deliverBy: input.deliverBy === undefined ? null : deadline(now, input.deliverBy),
    autoReleaseDays: input.autoReleaseDays ?? AUTO_RELEASE_DAYS,
    referrerAgentId: input.referrerAgentId ?? null,
    silenceSeconds: input.expiresInSeconds ?? SILENCE_SECONDS,
  }
}

function deadline(now: Date, text: string): Date {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime()) || moment <= now) throw invalid('deliverBy must be in the future')
  if (moment > after(now, DELIVER_BY_MAX)) throw invalid('deliverBy must be within a year')
  return moment
}

/** The seller begins to work. */
export async function startWork(tx: Tx, ctx: RequestContext, negotiationId: string): Promise<Deal> {
  const deal = await lockDeal(tx, negotiationId)
  requireParty(ctx, deal, 'seller')
  requireHeld(deal, 'start')
  const draft = new DealDraft(deal, tx.now)
  draft.moveNegotiation({ event: 'start', by: 'seller', actorId: actorIdOf(ctx) })
  tx.write(writeTogether(changesOf(draft)))
  return draft.deal
}
