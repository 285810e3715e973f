import { Type } from '#platform/http/type'
import { command, page, query, type App } from '#platform/http/operations'
import { Id, PageOf } from '#platform/http/schema'
import { media } from '#platform/http/response'
import type { Services } from '#platform/kernel/services'
import { decideFraud } from './clawback.ts'
import { payOut } from './payout.ts'
import {
  AttributionQuery,
  AttributionRecord,
  CommissionQuery,
  CommissionRecord,
  PayoutRecord,
} from './schema.ts'
import {
  attributionOf,
  commissionsAsCsv,
  commissionView,
  listCommissions,
  listOwnCommissions,
} from './view.ts'

const write = { tag: 'Affiliates', access: { accept: ['jwt', 'sk'], scope: 'agent:write' } } as const
const read = { ...write, access: { ...write.access, scope: 'agent:read' } } as const
const admin = { tag: 'Affiliates', access: { accept: ['jwt'], role: 'ADMIN' } } as const
const Path = Type.Object({ id: Id })

export function commissionRoutes(app: App, services: Services): void {
  ownRoutes(app, services)
  adminRoutes(app)
}

function ownRoutes(app: App, { db }: Services): void {
  query(app, {
    ...read,
    method: 'GET',
    url: '/affiliates/commissions',
    id: 'listOwnCommissions',
    summary: 'List your commissions',
    snapshot: true,
    query: CommissionQuery,
    errors: [404],
    success: [200, PageOf(CommissionRecord)],
    run: (q, ctx, input) => listOwnCommissions(q, ctx, input.query),
  })
  page(app, {
    ...read,
    method: 'GET',
    url: '/affiliates/commissions/csv',
    id: 'exportOwnCommissions',
    summary: 'Export your commissions as CSV',
    errors: [404],
    produces: 'text/csv',
    success: [200, Type.String()],
    run: async ctx =>
      media(await commissionsAsCsv(db, ctx), 'text/csv; charset=utf-8', {
        headers: { 'content-disposition': 'attachment; filename="commissions.csv"' },
      }),
  })
  query(app, {
    ...read,
    method: 'GET',
    url: '/affiliates/attribution',
    id: 'explainAttribution',
    summary: 'Explain which affiliate earns from a deal',
    query: AttributionQuery,
    errors: [404],
    success: [200, AttributionRecord],
    run: (q, ctx, input) => attributionOf(q, ctx.principal.accountId, input.query.negotiationId),
  })
  command(app, {
    ...write,
    method: 'POST',
    url: '/affiliates/payout',
    id: 'payOutCommissions',
    summary: 'Pay your available commissions to your wallet',
    idempotent: true,
    errors: [404, 409],
    success: [201, PayoutRecord],
    run: (tx, ctx) => payOut(tx, ctx),
  })
}

function adminRoutes(app: App): void {
  query(app, {
    ...admin,
    method: 'GET',
    url: '/affiliates/admin/commissions',
    id: 'listCommissions',
    summary: 'List the commissions of all affiliates',
    snapshot: true,
    query: CommissionQuery,
    success: [200, PageOf(CommissionRecord)],
    run: (q, _, input) => listCommissions(q, null, input.query),
  })
  const decision = {
    ...admin,
    method: 'POST',
    params: Path,
    errors: [409],
    success: [200, CommissionRecord],
  } as const
  command(app, {
    ...decision,
    url: '/affiliates/admin/commissions/{id}/clear',
    id: 'clearCommission',
    summary: 'Clear a commission that is held for suspected fraud',
    run: async (tx, ctx, { params }) =>
      commissionView(await decideFraud(tx, ctx, { ...params, event: 'clear' })),
  })
  command(app, {
    ...decision,
    url: '/affiliates/admin/commissions/{id}/confirm-fraud',
    id: 'confirmCommissionFraud',
    summary: 'Take back a commission that is held for suspected fraud',
    run: async (tx, ctx, { params }) =>
      commissionView(await decideFraud(tx, ctx, { ...params, event: 'confirm_fraud' })),
  })
}
