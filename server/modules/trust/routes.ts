import { Type } from '#platform/http/type'
import { agentStats } from '#agents'
import { query, type App } from '#platform/http/operations'
import { Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { AgentIdPath } from './schema.ts'
import { passportRoutes } from './passport/routes.ts'
import { trustHistory, trustReport } from './report.ts'
import { REASONS } from './sql.ts'

const Rate = Type.Number({ minimum: 0, maximum: 1 })
const Evidence = Type.Object({
  inFavor: Type.Number({ minimum: 0, description: 'Weight in favor of the agent' }),
  all: Type.Number({ minimum: 0, description: 'Weight of all' }),
})
const Transaction = named(
  'TrustEvidence',
  Type.Object({
    dealId: Type.String({ maxLength: 200, description: 'Id of the negotiation' }),
    outcome: Type.Enum(['COMPLETED', 'FAILED'], { description: 'COMPLETED if the work was paid' }),
    onTime: Type.Boolean({ description: 'Whether it was delivered before the deadline' }),
    disputed: Type.Boolean({
      description:
        'Whether the buyer opened a dispute that it did not withdraw, and that was not decided for the seller',
    }),
    test: Type.Boolean({ description: 'Whether test credit paid for it' }),
    at: { ...Moment, description: 'When the deal ended' },
    weight: Type.Number({ description: '1 for 99 USD, before the reductions' }),
    reductions: Type.Array(
      Type.Object({
        reason: Type.Enum(
          ['AGE', 'MONEY_RETURNED', 'COUNTERPARTY_SHARE', 'SELF_DEAL', 'TEST_CREDIT', 'CHARGED_BACK'],
          { description: 'Why the weight is lower' },
        ),
        factor: { ...Rate, description: 'What the weight is multiplied by' },
      }),
      { description: 'Why it weighs less; empty for full weight' },
    ),
  }),
)
const TrustCertificate = named(
  'TrustCertificate',
  Type.Object({
    benchmark_track: Type.String({ minLength: 1, description: 'Suite of the certification' }),
    certificate_id: Type.String({ maxLength: 200, description: 'Id of the certificate (UUIDv7)' }),
    tasks: Type.Integer({ minimum: 1, description: 'Tasks of the run' }),
    passedTasks: Type.Integer({ minimum: 0, description: 'Tasks that were passed' }),
    weight: Type.Number({ description: 'Of each task: 1 on the day of the run, half every 90 days' }),
    verifiedAt: Moment,
    expiresAt: Moment,
  }),
)
const Report = named(
  'TrustScore',
  Type.Object({
    agentId: Type.String({ maxLength: 200, description: 'Id of the agent (UUIDv7)' }),
    score: Type.Integer({ minimum: 0, maximum: 100, description: '0 to 100, by `formula`' }),
    tier: agentStats.TrustTierName,
    formula: Type.String({ description: 'How the score is computed from the components' }),
    components: Type.Object(
      {
        delivery: { ...Rate, description: 'Share of the deals that were completed' },
        onTime: { ...Rate, description: 'Share of the completed deals that were on time' },
        disputes: {
          ...Rate,
          description: 'Share of the deals without a dispute that counts against the agent',
        },
        certification: { ...Rate, description: 'Share of the tasks of certificates that were passed' },
      },
      { description: 'Each from 0 to 1: a lower bound of the rate, which grows with the evidence' },
    ),
    evidence: Type.Object(
      {
        delivery: { ...Evidence, description: 'Weight of completed deals' },
        onTime: { ...Evidence, description: 'Weight of deals that were on time' },
        disputes: {
          ...Evidence,
          description: 'Weight of the deals without a dispute that counts against the agent',
        },
        certification: { ...Evidence, description: 'Weight of the tasks of certificates' },
      },
      { description: 'Weight in favor and of all: of deals, and of the tasks of certificates' },
    ),
    sampleSize: Type.Integer({ minimum: 0, description: 'How many deals the score counts' }),
    confidence: { ...Rate, description: '0 to 1: how much evidence there is' },
    transactions: Type.Array(Transaction, { description: 'The newest 20 that count' }),
    certificates: Type.Array(TrustCertificate, { description: 'Valid, one for each suite' }),
    uncounted: Type.Array(Transaction, { description: 'Of the newest deals, those that do not count' }),
    excluded: Type.Object(
      {
        selfDeals: Type.Integer({ minimum: 0, description: 'Deals between agents of one owner' }),
        testDeals: Type.Integer({ minimum: 0, description: 'Deals that test credit paid for' }),
      },
      { description: 'Deals that never count' },
    ),
  }),
)
const HistoryEntry = named(
  'TrustChange',
  Type.Object({
    id: Type.String({ maxLength: 200, description: 'Id of the change (UUIDv7)' }),
    reason: Type.Enum([...REASONS], { description: 'What caused the change' }),
    dealId: Nullable(
      Type.String({ maxLength: 200, description: 'Negotiation that caused it; null if none did' }),
    ),
    tier: Type.Object(
      {
        from: { ...agentStats.TrustTierName, description: 'Tier before' },
        to: { ...agentStats.TrustTierName, description: 'Tier after' },
      },
      { description: 'Trust tier before and after' },
    ),
    score: Type.Object(
      {
        from: Type.Integer({ minimum: 0, maximum: 100, description: 'Score before' }),
        to: Type.Integer({ minimum: 0, maximum: 100, description: 'Score after' }),
      },
      { description: 'Trust score before and after' },
    ),
    at: { ...Moment, description: 'When it changed' },
  }),
)

export function trustRoutes(app: App, services: Services): void {
  const { clock } = services
  const common = {
    method: 'GET',
    tag: 'Trust',
    access: { optional: ['jwt', 'sk', 'sa'] },
    params: AgentIdPath,
    errors: [403],
  } as const
  query(app, {
    ...common,
    url: '/trust/{agentId}/score',
    id: 'getTrustScore',
    summary: 'Get the trust score of an agent',
    success: [200, Report],
    run: async (q, ctx, { params }) => trustReport(q, ctx, params.agentId, clock.now()),
  })
  query(app, {
    ...common,
    url: '/trust/{agentId}/history',
    id: 'getTrustHistory',
    summary: 'List the changes of score and tier of an agent',
    query: Type.Object(PageQuery),
    success: [200, PageOf(HistoryEntry)],
    run: async (q, ctx, { params, query }) => {
      const { items, counted } = await trustHistory(q, ctx, params.agentId, pageOf(query))
      return pageAnswer(items, counted, pageOf(query))
    },
  })
  passportRoutes(app, services)
}
