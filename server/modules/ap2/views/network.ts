import { agentStats, visibleAgent } from '#agents'
import type { Queryable } from '#platform/kernel/db'
import type { PublicContext } from '#platform/http/principal'
import { formatMoney } from '#platform/kernel/money'
import { part, sql } from '#platform/kernel/sql'
import type { NegotiationStatus } from '../deal/negotiation-machine.ts'

/** The newest deals on each side that are counted, and the agents that are shown beside the primary one. */
const DEALS_MAX = 1000
const PARTNERS_MAX = 100

interface Edge {
  source: string
  target: string
  deals: number
  /** Gross, in micro-units. */
  value: bigint
  status: NegotiationStatus
}

// As trust counts: no deals with oneself, and test credit in sandbox mode only.
const edgesOf = (agentId: string, testCounts: boolean) => {
  const newest = (mine: 'buyer' | 'seller') => {
    const [own, other] =
      mine === 'buyer'
        ? [part`buyer_agent_id`, part`seller_agent_id`]
        : [part`seller_agent_id`, part`buyer_agent_id`]
    return part`(select id, buyer_agent_id, seller_agent_id, status, self_deal from ap2_negotiation
      where ${own} = ${agentId} and ${other} is not null order by id desc limit ${DEALS_MAX})`
  }
  return sql<Edge>`
    select n.buyer_agent_id as source, n.seller_agent_id as target, count(*)::int as deals, sum(e.amount)::bigint as value,
      (array_agg(n.status order by n.id desc))[1] as status
    from (${newest('buyer')} union all ${newest('seller')}) n
    join ap2_escrow e on e.negotiation_id = n.id and e.status not in ('PENDING_FUNDING', 'CANCELLED')
    where not n.self_deal and (not e.test or ${testCounts})
    group by 1, 2`
}

/** The agents that an agent has traded with. Agents that no public list shows are left out. */
export async function networkOf(q: Queryable, ctx: PublicContext, agentId: string, testCounts: boolean) {
  const primary = await visibleAgent(q, ctx, { id: agentId })
  const edges = await q.rows(edgesOf(primary.id, testCounts))
  const partnerOf = ({ source, target }: Edge) => (source === primary.id ? target : source)
  const listed = await agentStats.listedAmong(q, [...new Set(edges.map(partnerOf))])
  const nodeOf = ({ id, name, slug }: { id: string; name: string; slug: string }, own: readonly Edge[]) => {
    const countWhere = (side: 'source' | 'target') =>
      own.filter(edge => edge[side] === id).reduce((sum, edge) => sum + edge.deals, 0)
    const [dealsAsBuyer, dealsAsSeller] = [countWhere('source'), countWhere('target')]
    return { id, name, slug, interactions: dealsAsBuyer + dealsAsSeller, dealsAsBuyer, dealsAsSeller }
  }
  const partners = listed
    .map(agent =>
      nodeOf(
        agent,
        edges.filter(edge => partnerOf(edge) === agent.id),
      ),
    )
    .toSorted((one, other) => other.interactions - one.interactions || one.id.localeCompare(other.id))
    .slice(0, PARTNERS_MAX)
  const shown = new Set(partners.map(({ id }) => id))
  const shownEdges = edges.filter(edge => shown.has(partnerOf(edge)))
  return {
    primaryAgentId: primary.id,
    nodes: [nodeOf(primary, shownEdges), ...partners],
    edges: shownEdges.map(({ source, target, deals, value, status }) => ({
      source,
      target,
      transactionCount: deals,
      totalValue: formatMoney(value),
      latestStatus: status,
    })),
  }
}
