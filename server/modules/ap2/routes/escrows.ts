import { MICRO } from '#platform/money'
import { route, type App } from '#platform/http/route'
import { PageOf, pageOf } from '#platform/http/schema'
import { once } from '#platform/idempotency'
import type { Services } from '#platform/services'
import { escrowAnswer, escrowPage, eventsPage, initiatedAnswer, readableEscrow, settledAnswer } from '../answers.ts'
import { confirmFunding } from '../confirm.ts'
import { initiate } from '../initiate.ts'
import { listFunded } from '../lists.ts'
import { reconcile } from '../reconciliation.ts'
import { refundEscrow } from '../refund.ts'
import { releaseEscrow } from '../release.ts'
import {
  CompleteBody, Completed, Escrow, EscrowQuery, Event, IdPath, Initiated, InitiateBody, Paging, Reconciliation,
  RefundBody, ReleaseBody, Settlement,
} from '../schema.ts'

const tag = 'Escrow and payments'
const SOME_ID = '0198c0de-0000-7000-8000-000000000001'

export function escrowRoutes(app: App, services: Services): void {
  const { db } = services
  const rules = { tierLimit: BigInt(services.config.BASIC_TIER_LIMIT_USD) * MICRO }
  const pay = { method: 'POST', tag, auth: 'service', scope: 'ap2:execute', idempotent: true } as const

  route(app, {
    ...pay, url: '/payments/ap2/initiate', id: 'initiateAp2Payment', summary: 'Pay a deal into escrow',
    body: InitiateBody, errors: [404], reply: { 201: Initiated },
    description: 'Funds an accepted negotiation (`negotiationId`), or pays from wallet to wallet through escrow. '
      + 'Insufficient funds are 400 `Insufficient balance`. Next for the seller: `POST /ap2/start`.',
    example: { negotiationId: SOME_ID },
    handle: async ({ actor, body, request, reply }) =>
      once(db, request, reply, async tx => initiatedAnswer(tx, actor, await initiate(tx, actor, body, rules))),
  })
  route(app, {
    ...pay, url: '/payments/ap2/complete', id: 'completeAp2Payment',
    summary: 'Check whether the funding has settled', body: CompleteBody, errors: [404], reply: { 201: Completed },
    description: 'Queries the processor and never relies on the status in the request. Funding from a wallet settles at once.',
    example: { escrowId: SOME_ID, status: 'SETTLED' },
    handle: async ({ actor, body, request, reply }) => once(db, request, reply, tx => confirmFunding(tx, actor, body)),
  })
  route(app, {
    ...pay, url: '/payments/ap2/release', id: 'releaseEscrow', summary: 'Release an escrow to the seller', body: ReleaseBody,
    errors: [404], reply: { 201: Settlement },
    description: 'The buyer releases what was verified: all of it, a milestone, or an amount. The fee is taken from the seller. '
      + 'After 100 releases only the rest of a milestone or of the escrow is released (409).',
    example: { escrowId: SOME_ID },
    handle: async ({ actor, body, request, reply }) =>
      once(db, request, reply, async tx => settledAnswer(tx, actor, await releaseEscrow(tx, actor, body))),
  })
  route(app, {
    ...pay, url: '/payments/escrow/{id}/refund', id: 'refundEscrow',
    summary: 'Refund an escrow to the buyer', params: IdPath, body: RefundBody, reply: { 201: Settlement },
    handle: async ({ actor, params, body, request, reply }) =>
      once(db, request, reply, async tx => settledAnswer(tx, actor, await refundEscrow(tx, actor, params.id, body))),
  })
  route(app, {
    method: 'GET', url: '/payments/ap2/escrows/{id}/reconciliation', id: 'reconcileEscrow', tag,
    summary: 'Reconcile an escrow with the ledger', auth: 'service', scope: 'agent:read',
    params: IdPath, reply: { 200: Reconciliation },
    handle: async ({ actor, params }) => db.snapshot(async q => reconcile(q, (await readableEscrow(q, actor, params.id)).escrow, q.now)),
  })
  route(app, {
    method: 'GET', url: '/payments/escrow/{id}', id: 'getEscrow', tag, summary: 'Get an escrow', auth: 'service', scope: 'agent:read',
    params: IdPath, reply: { 200: Escrow },
    handle: async ({ actor, params }) => db.snapshot(q => escrowAnswer(q, actor, params.id)),
  })
  route(app, {
    method: 'GET', url: '/payments/escrow', id: 'listEscrows', tag, summary: 'List your escrows',
    auth: 'service', scope: 'agent:read', query: EscrowQuery,
    reply: { 200: PageOf(Escrow) }, errors: [404],
    handle: async ({ actor, query }) =>
      db.snapshot(async q => escrowPage(q, actor, await listFunded(q, actor, query, pageOf(query)), query)),
  })
  route(app, {
    method: 'GET', url: '/payments/escrow/{id}/events', id: 'listEscrowEvents', tag,
    summary: 'List the events of an escrow', auth: 'service', scope: 'agent:read',
    params: IdPath, query: Paging, reply: { 200: PageOf(Event) },
    handle: async ({ actor, params, query }) => db.snapshot(q => eventsPage(q, actor, params.id, query)),
  })
}
