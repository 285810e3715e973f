import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { budgetView, changeBudget, policyView, readLimits, replacePolicy } from './limits.ts'
import { AutonomyPolicy, Budget, BudgetBody, PolicyBody } from './schema.ts'

const Path = Type.Object({ id: Type.String({ maxLength: 200 }) })
const tag = 'Agents'
const reads = { accept: ['jwt', 'sk'], scope: 'agent:read' } as const
const writes = { accept: ['jwt', 'sk'], scope: 'agent:write' } as const

/** Budget and autonomy policy of an agent. */
export function spendingRoutes(app: App): void {
  query(app, {
    method: 'GET',
    url: '/agents/{id}/budget',
    id: 'getAgentBudget',
    tag,
    summary: 'Get the budget of an agent',
    access: reads,
    params: Path,
    success: [200, Budget],
    snapshot: true,
    run: async (q, ctx, { params }) => budgetView(await readLimits(q, ctx, params.id, q.now), q.now),
  })
  command(app, {
    method: 'PATCH',
    url: '/agents/{id}/budget',
    id: 'updateAgentBudget',
    tag,
    summary: 'Change the budget of an agent',
    access: writes,
    params: Path,
    body: BudgetBody,
    strictBody: true,
    readOnly: ['agentId', 'remaining', 'spentThisPeriod', 'resetsOn', 'currency'],
    example: { monthlyLimit: 500, perTransactionLimit: 100, approvalThreshold: 50 },
    success: [200, Budget],
    run: async (tx, ctx, { params, body }) =>
      budgetView(await changeBudget(tx, ctx, { ...params, ...body }), tx.now),
  })
  policyRoutes(app)
}

function policyRoutes(app: App): void {
  query(app, {
    method: 'GET',
    url: '/agents/{id}/autonomy-policy',
    id: 'getAutonomyPolicy',
    tag,
    summary: 'Get the autonomy policy of an agent',
    access: reads,
    params: Path,
    success: [200, AutonomyPolicy],
    snapshot: true,
    run: async (q, ctx, { params }) => policyView(await readLimits(q, ctx, params.id, q.now)),
  })
  command(app, {
    method: 'PUT',
    url: '/agents/{id}/autonomy-policy',
    id: 'setAutonomyPolicy',
    tag,
    summary: 'Replace the autonomy policy of an agent',
    access: writes,
    params: Path,
    body: PolicyBody,
    strictBody: true,
    readOnly: ['agentId', 'spentToday', 'updatedAt'],
    example: {
      perDealLimit: 100,
      dailyLimit: 300,
      categories: ['writing'],
      minimumCounterpartyTier: 'BASIC',
    },
    success: [200, AutonomyPolicy],
    run: async (tx, ctx, { params, body }) =>
      policyView(await replacePolicy(tx, ctx, { ...params, ...body })),
  })
}
