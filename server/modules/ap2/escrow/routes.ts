import { command, query, type App } from '#platform/http/operations'
import { PageOf, pageOf } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { escrowAnswer, escrowPage, eventsPage, readableEscrow, settledView } from '../views/responses.ts'
import { listFunded } from '../views/lists.ts'
import { reconcile } from './reconciliation.ts'
import { refundEscrow } from './refund.ts'
import { releaseEscrow } from './release.ts'
import { Event, IdPath, Paging } from '../deal/schema.ts'
import { Escrow, EscrowQuery, Reconciliation, RefundBody, ReleaseBody, Settlement } from './schema.ts'

const tag = 'Escrow and payments'
const SOME_ID = '0198c0de-0000-7000-8000-000000000001'

/** What every command on money has. */
const pay = {
  method: 'POST',
  tag,
  access: { accept: ['jwt', 'sk'], scope: 'ap2:execute' },
  idempotent: true,
} as const

export function escrowRoutes(app: App, { jobs }: Services): void {
  command(app, {
    ...pay,
    url: '/payments/ap2/release',
    id: 'releaseEscrow',
    summary: 'Release an escrow to the seller',
    body: ReleaseBody,
    errors: [404],
    success: [201, Settlement],
    description:
      'The buyer releases what was verified: all of it, a milestone, or an amount. The fee is taken from the seller. ' +
      'After 100 releases only the rest of a milestone or of the escrow is released (409).',
    example: { escrowId: SOME_ID },
    run: async (tx, ctx, { body }) => settledView(ctx, await releaseEscrow(tx, ctx, body)),
  })
  command(app, {
    ...pay,
    url: '/payments/escrow/{id}/refund',
    id: 'refundEscrow',
    summary: 'Refund an escrow to the buyer',
    params: IdPath,
    body: RefundBody,
    success: [201, Settlement],
    run: async (tx, ctx, { params, body }) =>
      settledView(ctx, await refundEscrow(tx, ctx, params.id, { ...body, jobs })),
  })
  readRoutes(app)
}

/** What the parties to a deal read. */
function readRoutes(app: App): void {
  query(app, {
    method: 'GET',
    url: '/payments/ap2/escrows/{id}/reconciliation',
    id: 'reconcileEscrow',
    tag,
    summary: 'Reconcile an escrow with the ledger',
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    params: IdPath,
    success: [200, Reconciliation],
    snapshot: true,
    run: async (q, ctx, { params }) => reconcile(q, (await readableEscrow(q, ctx, params.id)).escrow, q.now),
  })
  query(app, {
    method: 'GET',
    url: '/payments/escrow/{id}',
    id: 'getEscrow',
    tag,
    summary: 'Get an escrow',
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    params: IdPath,
    success: [200, Escrow],
    snapshot: true,
    run: (q, ctx, { params }) => escrowAnswer(q, ctx, params.id),
  })
  query(app, {
    method: 'GET',
    url: '/payments/escrow',
    id: 'listEscrows',
    tag,
    summary: 'List your escrows',
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    query: EscrowQuery,
    success: [200, PageOf(Escrow)],
    errors: [404],
    snapshot: true,
    run: async (q, ctx, { query }) =>
      escrowPage(q, ctx, await listFunded(q, ctx, query, pageOf(query)), query),
  })
  query(app, {
    method: 'GET',
    url: '/payments/escrow/{id}/events',
    id: 'listEscrowEvents',
    tag,
    summary: 'List the events of an escrow',
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    params: IdPath,
    query: Paging,
    success: [200, PageOf(Event)],
    snapshot: true,
    run: (q, ctx, { params, query }) => eventsPage(q, ctx, params.id, query),
  })
}
