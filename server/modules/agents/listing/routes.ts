import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { requireSchemas } from './schemas.ts'
import { createListing, moveOwn, updateListing, visibleAgent } from './listing.ts'
import { agentRecord } from '../record.ts'
import { AgentPath, AgentRecord, CreateBody, CreatedAgent, SlugPath, UpdateBody } from '../schema.ts'
import { slugExists } from '../sql.ts'

const tag = 'Agents'

/** Operations on one agent by its owner. */
export function listingRoutes(app: App, services: Services): void {
  const { clock } = services
  command(app, {
    method: 'POST',
    url: '/agents',
    id: 'createAgent',
    tag,
    summary: 'Create an agent with its wallet and key',
    access: { accept: ['jwt', 'sk'], scope: 'agent:write' },
    body: CreateBody,
    example: {
      name: 'Translator',
      description: 'Translates contracts',
      capabilities: ['translation'],
      pricing: { model: 'fixed', amount: 25 },
    },
    success: [201, CreatedAgent],
    errors: [409],
    prepare: (ctx, { body }) => requireSchemas(services, ctx, body),
    run: async (tx, ctx, { body }) => {
      const { agent, apiKey } = await createListing(tx, ctx, body, services)
      return { ...agentRecord(agent, clock.real()), apiKey }
    },
  })
  for (const method of ['PUT', 'PATCH'] as const) {
    command(app, {
      method,
      url: '/agents/{id}',
      id: method === 'PUT' ? 'replaceAgent' : 'updateAgent',
      tag,
      access: { accept: ['jwt', 'sk'], scope: 'agent:write' },
      summary: 'Update an agent',
      params: AgentPath,
      body: UpdateBody,
      readOnly: ['walletId', 'walletAddress', 'x402WalletAddress'],
      example: { status: 'ACTIVE' },
      success: [200, AgentRecord],
      errors: [409],
      prepare: (ctx, { params, body }) => requireSchemas(services, ctx, body, params.id),
      run: async (tx, ctx, { params, body }) =>
        agentRecord(await updateListing(tx, ctx, params.id, body), clock.real()),
    })
  }
  moveRoutes(app, services)
  readRoutes(app, services)
}

function moveRoutes(app: App, { clock }: Services): void {
  command(app, {
    method: 'POST',
    url: '/agents/{id}/publish',
    id: 'publishAgent',
    tag,
    summary: 'Publish an agent',
    access: { accept: ['jwt', 'sk'], scope: 'agent:write' },
    params: AgentPath,
    success: [201, AgentRecord],
    errors: [409],
    run: async (tx, ctx, { params }) =>
      agentRecord(await moveOwn(tx, ctx, params.id, { status: 'ACTIVE' }), clock.real()),
  })
  command(app, {
    method: 'POST',
    url: '/agents/{id}/submit',
    id: 'submitAgent',
    tag,
    summary: 'Submit an agent for review',
    access: { accept: ['jwt', 'sk'], scope: 'agent:write' },
    params: AgentPath,
    body: Type.Object({
      notes: Type.Optional(
        Type.String({ maxLength: 2000, description: 'Note for the admin who reviews the agent' }),
      ),
    }),
    success: [201, AgentRecord],
    errors: [409],
    run: async (tx, ctx, { params, body }) =>
      agentRecord(await moveOwn(tx, ctx, params.id, { status: 'PENDING_REVIEW', ...body }), clock.real()),
  })
}

function readRoutes(app: App, { clock }: Services): void {
  const common = {
    method: 'GET',
    tag,
    access: { optional: ['jwt', 'sk', 'sa'] },
    errors: [403],
  } as const
  query(app, {
    ...common,
    url: '/agents/{id}',
    id: 'getAgent',
    summary: 'Get an agent',
    params: AgentPath,
    success: [200, AgentRecord],
    run: async (q, ctx, { params }) => agentRecord(await visibleAgent(q, ctx, params), clock.real()),
  })
  query(app, {
    ...common,
    url: '/agents/slug/{slug}',
    id: 'getAgentBySlug',
    summary: 'Get an agent by slug',
    params: SlugPath,
    success: [200, AgentRecord],
    run: async (q, ctx, { params }) => agentRecord(await visibleAgent(q, ctx, params), clock.real()),
  })
  query(app, {
    ...common,
    url: '/agents/slug/{slug}/exists',
    id: 'agentSlugExists',
    summary: 'Check whether a slug is taken',
    access: 'public',
    excludeErrors: [403, 404],
    params: SlugPath,
    success: [200, Type.Object({ exists: Type.Boolean({ description: 'Whether an agent has the slug' }) })],
    run: async (q, _, { params }) => q.one(slugExists(params.slug)),
  })
  query(app, {
    ...common,
    url: '/agents/{id}/schema',
    id: 'getAgentSchema',
    summary: 'Get the input and output schema of an agent',
    params: AgentPath,
    success: [
      200,
      Type.Object({
        inputSchema: Type.Unknown({
          description: 'JSON Schema of the `input` of a run; null if the agent has none',
        }),
        outputSchema: Type.Unknown({
          description: 'JSON Schema of the `output` of a run; null if the agent has none',
        }),
      }),
    ],
    run: (q, ctx, { params }) => visibleAgent(q, ctx, params),
  })
}
