import { Type } from '#platform/http/type'
import { commandInSteps, query, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import type { Catalog } from '../core/model.ts'
import { listOutcomes, recordOutcome } from './outcomes.ts'
import * as shapes from './schema.ts'
import { savings } from './savings.ts'
import { spanOf } from './span.ts'
import { byModel, byTier, summary, summaryOfKeys } from './summary.ts'
import { listUsage, routingLog } from './usage.ts'

const own = { tag: 'Routing gateway', access: { accept: ['jwt'] } } as const
const read = { ...own, method: 'GET' } as const

export interface RouteParts {
  catalog: Catalog
  /** An outcome of this account was recorded: routing uses it from here on. */
  loadOutcomes(accountId: string): Promise<void>
}

export function analyticsRoutes(app: App, services: Services, parts: RouteParts): void {
  requestRoutes(app)
  summaryRoutes(app, services)
  outcomeRoutes(app, parts)
  query(app, {
    ...read,
    url: '/v1/analytics/savings',
    id: 'getRoutingSavings',
    summary: 'Compare your cost with a baseline model',
    query: shapes.SavingsQuery,
    snapshot: true,
    success: [200, shapes.SavingsRecord],
    run: (q, ctx, input) => savings(q, parts.catalog, ctx.principal.accountId, input.query),
  })
}

function requestRoutes(app: App): void {
  query(app, {
    ...read,
    url: '/v1/usage',
    id: 'listRoutedRequests',
    summary: 'List your routed requests',
    query: shapes.UsageFilters,
    snapshot: true,
    success: [200, shapes.UsagePage],
    run: (q, ctx, input) => listUsage(q, ctx.principal.accountId, input.query),
  })
  query(app, {
    ...read,
    url: '/v1/analytics/routing-log',
    id: 'getRoutingLog',
    summary: 'List your routed requests with the decisions of the router',
    query: shapes.LogQuery,
    success: [200, shapes.LogPage],
    run: (q, ctx, input) => routingLog(q, ctx.principal.accountId, input.query),
  })
}

function summaryRoutes(app: App, { clock }: Services): void {
  const ofPeriod = { ...read, query: Type.Object(shapes.PeriodQuery) }
  query(app, {
    ...ofPeriod,
    url: '/v1/analytics/summary',
    id: 'getUsageSummary',
    summary: 'Get totals of your routed requests',
    success: [200, shapes.SummaryRecord],
    run: (q, ctx, input) => summary(q, ctx.principal.accountId, spanOf(input.query, clock.now())),
  })
  query(app, {
    ...ofPeriod,
    url: '/v1/auth/keys/analytics/summary',
    id: 'getUsageSummaryOfKeys',
    summary: 'Get totals of your routed requests by key',
    snapshot: true,
    success: [200, shapes.KeysSummaryRecord],
    run: (q, ctx, input) => summaryOfKeys(q, ctx.principal.accountId, spanOf(input.query, q.now)),
  })
  query(app, {
    ...ofPeriod,
    url: '/v1/analytics/by-model',
    id: 'getUsageByModel',
    summary: 'Get totals of your routed requests by model',
    success: [200, shapes.ByModelRecord],
    run: (q, ctx, input) => byModel(q, ctx.principal.accountId, spanOf(input.query, clock.now())),
  })
  query(app, {
    ...ofPeriod,
    url: '/v1/analytics/by-tier',
    id: 'getUsageByTier',
    summary: 'Get totals of your routed requests by tier',
    success: [200, shapes.ByTierRecord],
    run: (q, ctx, input) => byTier(q, ctx.principal.accountId, spanOf(input.query, clock.now())),
  })
}

function outcomeRoutes(app: App, { loadOutcomes }: RouteParts): void {
  query(app, {
    ...read,
    url: '/v1/routing/outcomes',
    id: 'listRoutingOutcomes',
    summary: 'List the outcomes that you reported',
    query: shapes.OutcomeQuery,
    success: [200, shapes.OutcomePage],
    run: (q, ctx, input) => listOutcomes(q, ctx.principal.accountId, input.query),
  })
  commandInSteps(app, {
    tag: 'Routing gateway',
    access: { accept: ['rk'] },
    method: 'POST',
    url: '/v1/routing/outcomes',
    id: 'recordRoutingOutcome',
    summary: 'Report how good an answer was',
    body: shapes.OutcomeBody,
    errors: [404],
    success: [201, shapes.OutcomeRecord],
    run: async (db, { principal: { accountId } }, { body }) => {
      const recorded = await recordOutcome(db, accountId, body)
      await loadOutcomes(accountId)
      return recorded
    },
  })
}
