import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { Id, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { certificationPages } from './pages.ts'
import { abortRun, addParticipant, createRun, startRun } from './runs/runs.ts'
import { AbortBody, CreateBody, ParticipantBody, RunRecord } from './schema.ts'
import { listRuns, readRun, runView } from './view.ts'

const common = {
  tag: 'Certification runs',
  access: { accept: ['jwt', 'sk'], scope: 'agent:write' },
} as const
const RunPath = Type.Object({ runId: Id })

export function certificationRoutes(app: App, services: Services): void {
  readRoutes(app)
  certificationPages(app, services)
  command(app, {
    ...common,
    method: 'POST',
    url: '/certification-runs',
    id: 'createCertificationRun',
    summary: 'Create a certification run',
    body: CreateBody,
    errors: [404, 409],
    success: [201, RunRecord],
    run: async (tx, ctx, { body }) => runView(tx, await createRun(tx, services, { ctx, input: body })),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/certification-runs/{runId}/participants',
    id: 'addCertificationParticipant',
    summary: 'Add an agent to a certification run',
    params: RunPath,
    body: ParticipantBody,
    errors: [409],
    success: [201, RunRecord],
    run: async (tx, ctx, { params, body }) =>
      runView(tx, await addParticipant(tx, services, { ctx, ...params, entry: body })),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/certification-runs/{runId}/start',
    id: 'startCertificationRun',
    summary: 'Start a certification run',
    params: RunPath,
    errors: [409],
    success: [200, RunRecord],
    run: async (tx, ctx, { params }) => runView(tx, await startRun(tx, services, { ctx, ...params })),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/certification-runs/{runId}/abort',
    id: 'abortCertificationRun',
    summary: 'Abort a certification run',
    params: RunPath,
    body: AbortBody,
    errors: [409],
    success: [200, RunRecord],
    run: async (tx, ctx, { params, body }) => runView(tx, await abortRun(tx, ctx, { ...params, ...body })),
  })
}

function readRoutes(app: App): void {
  query(app, {
    ...common,
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    method: 'GET',
    url: '/certification-runs',
    id: 'listCertificationRuns',
    summary: 'List your certification runs',
    query: Type.Object(PageQuery),
    snapshot: true,
    success: [200, PageOf(RunRecord)],
    run: (q, ctx, input) => listRuns(q, ctx.principal.accountId, input.query),
  })
  query(app, {
    ...common,
    access: 'public',
    method: 'GET',
    url: '/certification-runs/{runId}',
    id: 'getCertificationRun',
    summary: 'Get a certification run',
    params: RunPath,
    snapshot: true,
    success: [200, RunRecord],
    run: (q, _, { params }) => readRun(q, params.runId),
  })
}
