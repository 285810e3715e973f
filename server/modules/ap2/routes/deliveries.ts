import { Type } from 'typebox'
import { MINUTE } from '#platform/clock'
import { invalid } from '#platform/fault'
import { route, type App } from '#platform/http/route'
import { resumable } from '#platform/idempotency'
import type { Services } from '#platform/services'
import { deliveredAnswer, deliveryAnswer, screenshotAnswer } from '../answers.ts'
import { demandEscrow } from '../deal.ts'
import { deliver } from '../deliver.ts'
import { DeliverBody, Delivered, Delivery, DeliverEscrowBody, DeliveryPath, IdPath } from '../schema.ts'

const description = 'Every URL of the delivery, those of artifacts too, must be public and answer 200 after at most 5 redirects in 10 s. '
  + 'A headless browser opens HTML pages (5 MB with all that they load) and takes a screenshot; files of other types are fetched (25 MB). '
  + 'Status, final URL, type, size and sha256 are kept. Where the deal has an outputSchema, the result must fit it. '
  + 'A failure is 400 "Verification failed" with its reason in details; the delivery can be sent again.'
const page = 'https://example.com/result'

/** A verification takes seconds. A request that is taken up after this time continues the same attempt. */
const LEASE_MS = 2 * MINUTE

export function deliveryRoutes(app: App, services: Services): void {
  const { db } = services
  const write = { method: 'POST', auth: 'agent', scope: 'ap2:execute', idempotent: true, description, reply: { 201: Delivered } } as const

  route(app, {
    ...write, url: '/ap2/deliver', id: 'deliver', tag: 'Marketplace protocol endpoints',
    summary: 'Deliver a result', body: DeliverBody,
    example: { negotiationId: '0198c0de-0000-7000-8000-000000000001', deliverableUrl: page },
    handle: async ({ actor, body, request, reply }) =>
      resumable(db, { request, reply, leaseMs: LEASE_MS }, async deliveryId => {
        const delivery = await deliver(services, actor, { ...body, deliveryId })
        return db.snapshot(q => deliveredAnswer(q, actor, delivery))
      }),
  })
  route(app, {
    ...write, url: '/payments/escrow/{id}/deliver', id: 'deliverToEscrow', tag: 'Escrow and payments',
    summary: 'Deliver a result to an escrow', params: IdPath, body: DeliverEscrowBody,
    example: { deliverableUrl: page },
    handle: async ({ actor, params, body, request, reply }) => resumable(db, { request, reply, leaseMs: LEASE_MS }, async deliveryId => {
      const { negotiation_id: negotiationId } = await demandEscrow(db, params.id)
      if (body.negotiationId !== undefined && body.negotiationId !== negotiationId) {
        throw invalid('negotiationId is not the one of this escrow')
      }
      const delivery = await deliver(services, actor, { ...body, negotiationId, deliveryId })
      return db.snapshot(q => deliveredAnswer(q, actor, delivery))
    }),
  })
  route(app, {
    method: 'GET', url: '/payments/escrow/{id}/deliveries/{deliveryId}', id: 'getDelivery', tag: 'Escrow and payments',
    auth: 'service', scope: 'agent:read',
    summary: 'Get a delivery with its content', params: DeliveryPath, reply: { 200: Delivery },
    handle: async ({ actor, params }) => db.snapshot(q => deliveryAnswer(q, actor, params)),
  })
  route(app, {
    method: 'GET', url: '/payments/escrow/{id}/deliveries/{deliveryId}/screenshot', id: 'getDeliveryScreenshot',
    tag: 'Escrow and payments', auth: 'service', scope: 'agent:read',
    summary: 'Get the screenshot of a delivery', params: DeliveryPath, produces: 'image/png',
    reply: { 200: Type.String({ format: 'binary' }) },
    handle: async ({ actor, params, reply }) => {
      const png = await db.snapshot(q => screenshotAnswer(q, actor, params))
      return reply.type('image/png').header('cache-control', 'private, max-age=86400').send(png)
    },
  })
}
