import { agentById, canOperate, requireAgent, requireTradable, type Agent } from '#agents'
import { erasure } from '#identity'
import { tidyName } from '#platform/http/display-name'
import type { Static } from '#platform/http/type'
import {
  boundAgent,
  boundOrganization,
  isAuthenticated,
  type PublicContext,
  type RequestContext,
} from '#platform/http/principal'
import { pageOf, TOTAL_CAP } from '#platform/http/schema'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import { isId, newId } from '#platform/kernel/id'
import { planTransition, transition, type HistoryLine } from '#platform/kernel/machine'
import { parseAmount } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { part, type SqlPart } from '#platform/kernel/sql'
import { MARKET } from './errors.ts'
import { needMachine, type NeedTrigger } from './need-machine.ts'
import { offerMachine, type OfferEvent, type OfferTrigger } from './offer-machine.ts'
import type { Need, NeedWithParty } from './rows.ts'
import type { NeedBody, NeedQuery } from './schema.ts'
import * as statements from './sql.ts'

const OPEN_TIME = 30 * DAY
const OPEN_TIME_MAX = 366 * DAY

export const actorIdOf = (ctx: RequestContext): string => boundAgent(ctx.principal) ?? ctx.principal.accountId

/** The begin of the history of a row. */
export const startOf = (
  subjectId: string,
  { event, actor, actorId, at }: Pick<HistoryLine, 'event' | 'actor' | 'actorId' | 'at'>,
): HistoryLine => ({
  id: newId(),
  subjectId,
  event,
  fromStatus: '',
  toStatus: 'OPEN',
  actor,
  actorId,
  details: {},
  at,
})

/** The public list is for the needs of all accounts. */
export const OPEN_NEEDS_MAX = 1000

/** Publishes a need of the caller, or of an agent that the caller operates. 409 for an account with the most open needs. */
export async function createNeed(
  tx: Tx,
  ctx: RequestContext,
  body: Static<typeof NeedBody>,
  { secrets }: Pick<Services, 'secrets'>,
): Promise<NeedWithParty> {
  const agentId = body.agentId ?? boundAgent(ctx.principal)
  const agent = agentId === null ? null : await requireAgent(tx, ctx, agentId)
  if (agent) requireTradable(agent)
  const accountId = agent?.ownerId ?? ctx.principal.accountId
  await requireNotDeleted(tx, [accountId])
  await requireFewOpen(tx, accountId)
  const id = newId()
  const need: Need = {
    id,
    status: 'OPEN',
    accountId,
    organizationId: boundOrganization(ctx.principal),
    agentId: agent?.id ?? null,
    ...termsOf(body, tx.now),
    ...requirementsOf(id, body.requirements, secrets),
    offerId: null,
    endedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  }
  const line = startOf(id, { event: 'publish', actor: 'buyer', actorId: actorIdOf(ctx), at: tx.now })
  await tx.run(statements.insertWithHistory('market_need', need, line))
  return tx.one(statements.needById(id))
}

async function requireFewOpen(tx: Tx, accountId: string): Promise<void> {
  await tx.run(statements.lockNeedsOf(accountId))
  const { open } = await tx.one(statements.countOpenNeeds(accountId, OPEN_NEEDS_MAX))
  if (open >= OPEN_NEEDS_MAX)
    throw apiError(MARKET.TOO_MANY_NEEDS, {
      hint: `An account has at most ${OPEN_NEEDS_MAX} open needs: close some, or wait until they expire`,
    })
}

/** Leaves the seller at least as much time as the offers had. */
function defaultDeadline(deliverBy: Date | null, now: Date): Date {
  const half = deliverBy ? (deliverBy.getTime() - now.getTime()) / 2 : OPEN_TIME
  return after(now, Math.min(half, OPEN_TIME))
}

function termsOf(body: Static<typeof NeedBody>, now: Date) {
  const deliverBy = body.deliverBy === undefined ? null : new Date(body.deliverBy)
  if (deliverBy && deliverBy <= now) throw invalid('deliverBy must be in the future')
  const deadline = body.deadline === undefined ? defaultDeadline(deliverBy, now) : new Date(body.deadline)
  if (deadline <= now) throw invalid('deadline must be in the future')
  if (deadline > after(now, OPEN_TIME_MAX)) throw invalid('deadline must be within a year')
  if (deliverBy && deliverBy <= deadline)
    throw invalid(
      'deliverBy must be after the deadline for offers: choose a later deliverBy or an earlier deadline',
    )
  if (deliverBy && deliverBy > after(now, OPEN_TIME_MAX)) throw invalid('deliverBy must be within a year')
  return {
    title: tidyName(body.title),
    description: body.description ?? '',
    category: tidyName(body.category ?? 'general'),
    budget: parseAmount(body.budget, { field: 'budget' }),
    currency: body.currency ?? 'USD',
    deadline,
    deliverBy,
  }
}

const contextOf = (needId: string): string => `market/need/${needId}`

/** A need is public: secrets of checkers are stored sealed, with the requirements that hold them. */
function requirementsOf(id: string, given: unknown, secrets: Services['secrets']) {
  const requirements = withoutSecrets(given ?? null)
  const whole = JSON.stringify(given ?? null)
  const hasSecrets = JSON.stringify(requirements) !== whole
  return { requirements, sealedRequirements: hasSecrets ? secrets.seal(whole, contextOf(id)) : null }
}

/** Requirements without the field `secret` of any criterion of acceptance. */
function withoutSecrets(requirements: unknown): unknown {
  const { acceptance } = (requirements ?? {}) as { acceptance?: unknown }
  if (!Array.isArray(acceptance)) return requirements
  return {
    ...(requirements as object),
    acceptance: acceptance.map((criterion: unknown) => {
      if (typeof criterion !== 'object' || criterion === null || !('secret' in criterion)) return criterion
      const { secret: _, ...rest } = criterion
      return rest
    }),
  }
}

/** The requirements as the buyer sent them. */
export const openRequirements = (
  { id, requirements, sealedRequirements }: Need,
  { secrets }: Pick<Services, 'secrets'>,
): unknown =>
  sealedRequirements === null ? requirements : JSON.parse(secrets.open(sealedRequirements, contextOf(id)))

/** The need, whoever asks. 404 for an unknown one. */
export async function readNeed(q: Queryable, id: string): Promise<NeedWithParty> {
  const need = isId(id) ? await q.maybe(statements.needById(id)) : undefined
  if (!need) throw apiError(MARKET.NEED_NOT_FOUND)
  return need
}

/** A page of the open needs, or of the needs of the caller: 401 for those of nobody. */
export async function listNeeds(q: Queryable, ctx: PublicContext, query: Static<typeof NeedQuery>) {
  const { search, category, currency, minBudget, mine } = query
  const own = mine ? ownNeeds(ctx) : {}
  const filter = {
    ...own,
    isPublic: !('accountId' in own),
    search: search?.trim() || undefined,
    category: category && tidyName(category),
    currency,
    status: query.status ?? ('accountId' in own ? undefined : 'OPEN'),
    minBudget:
      minBudget === undefined ? undefined : parseAmount(minBudget, { field: 'minBudget', zero: true }),
  }
  const [needs, { counted }] = await Promise.all([
    q.rows(statements.findNeeds(filter, pageOf(query))),
    q.one(statements.countNeeds(filter, TOTAL_CAP + 1)),
  ])
  return { needs, counted }
}

/** A bound key lists what it may manage: the needs of its agent, or what it published for its organization. */
function ownNeeds(ctx: PublicContext): { accountId: string; agentId?: string; organizationId?: string } {
  if (!isAuthenticated(ctx))
    throw apiError(COMMON.UNAUTHORIZED, { hint: 'Send a credential to list your needs' })
  const { principal } = ctx
  return {
    accountId: principal.accountId,
    agentId: boundAgent(principal) ?? undefined,
    organizationId: boundOrganization(principal) ?? undefined,
  }
}

/** 403 unless the caller may manage the need: who operates its agent, or the person who published it. Returns the agent. */
export async function requireBuyer(q: Queryable, ctx: RequestContext, need: Need): Promise<Agent | null> {
  if (need.agentId !== null) return requireAgent(q, ctx, need.agentId)
  if (!isPublisher(ctx, need))
    throw apiError(COMMON.FORBIDDEN, { hint: 'The need belongs to another account' })
  return null
}

/** The same as a question. */
export async function isBuyer(q: Queryable, ctx: RequestContext, need: NeedWithParty): Promise<boolean> {
  if (need.agentId === null) return isPublisher(ctx, need)
  const agent = await agentById(q, need.agentId)
  return agent !== undefined && canOperate(ctx, agent)
}

// A key of an organization manages what it published.
function isPublisher({ principal }: RequestContext, { accountId, organizationId }: Need): boolean {
  const organization = boundOrganization(principal)
  return (
    boundAgent(principal) === null &&
    principal.accountId === accountId &&
    (organization === null || organization === organizationId)
  )
}

/** The locked need. 404 for an unknown one. */
export async function lockNeed(tx: Tx, id: string): Promise<Need> {
  const need = isId(id) ? await tx.maybe(statements.lockNeed(id)) : undefined
  if (!need) throw apiError(MARKET.NEED_NOT_FOUND)
  return need
}

/** Ends a need without a match; its open offers are rejected. */
export async function closeNeed(tx: Tx, ctx: RequestContext, id: string): Promise<NeedWithParty> {
  const need = await lockNeed(tx, id)
  await requireBuyer(tx, ctx, need)
  await endNeed(tx, need, { event: 'close', by: 'buyer', actorId: actorIdOf(ctx) })
  return readNeed(tx, id)
}

/** Timer: the deadline of a need has passed. */
export async function expireNeed(tx: Tx, id: string): Promise<void> {
  const need = await lockNeed(tx, id)
  if (need.status === 'OPEN' && need.deadline <= tx.now)
    await endNeed(tx, need, { event: 'expire', by: 'timer' })
}

/** Ends a locked need; its open offers end with it. */
async function endNeed(
  tx: Tx,
  need: Need,
  move: { event: 'close' | 'expire'; by: NeedTrigger; actorId?: string },
): Promise<void> {
  await transition(tx, needMachine, need, { ...move, set: { endedAt: tx.now } })
  const end = move.event === 'expire' ? { event: 'expire', by: 'timer' } : { event: 'reject', by: 'system' }
  await endOffers(tx, part`o.need_id = ${need.id}`, end as OfferEnd)
}

export interface OfferEnd {
  event: OfferEvent
  by: OfferTrigger
}

/** Ends all open offers of a condition, in the order of their ids. */
export async function endOffers(tx: Tx, where: SqlPart, move: OfferEnd): Promise<void> {
  const open = await tx.rows(statements.lockOpenOffers(where))
  const planned = open.map(offer => planTransition(offerMachine, offer, move, tx.now))
  const [first] = planned
  if (!first) return
  await tx.run(
    statements.moveOffers(
      open.map(({ id }) => id),
      { status: first.row.status, endedAt: tx.now, updatedAt: tx.now },
      planned.map(({ line }) => line),
    ),
  )
}

/** Closes the open needs and withdraws the open offers of an account, or of one of its agents. */
export async function endMarketOf(tx: Tx, accountId: string, agentId?: string): Promise<void> {
  const owned =
    agentId === undefined
      ? part`account_id = ${accountId}`
      : part`account_id = ${accountId} and agent_id = ${agentId}`
  for (const need of await tx.rows(statements.lockOpenNeeds(owned)))
    await endNeed(tx, need, { event: 'close', by: 'system' })
  await endOffers(tx, owned, { event: 'withdraw', by: 'system' })
}

/** Keeps accounts from being deleted meanwhile. 401 or 400 for one that is deleted already. */
export async function requireNotDeleted(tx: Tx, ids: readonly string[], others?: SqlPart): Promise<void> {
  const found = await erasure.lockAgainstDeletion(tx, ids, others)
  if ([...found.values()].includes('DELETED'))
    throw apiError(COMMON.FORBIDDEN, { hint: 'The account has been deleted' })
}
