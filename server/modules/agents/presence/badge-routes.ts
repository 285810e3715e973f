import { Type } from '#platform/http/type'
import type { HttpRequest } from '#platform/http/operation'
import { query, type App } from '#platform/http/operations'
import { media, respond } from '#platform/http/response'
import { named } from '#platform/http/schema'
import type { Agent } from '../agent.ts'
import { badgeJson, badgeSvg, wantsPicture } from './badge.ts'
import { visibleAgent } from '../listing/listing.ts'
import { AgentPath, SlugPath } from '../schema.ts'

const Badge = named(
  'AgentBadge',
  Type.Object({
    schemaVersion: Type.Literal(1, { description: 'Version of the format of shields.io' }),
    label: Type.String({ description: 'Left text of the badge' }),
    message: Type.String({ description: 'Right text: trust tier and score, such as `verified 82`' }),
    color: Type.String({ description: 'Color of the right side, by the trust tier' }),
    cacheSeconds: Type.Integer({ minimum: 0, description: 'How long the badge may be cached, in seconds' }),
  }),
)

/** The trust badge: JSON for shields.io, SVG if `Accept` prefers an image. */
export function badgeRoutes(app: App): void {
  const common = {
    method: 'GET',
    tag: 'Agents',
    access: { optional: ['jwt', 'sk', 'sa'] },
    alsoProduces: 'image/svg+xml',
    summary: 'Get the trust badge of an agent',
    success: [200, Badge],
    errors: [403],
  } as const
  query(app, {
    ...common,
    url: '/agents/{id}/badge',
    id: 'getAgentBadge',
    params: AgentPath,
    run: async (q, ctx, { params, http }) => badge(await visibleAgent(q, ctx, params), http),
  })
  query(app, {
    ...common,
    url: '/agents/slug/{slug}/badge',
    id: 'getAgentBadgeBySlug',
    params: SlugPath,
    run: async (q, ctx, { params, http }) => badge(await visibleAgent(q, ctx, params), http),
  })
}

function badge(agent: Agent, { headers: { accept } }: HttpRequest) {
  // A shared cache would serve the badge of a PRIVATE agent to everybody.
  const scope = agent.visibility === 'PRIVATE' ? 'private' : 'public'
  const headers = { vary: 'Accept', 'cache-control': `${scope}, max-age=300` }
  return wantsPicture(accept)
    ? media(badgeSvg(agent), 'image/svg+xml', { headers })
    : respond(badgeJson(agent), { headers })
}
