import { isOwner, requireAgent } from '#agents'
import { walletHistory } from '#wallets'
import type { Queryable } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { pageAnswer, type Page } from '#platform/http/schema'
import type { RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { part, sql } from '#platform/kernel/sql'
import { readDeals, type Deal } from '../deal/deal.ts'
import type { NegotiationStatus } from '../deal/negotiation-machine.ts'
import { heldOf, type NegotiationRow } from '../deal/rows.ts'
import { listDeals, listNegotiations } from './lists.ts'
import { agentView } from './views.ts'

type Listed = { rows: NegotiationRow[]; counted: number }

/** What the caller bought, newest first. */
export async function purchasesOf(
  q: Queryable,
  ctx: RequestContext,
  { status }: { status?: NegotiationStatus },
  page: Page,
) {
  const listed = await listNegotiations(q, ctx, { role: 'buyer', status }, page)
  return pageOfDeals(q, listed, page, deal => ({ ...summaryOf(deal), agent: agentView(deal.sellerAgent) }))
}

/** The deals of an agent with other agents, newest first. 403 unless the caller owns the agent. */
export async function dealsWithAgents(
  q: Queryable,
  ctx: RequestContext,
  { id, role }: { id: string; role?: 'buyer' | 'seller' },
  page: Page,
) {
  const agent = await requireOwnAgent(q, ctx, id)
  const bought = part`(n.buyer_agent_id = ${agent.id} and n.seller_agent_id is not null)`
  const sold = part`(n.seller_agent_id = ${agent.id} and n.buyer_agent_id is not null)`
  const parties = role === 'buyer' ? [bought] : role === 'seller' ? [sold] : [bought, sold]
  const listed = await listDeals(q, { parties }, page)
  return pageOfDeals(q, listed, page, deal => {
    const isBuyer = deal.negotiation.buyerAgentId === agent.id
    return {
      ...summaryOf(deal),
      role: isBuyer ? ('buyer' as const) : ('seller' as const),
      counterparty: agentView(isBuyer ? deal.sellerAgent : deal.buyerAgent),
    }
  })
}

async function pageOfDeals<View>(
  q: Queryable,
  { rows, counted }: Listed,
  page: Page,
  view: (deal: Deal) => View,
) {
  return pageAnswer((await readDeals(q, rows)).map(view), counted, page)
}

function summaryOf({ negotiation: row, escrow }: Deal) {
  return {
    id: row.id,
    requestedService: row.requestedService,
    amount: formatMoney(escrow?.amount ?? row.price),
    currency: row.currency,
    status: row.status,
    selfDeal: row.selfDeal,
    escrow: escrow && {
      id: escrow.id,
      status: escrow.status,
      held: formatMoney(heldOf(escrow)),
      released: formatMoney(escrow.released),
      refunded: formatMoney(escrow.refunded),
      test: escrow.test,
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** The agent, if the caller owns it: unknown 404, another account's 403. */
async function requireOwnAgent(q: Queryable, ctx: RequestContext, id: string) {
  const agent = await requireAgent(q, ctx, id)
  if (isOwner(ctx, agent)) return agent
  throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this' })
}

interface Parties {
  id: string
  requestedService: string
  buyerAgentId: string | null
  sellerAgentId: string | null
}

/** What the wallets of an agent received and spent, newest first, with the deal where there is one. */
export async function paymentsOf(q: Queryable, ctx: RequestContext, id: string, page: Page) {
  const agent = await requireOwnAgent(q, ctx, id)
  const { movements, counted } = await walletHistory.agentMovements(q, ctx, agent.id, page)
  const ids = new Set(movements.flatMap(({ reference }) => reference.negotiationId ?? []))
  const deals = await q.rows(sql<Parties>`
    select id, requested_service, buyer_agent_id, seller_agent_id from ap2_negotiation
    where id = any(${[...ids].filter(id => isId(id))}::uuid[])`)
  const dealOf = new Map(deals.map(deal => [deal.id, deal]))
  const items = movements.map(({ id: journalId, type, direction, reference, memo, ...rest }) => {
    const deal = dealOf.get(reference.negotiationId ?? '')
    const agents = [deal?.buyerAgentId, deal?.sellerAgentId]
    return {
      id: journalId,
      type,
      direction: direction === 'IN' ? ('RECEIVED' as const) : ('SPENT' as const),
      amount: rest.amount,
      currency: rest.currency,
      test: rest.test,
      walletId: rest.walletId,
      counterpart: rest.counterpart,
      counterpartyAgentId: agents.find(other => other && other !== agent.id) ?? null,
      requestedService: deal?.requestedService ?? null,
      negotiationId: deal?.id ?? null,
      escrowId: reference.escrowId ?? null,
      memo,
      createdAt: rest.createdAt,
    }
  })
  return pageAnswer(items, counted, page)
}
