import { lockAgentIfAny, requireAgent, requireTradable, type Agent } from '#agents'
import { agreements } from '#ap2'
import { requireApprovalByOwner, requireSpending } from '#spending'
import type { Static } from '#platform/http/type'
import { boundAgent, isBound, type RequestContext } from '#platform/http/principal'
import { pageOf, TOTAL_CAP } from '#platform/http/schema'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import { publish } from '#platform/kernel/events'
import { isId, newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import { cannot, MARKET } from './errors.ts'
import { offerAccepted, offerCreated } from './events.ts'
import {
  actorIdOf,
  endOffers,
  isBuyer,
  lockNeed,
  openRequirements,
  readNeed,
  requireBuyer,
  requireNotDeleted,
  startOf,
} from './need.ts'
import { needMachine } from './need-machine.ts'
import { offerMachine } from './offer-machine.ts'
import type { Need, Offer, OfferWithParty } from './rows.ts'
import type { OfferBody } from './schema.ts'
import * as statements from './sql.ts'
import { offerView } from './views.ts'

/** An agent offers to meet a need. */
export async function createOffer(
  tx: Tx,
  ctx: RequestContext,
  { needId, ...body }: Static<typeof OfferBody> & { needId: string },
  rules: agreements.AgreementRules,
): Promise<OfferWithParty> {
  const agentId = body.agentId ?? boundAgent(ctx.principal)
  if (agentId === null) throw invalid('agentId is required: the agent that offers')
  const agent = await requireAgent(tx, ctx, agentId)
  requireTradable(agent)
  const need = await openNeed(tx, needId, agent)
  const price = parseAmount(body.price, { field: 'price' })
  if (price > need.budget)
    throw apiError(MARKET.OFFER_ABOVE_BUDGET, { hint: `The budget is ${formatMoney(need.budget)}` })
  agreements.requireSellable(rules, agent, price)
  await requireMaySell(tx, ctx, { agent, need, price })
  const id = newId()
  const offer: Offer = {
    id,
    needId: need.id,
    status: 'OPEN',
    agentId: agent.id,
    accountId: agent.ownerId,
    price,
    message: body.message ?? null,
    estimatedDelivery: body.estimatedDelivery ?? null,
    expiresAt: expiryOf(body.expiresAt, need, tx.now),
    negotiationId: null,
    endedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  }
  const line = startOf(id, { event: 'offer', actor: 'seller', actorId: actorIdOf(ctx), at: tx.now })
  await tx.run(statements.insertWithHistory('market_offer', offer, line))
  await publish(tx, offerCreated, eventOf(offer, need))
  return tx.one(statements.offerById(id))
}

/** The need, which stays OPEN until the transaction ends. */
async function openNeed(tx: Tx, needId: string, agent: Agent): Promise<Need> {
  const id = isId(needId) ? needId : newId()
  await requireNotDeleted(tx, [agent.ownerId], statements.buyerOf(id))
  const need = await tx.maybe(statements.shareNeed(id))
  if (!need) throw apiError(MARKET.NEED_NOT_FOUND)
  requireOpen(need, 'offer', tx.now)
  if ((await tx.one(statements.isOfSuspended(id))).suspended) throw cannot('offer', 'SUSPENDED')
  if (need.agentId === agent.id) throw invalid('an agent cannot meet its own need')
  // To archive the agent, which withdraws its offers, waits until this one is stored, or has come before.
  requireTradable((await lockAgentIfAny(tx, agent.id)) ?? agent)
  return need
}

// A deadline that passed counts at once, not when its timer runs.
function requireOpen({ status, deadline }: Need, action: string, now: Date): void {
  const current = status === 'OPEN' && deadline <= now ? 'EXPIRED' : status
  if (current !== 'OPEN') throw cannot(action, current)
}

function expiryOf(text: string | undefined, { deadline }: Need, now: Date): Date {
  if (text === undefined) return deadline
  const moment = new Date(text)
  if (moment <= now) throw invalid('expiresAt must be in the future')
  return moment < deadline ? moment : deadline
}

/** The policy of the selling agent: an offer binds it like the acceptance of a deal. */
async function requireMaySell(
  tx: Tx,
  ctx: RequestContext,
  { agent, need, price }: { agent: Agent; need: Need; price: bigint },
): Promise<void> {
  const approval = await requireSpending(tx, {
    agentId: agent.id,
    amount: price,
    action: 'sell',
    counterpartyAgentId: need.agentId,
    counterpartyAccountId: need.accountId,
  })
  requireApprovalByOwner(ctx, agent, approval)
}

const eventOf = (offer: Offer, need: Need) => ({
  offerId: offer.id,
  needId: need.id,
  sellerAgentId: offer.agentId,
  sellerAccountId: offer.accountId,
  buyerAgentId: need.agentId,
  buyerAccountId: need.accountId,
  buyerOrganizationId: need.organizationId,
  price: offer.price,
  currency: need.currency,
})

/** A page of the offers to a need: all for its buyer, for others those of their agents. */
export async function listOffers(
  q: Queryable,
  ctx: RequestContext,
  { id, ...query }: { id: string; limit?: number; offset?: number },
) {
  const need = await readNeed(q, id)
  const { principal } = ctx
  const own = isBound(principal)
    ? part`o.agent_id = ${boundAgent(principal)}::uuid`
    : statements.byAgentsOf(principal.accountId)
  const scope = (await isBuyer(q, ctx, need)) ? part`true` : own
  const where = part`o.need_id = ${need.id} and ${scope}`
  const [offers, { counted }] = await Promise.all([
    q.rows(statements.findOffers(where, pageOf(query))),
    q.one(statements.countOffers(where, TOTAL_CAP + 1)),
  ])
  return { offers, counted }
}

/** The seller takes an offer back. */
export async function withdrawOffer(tx: Tx, ctx: RequestContext, id: string): Promise<OfferWithParty> {
  const { agentId } = await knownOffer(tx, id)
  await requireAgent(tx, ctx, agentId)
  const offer = await tx.one(statements.lockOffer(id))
  const move = { event: 'withdraw', by: 'seller', actorId: actorIdOf(ctx), set: { endedAt: tx.now } } as const
  await transition(tx, offerMachine, offer, move)
  return tx.one(statements.offerById(id))
}

async function knownOffer(q: Queryable, id: string): Promise<OfferWithParty> {
  const offer = isId(id) ? await q.maybe(statements.offerById(id)) : undefined
  if (!offer) throw apiError(MARKET.OFFER_NOT_FOUND)
  return offer
}

/**
 * The buyer accepts an offer: the need is MATCHED, all other offers are rejected, and a negotiation is opened, ACCEPTED at
 * the price of the offer. Of two offers that are accepted at once, one wins.
 */
export async function acceptOffer(
  tx: Tx,
  ctx: RequestContext,
  id: string,
  { services, rules }: { services: Pick<Services, 'secrets'>; rules: agreements.AgreementRules },
) {
  const { needId } = await knownOffer(tx, id)
  await requireNotDeleted(tx, [ctx.principal.accountId], statements.sellerOf(id))
  const need = await lockNeed(tx, needId)
  const buyer = await requireBuyer(tx, ctx, need)
  const offer = await tx.one(statements.lockOffer(id))
  requireAcceptable(offer, need, tx.now)
  if (buyer) await requireMayBuy(tx, ctx, { buyer, need, offer })
  const deal = await agreements.openAgreedDeal(tx, ctx, dealOf(need, offer, services), {
    rules,
    consent: consentOf(offer),
  })
  const negotiationId = deal.negotiation.id
  const by = { by: 'buyer', actorId: actorIdOf(ctx) } as const
  const set = { endedAt: tx.now }
  const accepted = await transition(tx, offerMachine, offer, {
    ...by,
    event: 'accept',
    set: { ...set, negotiationId },
  })
  await transition(tx, needMachine, need, { ...by, event: 'match', set: { ...set, offerId: id } })
  await endOffers(tx, part`o.need_id = ${need.id}`, { event: 'reject', by: 'system' })
  await publish(tx, offerAccepted, { ...eventOf(accepted, need), negotiationId })
  return {
    offer: offerView(await tx.one(statements.offerById(id))),
    negotiation: agreements.negotiationViewFor(ctx, deal),
  }
}

function requireAcceptable({ status, expiresAt }: Offer, need: Need, now: Date): void {
  const current = status === 'OPEN' && expiresAt <= now ? 'EXPIRED' : status
  if (current !== 'OPEN') throw cannot('accept', current)
  requireOpen(need, 'match', now)
}

async function requireMayBuy(
  tx: Tx,
  ctx: RequestContext,
  { buyer, offer }: { buyer: Agent; need: Need; offer: Offer },
): Promise<void> {
  const approval = await requireSpending(tx, {
    agentId: buyer.id,
    amount: offer.price,
    action: 'accept',
    counterpartyAgentId: offer.agentId,
    counterpartyAccountId: offer.accountId,
  })
  requireApprovalByOwner(ctx, buyer, approval)
}

const dealOf = (need: Need, offer: Offer, services: Pick<Services, 'secrets'>) => ({
  ...(need.agentId === null ? {} : { requesterAgentId: need.agentId }),
  responderAgentId: offer.agentId,
  requestedService: need.description ? `${need.title}\n\n${need.description}` : need.title,
  budget: formatMoney(offer.price),
  currency: need.currency,
  requirements: openRequirements(need, services) ?? undefined,
  ...(need.deliverBy ? { deliverBy: need.deliverBy.toISOString() } : {}),
})

const consentOf = ({ agentId, message, estimatedDelivery }: Offer) => ({
  actorId: agentId,
  ...(message === null ? {} : { notes: message }),
  ...(estimatedDelivery === null ? {} : { estimatedDelivery }),
})

/** Timer: an offer was not accepted in time. */
export const expireOffer = (tx: Tx, id: string): Promise<void> =>
  endOffers(tx, part`o.id = ${id}::uuid and o.expires_at <= ${tx.now}`, { event: 'expire', by: 'timer' })
