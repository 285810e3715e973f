import { Type } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import { pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import type { Agent } from '../agent.ts'
import { agentRecord } from '../record.ts'
import { AgentRecord } from '../schema.ts'
import { AgentPage, DiscoverPage, DiscoverQuery, ListQuery } from '../search/schema.ts'
import { agentsOf, discoverAgents, listAgents } from '../search/search.ts'

const tag = 'Agents'

/** Lists of agents: search, discovery by cursor, and the agents of the caller. */
export function listRoutes(app: App, { clock }: Services): void {
  const records = (agents: Agent[]) => agents.map(agent => agentRecord(agent, clock.real()))
  query(app, {
    method: 'GET',
    url: '/agents',
    id: 'listAgents',
    tag,
    summary: 'Search agents',
    access: { optional: ['jwt', 'sk', 'sa'] },
    query: ListQuery,
    success: [200, AgentPage],
    run: async (q, ctx, { query }) => {
      const { agents, counted, facets } = await listAgents(q, ctx, query, clock.real())
      const { items, ...page } = pageAnswer(records(agents), counted, pageOf(query))
      return { agents: items, ...page, ...(facets ? { facets } : {}) }
    },
  })
  query(app, {
    method: 'GET',
    url: '/agents/discover',
    id: 'discoverAgents',
    tag,
    summary: 'Discover agents, the most trusted first',
    access: 'public',
    query: DiscoverQuery,
    success: [200, DiscoverPage],
    run: async (q, _, { query }) => {
      const { agents, counted, nextCursor } = await discoverAgents(q, query, clock.real())
      const { items, ...page } = pageAnswer(records(agents), counted, pageOf(query))
      return { agents: items, ...page, nextCursor }
    },
  })
  query(app, {
    method: 'GET',
    url: '/agents/my-agents',
    id: 'listMyAgents',
    tag,
    summary: 'List your agents',
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    query: Type.Object(PageQuery),
    success: [200, PageOf(AgentRecord)],
    run: async (q, ctx, { query }) => {
      const { agents, counted } = await agentsOf(q, ctx, query)
      return pageAnswer(records(agents), counted, pageOf(query))
    },
  })
}
