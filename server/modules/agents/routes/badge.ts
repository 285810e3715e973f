import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { named } from '#platform/http/schema'
import type { Services } from '#platform/services'
import type { Agent } from '../agent.ts'
import { badgeJson, badgeSvg, wantsPicture } from '../badge.ts'
import { visibleAgent } from '../listing.ts'
import { AgentPath, SlugPath } from '../schema.ts'

const Badge = named('AgentBadge', Type.Object({
  schemaVersion: Type.Literal(1),
  label: Type.String(),
  message: Type.String(),
  color: Type.String(),
  cacheSeconds: Type.Integer(),
}))

/** The trust badge: JSON for shields.io, SVG when `Accept` asks for a picture. */
export function badgeRoutes(app: App, { db }: Services): void {
  const common = {
    method: 'GET' as const,
    tag: 'Agents',
    auth: 'none' as const,
    optionalAuth: 'agent' as const,
    alsoProduces: 'image/svg+xml',
    summary: 'Get the trust badge of an agent',
    reply: { 200: Badge },
    errors: [403],
  }
  route(app, {
    ...common,
    url: '/agents/{id}/badge',
    id: 'getAgentBadge',
    params: AgentPath,
    handle: async ({ actor, params, request, reply }) => badge(await visibleAgent(db, actor, params), request, reply),
  })
  route(app, {
    ...common,
    url: '/agents/slug/{slug}/badge',
    id: 'getAgentBadgeBySlug',
    params: SlugPath,
    handle: async ({ actor, params, request, reply }) => badge(await visibleAgent(db, actor, params), request, reply),
  })
}

function badge(agent: Agent, request: FastifyRequest, reply: FastifyReply) {
  void reply.header('vary', 'Accept').header('cache-control', 'public, max-age=300')
  if (!wantsPicture(request.headers.accept)) return badgeJson(agent)
  void reply.type('image/svg+xml')
  return badgeSvg(agent)
}
