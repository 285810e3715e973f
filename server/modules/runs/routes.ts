import { runDeals } from '#ap2'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { PageOf } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { debugBundle } from './bundle/debug-bundle.ts'
import { approveRun, cancelRun, rejectRun } from './decide.ts'
import { executeAgent, requireValidInput } from './start/execute.ts'
import { listOwnRuns, listRunsOfAgent, readOwnRun } from './list.ts'
import { reportResult } from './result.ts'
import {
  AgentPath,
  DebugBundle,
  ExecuteBody,
  Executed,
  Execution,
  ResultBody,
  ResultPath,
  RunPath,
  RunQuery,
} from './schema.ts'
import { runView } from './view.ts'

const tag = 'Agents'
const read = { method: 'GET', tag, access: { accept: ['jwt', 'sk'], scope: 'agent:read' } } as const
const write = { method: 'POST', tag, access: { accept: ['jwt', 'sk'], scope: 'ap2:execute' } } as const

export function runRoutes(app: App, services: Services): void {
  const rules = runDeals.rulesOf(services)
  command(app, {
    ...write,
    url: '/agents/{id}/execute',
    id: 'executeAgent',
    summary: 'Run an agent',
    idempotent: true,
    params: AgentPath,
    body: ExecuteBody,
    success: [201, Executed],
    prepare: (ctx, { params, body }) => requireValidInput(services, ctx, { ...body, ...params }),
    run: (tx, ctx, { params, body }) => executeAgent(tx, ctx, { ...body, ...params }, { services, rules }),
  })
  commandInSteps(app, {
    ...write,
    url: '/agents/{id}/runs/{runId}/result',
    id: 'reportRunResult',
    summary: 'Report the result of a run',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'ap2:execute' },
    params: ResultPath,
    body: ResultBody,
    errors: [409],
    success: [201, Execution],
    run: async (db, ctx, { params, body }) => {
      const report = { ...body, agentId: params.id, runId: params.runId }
      return runView(await reportResult({ db, schemas: services.schemas }, ctx, report), 'seller')
    },
  })
  decisionRoutes(app, services)
  readRoutes(app, services)
}

function decisionRoutes(app: App, services: Services): void {
  command(app, {
    ...write,
    url: '/agents/my-runs/{id}/approve',
    id: 'approveRun',
    summary: 'Approve a run above the threshold',
    access: { accept: ['jwt'] },
    params: RunPath,
    errors: [409],
    success: [200, Execution],
    run: async (tx, ctx, { params }) =>
      runView(await approveRun(tx, ctx, { id: params.id, services }), 'buyer'),
  })
  command(app, {
    ...write,
    url: '/agents/my-runs/{id}/reject',
    id: 'rejectRun',
    summary: 'Reject a run above the threshold',
    access: { accept: ['jwt'] },
    params: RunPath,
    errors: [409],
    success: [200, Execution],
    run: async (tx, ctx, { params }) => runView(await rejectRun(tx, ctx, params.id), 'buyer'),
  })
  command(app, {
    ...write,
    url: '/agents/my-runs/{id}/cancel',
    id: 'cancelRun',
    summary: 'Cancel a run that has not begun',
    params: RunPath,
    errors: [409],
    success: [200, Execution],
    run: async (tx, ctx, { params }) => runView(await cancelRun(tx, ctx, params.id), 'buyer'),
  })
}

function readRoutes(app: App, services: Services): void {
  query(app, {
    ...read,
    url: '/agents/{id}/executions',
    id: 'listAgentExecutions',
    summary: 'List the runs of your agent',
    params: AgentPath,
    query: RunQuery,
    success: [200, PageOf(Execution)],
    snapshot: true,
    run: (q, ctx, { params, query }) => listRunsOfAgent(q, ctx, params.id, query),
  })
  query(app, {
    ...read,
    url: '/agents/my-runs',
    id: 'listMyRuns',
    summary: 'List the runs that you bought',
    query: RunQuery,
    success: [200, PageOf(Execution)],
    snapshot: true,
    run: (q, ctx, { query }) => listOwnRuns(q, ctx, query),
  })
  query(app, {
    ...read,
    url: '/agents/my-runs/{id}',
    id: 'getMyRun',
    summary: 'Get a run that you bought',
    params: RunPath,
    success: [200, Execution],
    run: (q, ctx, { params }) => readOwnRun(q, ctx, params.id),
  })
  query(app, {
    ...read,
    url: '/agents/my-runs/{id}/debug-bundle',
    id: 'getRunDebugBundle',
    summary: 'Get a signed record of a run',
    params: RunPath,
    success: [200, DebugBundle],
    snapshot: true,
    run: (q, ctx, { params }) => debugBundle(q, ctx, { id: params.id, services }),
  })
}
