import { Type } from '#platform/http/type'
import { commandInSteps, query, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { periodOf } from './period.ts'
import { reconcile } from './run.ts'
import { ReconciliationRecord, RunBody } from './schema.ts'
import { readRun, runView, runViews } from './view.ts'

export function reconciliationRoutes(app: App, services: Services): void {
  const admin = { tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
  query(app, {
    ...admin,
    method: 'GET',
    url: '/admin/reconciliation',
    id: 'listReconciliations',
    summary: 'List reconciliations',
    query: Type.Object(PageQuery),
    success: [200, PageOf(ReconciliationRecord)],
    run: (q, _, { query: page }) => runViews(q, pageOf(page)),
  })
  query(app, {
    ...admin,
    method: 'GET',
    url: '/admin/reconciliation/{id}',
    id: 'getReconciliation',
    summary: 'Get a reconciliation',
    params: Type.Object({ id: Id }),
    success: [200, ReconciliationRecord],
    run: (q, _, { params: { id } }) => readRun(q, id),
  })
  commandInSteps(app, {
    ...admin,
    method: 'POST',
    url: '/admin/reconciliation',
    id: 'reconcile',
    summary: 'Compare the ledger with the processors',
    body: RunBody,
    success: [201, ReconciliationRecord],
    run: async (_db, _ctx, { body }) => {
      const { run, differences } = await reconcile(services, {
        ...periodOf(services.clock, body),
        repair: true,
        trigger: 'ADMIN',
      })
      return runView(run, differences)
    },
  })
}
