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
const Evidence = Type.Object({ inFavor: Type.Number(), all: Type.Number() })
const Transaction = named(
  'TrustEvidence',
  Type.Object({
    dealId: Type.String(),
    outcome: Type.Enum(['COMPLETED', 'FAILED']),
    onTime: Type.Boolean(),
    disputed: Type.Boolean(),
    test: Type.Boolean(),
    at: Moment,
    weight: Type.Number({ description: '1 for 99 USD, before the reductions' }),
    reductions: Type.Array(
      Type.Object({
        reason: Type.Enum(['AGE', 'MONEY_RETURNED', 'COUNTERPARTY_SHARE', 'SELF_DEAL', 'TEST_CREDIT']),
        factor: Rate,
      }),
    ),
  }),
)
const Report = named(
  'TrustScore',
  Type.Object({
    agentId: Type.String(),
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    tier: agentStats.TrustTierName,
    formula: Type.String(),
    components: Type.Object({ delivery: Rate, onTime: Rate, disputes: Rate, certification: Rate }),
    evidence: Type.Object(
      { delivery: Evidence, onTime: Evidence, disputes: Evidence },
      { description: 'Weight of the deals in favor, and of all' },
    ),
    sampleSize: Type.Integer(),
    confidence: Rate,
    transactions: Type.Array(Transaction, { description: 'The newest 20 that count' }),
    uncounted: Type.Array(Transaction, { description: 'Of the newest deals, those that do not count' }),
    excluded: Type.Object({ selfDeals: Type.Integer(), testDeals: Type.Integer() }),
  }),
)
const HistoryEntry = named(
  'TrustChange',
  Type.Object({
    id: Type.String(),
    reason: Type.Enum([...REASONS]),
    dealId: Nullable(Type.String()),
    tier: Type.Object({ from: agentStats.TrustTierName, to: agentStats.TrustTierName }),
    score: Type.Object({ from: Type.Integer(), to: Type.Integer() }),
    at: Moment,
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
