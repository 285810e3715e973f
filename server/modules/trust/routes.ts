import { Type } from 'typebox'
import { agentRecord, AgentPath, AgentRecord, TrustTierName } from '#agents'
import { route, type App } from '#platform/http/route'
import { Moment, named } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { review, trustReport } from './trust.ts'

const Rate = Type.Number({ minimum: 0, maximum: 1 })
const Report = named('TrustScore', Type.Object({
  agentId: Type.String(),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  tier: TrustTierName,
  formula: Type.String(),
  components: Type.Object({ delivery: Rate, onTime: Rate, disputes: Rate, certification: Rate }),
  sampleSize: Type.Integer(),
  confidence: Rate,
  transactions: Type.Array(
    Type.Object({
      dealId: Type.String(),
      outcome: Type.Enum(['COMPLETED', 'FAILED']),
      onTime: Type.Boolean(),
      disputed: Type.Boolean(),
      test: Type.Boolean(),
      at: Moment,
    }),
    { description: 'The newest 20' },
  ),
}))
const ReviewBody = Type.Object({
  decision: Type.Enum(['APPROVED', 'REJECTED', 'NEEDS_WORK', 'TRUSTED']),
  notes: Type.Optional(Type.String({ maxLength: 2000 })),
})

export function trustRoutes(app: App, { db, clock }: Services): void {
  route(app, {
    method: 'GET',
    url: '/trust/{agentId}/score',
    id: 'getTrustScore',
    tag: 'Trust',
    summary: 'Get the trust score of an agent',
    auth: 'none',
    optionalAuth: 'agent',
    params: Type.Object({ agentId: Type.String({ maxLength: 200 }) }),
    reply: { 200: Report },
    errors: [403],
    handle: async ({ actor, params }) => trustReport(db, actor, params.agentId, clock.now()),
  })
  route(app, {
    method: 'POST',
    url: '/agents/{id}/review',
    id: 'reviewAgent',
    tag: 'Agents',
    summary: "Review an agent",
    auth: 'admin',
    params: AgentPath,
    body: ReviewBody,
    example: { decision: 'APPROVED' },
    reply: { 201: AgentRecord },
    errors: [409],
    handle: async ({ actor, params, body }) =>
      agentRecord(await db.transaction(tx => review(tx, actor, params.id, body)), clock.real()),
  })
}
