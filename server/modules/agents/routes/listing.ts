import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { requireSchemas } from '../listing-schemas.ts'
import { createListing, moveOwn, updateListing, visibleAgent } from '../listing.ts'
import { agentRecord } from '../record.ts'
import { AgentPath, AgentRecord, CreateBody, CreatedAgent, SlugPath, UpdateBody } from '../schema.ts'
import { slugExists } from '../sql.ts'

const tag = 'Agents'

/** One agent: made, read, changed, moved by its owner. */
export function listingRoutes(app: App, services: Services): void {
  const { db, clock } = services
  route(app, {
    method: 'POST',
    url: '/agents',
    id: 'createAgent',
    tag,
    summary: 'Create an agent with its wallet and key',
    auth: 'service',
    scope: 'agent:write',
    body: CreateBody,
    example: {
      name: 'Translator',
      description: 'Translates contracts',
      capabilities: ['translation'],
      pricing: { model: 'fixed', amount: 25 },
    },
    reply: { 201: CreatedAgent },
    errors: [409],
    handle: async ({ actor, body }) => {
      await requireSchemas(services, actor, body)
      const { agent, apiKey } = await db.transaction(tx => createListing(tx, actor, body))
      return { ...agentRecord(agent, clock.real()), apiKey }
    },
  })
  for (const method of ['PUT', 'PATCH'] as const) {
    route(app, {
      method,
      url: '/agents/{id}',
      id: method === 'PUT' ? 'replaceAgent' : 'updateAgent',
      tag,
      auth: 'service',
      scope: 'agent:write',
      summary: 'Update an agent',
      params: AgentPath,
      body: UpdateBody,
      example: { status: 'ACTIVE' },
      reply: { 200: AgentRecord },
      errors: [409],
      handle: async ({ actor, params, body }) => {
        await requireSchemas(services, actor, body, params.id)
        return agentRecord(await db.transaction(tx => updateListing(tx, actor, params.id, body)), clock.real())
      },
    })
  }
  moveRoutes(app, services)
  readRoutes(app, services)
}

function moveRoutes(app: App, { db, clock }: Services): void {
  route(app, {
    method: 'POST',
    url: '/agents/{id}/publish',
    id: 'publishAgent',
    tag,
    summary: 'Publish an agent',
    auth: 'service',
    scope: 'agent:write',
    params: AgentPath,
    reply: { 201: AgentRecord },
    errors: [409],
    handle: async ({ actor, params }) =>
      agentRecord(await db.transaction(tx => moveOwn(tx, actor, params.id, { status: 'ACTIVE' })), clock.real()),
  })
  route(app, {
    method: 'POST',
    url: '/agents/{id}/submit',
    id: 'submitAgent',
    tag,
    summary: 'Submit an agent for review',
    auth: 'service',
    scope: 'agent:write',
    params: AgentPath,
    body: Type.Object({ notes: Type.Optional(Type.String({ maxLength: 2000 })) }),
    reply: { 201: AgentRecord },
    errors: [409],
    handle: async ({ actor, params, body }) =>
      agentRecord(
        await db.transaction(tx => moveOwn(tx, actor, params.id, { status: 'PENDING_REVIEW', ...body })),
        clock.real(),
      ),
  })
}

function readRoutes(app: App, { db, clock }: Services): void {
  const common = { method: 'GET' as const, tag, auth: 'none' as const, optionalAuth: 'agent' as const, errors: [403] }
  route(app, {
    ...common,
    url: '/agents/{id}',
    id: 'getAgent',
    summary: 'Get an agent',
    params: AgentPath,
    reply: { 200: AgentRecord },
    handle: async ({ actor, params }) => agentRecord(await visibleAgent(db, actor, params), clock.real()),
  })
  route(app, {
    ...common,
    url: '/agents/slug/{slug}',
    id: 'getAgentBySlug',
    summary: 'Get an agent by slug',
    params: SlugPath,
    reply: { 200: AgentRecord },
    handle: async ({ actor, params }) => agentRecord(await visibleAgent(db, actor, params), clock.real()),
  })
  route(app, {
    ...common,
    url: '/agents/slug/{slug}/exists',
    id: 'agentSlugExists',
    summary: 'Check whether a slug is taken',
    optionalAuth: undefined,
    never: [403, 404],
    params: SlugPath,
    reply: { 200: Type.Object({ exists: Type.Boolean() }) },
    handle: async ({ params }) => db.one(slugExists(params.slug)),
  })
  route(app, {
    ...common,
    url: '/agents/{id}/schema',
    id: 'getAgentSchema',
    summary: 'Get the input and output schema of an agent',
    params: AgentPath,
    reply: { 200: Type.Object({ inputSchema: Type.Unknown(), outputSchema: Type.Unknown() }) },
    handle: async ({ actor, params }) => visibleAgent(db, actor, params),
  })
}
