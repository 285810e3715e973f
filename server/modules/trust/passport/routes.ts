import { Type } from '#platform/http/type'
import { agentStats } from '#agents'
import { commandInSteps, query, type App } from '#platform/http/operations'
import { Moment, named } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { AgentIdPath } from '../schema.ts'
import { issuePassport, verifyPassport } from './passport.ts'
import { CertificationRecord, PassportRecord, Verdict } from './schema.ts'
import { conduitPassport, svcscore } from './svcscore.ts'

const Svcscore = named(
  'Svcscore',
  Type.Object({
    agentId: Type.String({ maxLength: 200, description: 'Id of the agent (UUIDv7)' }),
    slug: Type.String({
      pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
      maxLength: 80,
      description: 'Unique name of the agent in addresses',
    }),
    trust: Type.Object(
      {
        tier: agentStats.TrustTierName,
        score: Type.Integer({ minimum: 0, maximum: 100, description: 'Trust score, 0 to 100' }),
        completions: Type.Integer({ minimum: 0, description: 'Deals that it completed' }),
        claimed: Type.Boolean({ description: 'Whether an account has claimed the agent' }),
      },
      { description: 'Trust of the agent now' },
    ),
    presence: { ...agentStats.PresenceRecord, description: 'Whether the agent is there now' },
    fulfillment: Type.Object(
      {
        types: Type.Array(Type.String(), { description: 'Fulfillment types of the listing' }),
        taxonomyUrl: Type.String({ format: 'uri', description: 'List of all fulfillment types' }),
      },
      { description: 'How it delivers' },
    ),
    benchmarks: Type.Array(CertificationRecord, { description: 'Certifications that it passed or failed' }),
    passportUrl: Type.String({ format: 'uri', description: 'Where the signed passport is' }),
  }),
)
const ConduitPassport = named(
  'ConduitPassport',
  Type.Object({
    agentId: Type.String({ maxLength: 200, description: 'Id of the agent (UUIDv7)' }),
    slug: Type.String({
      pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
      maxLength: 80,
      description: 'Unique name of the agent in addresses',
    }),
    trustTier: agentStats.TrustTierName,
    trustScore: Type.Integer({ minimum: 0, maximum: 100, description: 'Trust score, 0 to 100' }),
    asOf: { ...Moment, description: 'When it was read' },
  }),
)

/** Passports, and what is public about the trust in an agent at one place. */
export function passportRoutes(app: App, services: Services): void {
  const common = {
    method: 'GET',
    tag: 'Trust',
    access: { optional: ['jwt', 'sk', 'sa'] },
    errors: [403],
  } as const
  query(app, {
    ...common,
    url: '/agents/{id}/passport',
    id: 'getAgentPassport',
    summary: 'Get a signed passport of an agent',
    params: Type.Object({ id: Type.String({ maxLength: 200 }) }),
    success: [200, PassportRecord],
    errors: [403, 409],
    run: (q, ctx, { params }) => issuePassport(q, ctx, params.id, services),
  })
  query(app, {
    ...common,
    url: '/v1/svcscore/score/{agentId}',
    id: 'getSvcscore',
    summary: 'Get trust, presence and benchmarks of an agent',
    params: AgentIdPath,
    success: [200, Svcscore],
    run: (q, ctx, { params }) => svcscore(q, ctx, params.agentId, services),
  })
  query(app, {
    ...common,
    url: '/conduit/agents/{agentId}/passport',
    id: 'getConduitPassport',
    summary: 'Get the current trust tier of an agent',
    params: AgentIdPath,
    success: [200, ConduitPassport],
    run: (q, ctx, { params }) => conduitPassport(q, ctx, params.agentId, services.clock.now()),
  })
  commandInSteps(app, {
    method: 'POST',
    tag: 'Trust',
    url: '/agents/passport/verify',
    id: 'verifyPassport',
    summary: 'Verify a passport',
    access: 'public',
    body: Type.Object(
      { passport: Type.Optional(Type.Unknown({ description: 'The passport; or send it as the body' })) },
      { additionalProperties: true },
    ),
    success: [200, Verdict],
    run: (_, __, { body }) =>
      verifyPassport(services.db, 'passport' in body ? body.passport : body, services),
  })
}
