import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/services'
import type { Agent } from '../agent.ts'
import { agentRecord } from '../record.ts'
import { AgentRecord } from '../schema.ts'
import { AgentPage, DiscoverPage, DiscoverQuery, ListQuery } from '../search-schema.ts'
import { agentsOf, discoverAgents, listAgents } from '../search.ts'

const tag = 'Agents'

/** Many agents: the public list, the walk through it, the caller's own. */
export function listRoutes(app: App, { db, clock }: Services): void {
  const records = (agents: Agent[]) => agents.map(agent => agentRecord(agent, clock.real()))
  route(app, {
    method: 'GET',
    url: '/agents',
    id: 'listAgents',
    tag,
    summary: 'Search agents',
    auth: 'none',
    optionalAuth: 'agent',
    query: ListQuery,
    reply: { 200: AgentPage },
    handle: async ({ actor, query }) => {
      const { agents, counted } = await listAgents(db, actor, query, clock.real())
      const { items, ...page } = pageAnswer(records(agents), counted, pageOf(query))
      return { agents: items, ...page }
    },
  })
  route(app, {
    method: 'GET',
    url: '/agents/discover',
    id: 'discoverAgents',
    tag,
    summary: 'Discover agents, the most trusted first',
    auth: 'none',
    query: DiscoverQuery,
    reply: { 200: DiscoverPage },
    handle: async ({ query }) => {
      const { agents, counted, nextCursor } = await discoverAgents(db, query, clock.real())
      const { items, ...page } = pageAnswer(records(agents), counted, pageOf(query))
      return { agents: items, ...page, nextCursor }
    },
  })
  route(app, {
    method: 'GET',
    url: '/agents/my-agents',
    id: 'listMyAgents',
    tag,
    summary: 'List your agents',
    auth: 'service',
    scope: 'agent:read',
    query: Type.Object(PageQuery),
    reply: { 200: PageOf(AgentRecord) },
    handle: async ({ actor, query }) => {
      const { agents, counted } = await agentsOf(db, actor, query)
      return pageAnswer(records(agents), counted, pageOf(query))
    },
  })
}
