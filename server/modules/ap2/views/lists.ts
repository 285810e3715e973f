import { requireAgent } from '#agents'
import { organizations } from '#identity'
import type { Queryable } from '#platform/kernel/db'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { isBound, boundAgent, type RequestContext } from '#platform/http/principal'
import { anyOf, joined, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { NegotiationRow } from '../deal/rows.ts'

export interface ListFilter {
  role?: 'buyer' | 'seller'
  agentId?: string
  status?: string
  search?: string
}

/** The caller's negotiations, newest first; those of one agent with `agentId`, which the caller must act for. */
export async function listNegotiations(q: Queryable, ctx: RequestContext, filter: ListFilter, page: Page) {
  const status = filter.status === undefined ? [] : [part`n.status = ${filter.status}`]
  const conditions = [...status, ...mentioning(filter.search)]
  return listDeals(q, { parties: await ofCaller(q, ctx, filter), conditions }, page)
}

/** Deals whose service or agent has these words, as they are written. */
function mentioning(search: string | undefined): SqlPart[] {
  const words = search?.trim()
  if (!words) return []
  const pattern = `%${words.replaceAll(/[\\%_]/g, '\\$&')}%`
  return [
    part`(n.requested_service ilike ${pattern} or exists (select from agents_agent a
      where a.id in (n.seller_agent_id, n.buyer_agent_id) and a.name ilike ${pattern}))`,
  ]
}

/** The negotiations behind the caller's escrows; `status` is the escrow's. */
export async function listFunded(q: Queryable, ctx: RequestContext, filter: ListFilter, page: Page) {
  const status = filter.status === undefined ? part`true` : part`e.status = ${filter.status}`
  const funded = part`exists (select from ap2_escrow e where e.negotiation_id = n.id and e.status <> 'CANCELLED' and ${status})`
  return listDeals(q, { parties: await ofCaller(q, ctx, filter), conditions: [funded] }, page)
}

/** Milestones that are still to deliver, while others wait for the buyer. */
const WORK_LEFT = part`exists (select from ap2_escrow e join ap2_milestone m on m.escrow_id = e.id
  where e.negotiation_id = n.id and e.status = 'HELD' and m.released < m.amount
    and m.delivery_status in ('NONE', 'FAILED', 'SUPERSEDED'))`

/** What waits for this agent: an offer to answer, a deal to fund, work to do, a delivery to judge. */
export async function inboxOf(q: Queryable, ctx: RequestContext, agentId: string, page: Page) {
  const agent = await requireAgent(q, ctx, agentId)
  const waiting = part`(
    (n.status in ('PENDING', 'COUNTERED') and (case n.offered_by when 'buyer' then n.seller_agent_id else n.buyer_agent_id end) = ${agent.id})
    or (n.seller_agent_id = ${agent.id} and (n.status in ('ESCROWED', 'IN_PROGRESS') or (n.status = 'DELIVERED' and ${WORK_LEFT})))
    or (n.buyer_agent_id = ${agent.id} and n.status in ('ACCEPTED', 'DELIVERED')))`
  return listDeals(q, { parties: openDealsOf(agent.id), conditions: [waiting] }, page)
}

/** Of an agent, by indexes without the deals that have ended and without runs. */
export const openDealsOf = (agentId: string): SqlPart[] => {
  const isOpen = part`n.ended_at is null and not n.is_run`
  return [
    part`n.seller_agent_id = ${agentId} and ${isOpen}`,
    part`n.buyer_agent_id = ${agentId} and ${isOpen}`,
  ]
}

/** The conditions of which a deal of the caller meets one or more; an index finds the deals of each, newest first. */
async function ofCaller(
  q: Queryable,
  ctx: RequestContext,
  { role, agentId = boundAgent(ctx.principal) ?? undefined }: ListFilter,
): Promise<SqlPart[]> {
  const agent = agentId === undefined ? null : await requireAgent(q, ctx, agentId)
  const runs = agent ? [] : await organizations.organizationsRunBy(q, ctx)
  // A bound key has no deals of its account.
  const own = isBound(ctx.principal) ? null : ctx.principal.accountId
  const buyer = agent
    ? [part`n.buyer_agent_id = ${agent.id}`]
    : [
        part`n.buyer_account_id = ${own}::uuid and n.buyer_organization_id is null`,
        ...runs.map(id => part`n.buyer_organization_id = ${id}`),
      ]
  const seller = agent
    ? [part`n.seller_agent_id = ${agent.id}`]
    : [
        part`n.seller_account_id = ${own}::uuid and n.seller_organization_id is null`,
        ...runs.map(id => part`n.seller_organization_id = ${id}`),
      ]
  if (role === 'buyer') return buyer
  return role === 'seller' ? seller : [...buyer, ...seller]
}

interface Wanted {
  /** A deal meets one of them or more. */
  parties: readonly SqlPart[]
  /** A deal meets all of them. */
  conditions?: readonly SqlPart[]
}

/**
 * A page of deals, newest first, and how many there are. The newest of each party are read by its index: with "or" between
 * them each page would read and sort all deals of the caller.
 */
export async function listDeals(q: Queryable, { parties, conditions = [] }: Wanted, { limit, offset }: Page) {
  const newest = parties.map(
    party => part`(select n.id from ap2_negotiation n where ${joined([party, ...conditions], ' and ')}
      order by n.id desc limit ${limit + offset})`,
  )
  const rows = await q.rows(sql<NegotiationRow>`
    select n.* from ap2_negotiation n where n.id in (${joined(newest, ' union ')})
    order by n.id desc limit ${limit} offset ${offset}`)
  const { counted } = await q.one(sql<{ counted: number }>`
    select count(*)::int as counted from (select from ap2_negotiation n where ${joined([anyOf(parties), ...conditions], ' and ')}
      limit ${TOTAL_CAP + 1}) seen`)
  return { rows, counted }
}
