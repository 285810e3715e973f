import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { Id, PageOf, PageQuery } from '#platform/http/schema'
import {
  knownAffiliate,
  listAffiliates,
  reactivateAffiliate,
  reviewAffiliate,
  setCommissionPlan,
  suspendAffiliate,
} from './profile/administration.ts'
import { AdminProfileRecord, PlanBody, ReviewBody, StatusName, SuspendBody } from './schema.ts'
import { adminProfileView } from './view.ts'

const common = { tag: 'Affiliates', access: { accept: ['jwt'], role: 'ADMIN' } } as const
const Path = Type.Object({ id: Id })
const change = {
  ...common,
  method: 'POST',
  params: Path,
  errors: [409],
  success: [200, AdminProfileRecord],
} as const

export function adminRoutes(app: App, publicUrl: string): void {
  readRoutes(app, publicUrl)
  command(app, {
    ...change,
    url: '/affiliates/admin/{id}/review',
    id: 'reviewAffiliate',
    summary: 'Approve or reject an application',
    body: ReviewBody,
    run: async (tx, ctx, { params, body }) =>
      adminProfileView(publicUrl, await reviewAffiliate(tx, ctx, { ...params, ...body })),
  })
  command(app, {
    ...change,
    url: '/affiliates/admin/{id}/commission-plan',
    id: 'setCommissionPlan',
    summary: 'Set the commission plan of an affiliate',
    errors: [],
    body: PlanBody,
    run: async (tx, ctx, { params, body }) =>
      adminProfileView(publicUrl, await setCommissionPlan(tx, ctx, { ...params, plan: body })),
  })
  command(app, {
    ...change,
    url: '/affiliates/admin/{id}/suspend',
    id: 'suspendAffiliate',
    summary: 'Suspend an affiliate',
    body: SuspendBody,
    run: async (tx, ctx, { params, body }) =>
      adminProfileView(publicUrl, await suspendAffiliate(tx, ctx, { ...params, ...body })),
  })
  command(app, {
    ...change,
    url: '/affiliates/admin/{id}/reactivate',
    id: 'reactivateAffiliate',
    summary: 'Reactivate a suspended affiliate',
    run: async (tx, ctx, { params }) =>
      adminProfileView(publicUrl, await reactivateAffiliate(tx, ctx, params.id)),
  })
}

function readRoutes(app: App, publicUrl: string): void {
  const list = {
    ...common,
    method: 'GET',
    snapshot: true,
    success: [200, PageOf(AdminProfileRecord)],
  } as const
  query(app, {
    ...list,
    url: '/affiliates/admin/pending',
    id: 'listPendingAffiliates',
    summary: 'List the applications that wait for a review',
    query: Type.Object(PageQuery),
    run: async (q, _, input) => {
      const found = await listAffiliates(q, { status: 'PENDING', ...input.query })
      return { ...found, items: found.items.map(profile => adminProfileView(publicUrl, profile)) }
    },
  })
  query(app, {
    ...list,
    url: '/affiliates/admin/all',
    id: 'listAffiliates',
    summary: 'List all affiliates',
    query: Type.Object({ status: Type.Optional(StatusName), ...PageQuery }),
    run: async (q, _, input) => {
      const found = await listAffiliates(q, input.query)
      return { ...found, items: found.items.map(profile => adminProfileView(publicUrl, profile)) }
    },
  })
  query(app, {
    ...common,
    method: 'GET',
    url: '/affiliates/admin/profile/{id}',
    id: 'getAffiliate',
    summary: 'Get an affiliate',
    params: Path,
    success: [200, AdminProfileRecord],
    run: async (q, _, { params }) => adminProfileView(publicUrl, await knownAffiliate(q, params.id)),
  })
}
