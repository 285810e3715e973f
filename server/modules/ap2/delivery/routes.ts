import { Type, type Static } from '#platform/http/type'
import { MINUTE } from '#platform/kernel/clock'
import { invalid } from '#platform/kernel/errors'
import { commandWithFollowUp, page, query, type App } from '#platform/http/operations'
import type { RequestContext } from '#platform/http/principal'
import { media } from '#platform/http/response'
import { named } from '#platform/http/schema'
import type { Tx } from '#platform/kernel/db'
import type { Begun } from '#platform/kernel/idempotency'
import type { Services } from '#platform/kernel/services'
import { readFunded, requireEscrow } from '../deal/deal.ts'
import { deliveredView, deliveryAnswer, screenshotAnswer } from '../views/responses.ts'
import { submitDelivery, verifySubmission, type DeliverInput } from './deliver.ts'
import { Negotiation } from '../negotiation/schema.ts'
import { IdPath } from '../deal/schema.ts'
import { DeliverBody, Delivery, DeliverEscrowBody, DeliveryPath } from './schema.ts'

const description =
  'Every URL of the delivery, URLs of artifacts included, must be public and return 200 after at most 5 redirects within 10 s. ' +
  'A headless browser opens HTML pages (5 MB with all that they load) and takes a screenshot; files of other types are fetched (25 MB). ' +
  'Status, final URL, type, size and sha256 are stored. If the deal has an outputSchema, the result must match it. ' +
  'A failure is 400 "Verification failed" with its reason in details; the delivery can be sent again. ' +
  'While a checker of the buyer needs longer, the response is 201 with the status VERIFYING; an event says how it ended.'
const Delivered = named(
  'DeliveryResult',
  Type.Object({
    delivery: { ...Delivery, description: 'The delivery' },
    negotiation: { ...Negotiation, description: 'The deal afterwards' },
  }),
)
const exampleUrl = 'https://example.com/result'

/** A verification takes seconds. After this time a repeated request continues the same attempt. */
const LONGEST_MS = 2 * MINUTE

export function deliveryRoutes(app: App, services: Services): void {
  const write = {
    method: 'POST',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'ap2:execute' },
    longestMs: LONGEST_MS,
    description,
    success: [201, Delivered],
  } as const

  commandWithFollowUp(app, {
    ...write,
    url: '/ap2/deliver',
    id: 'deliver',
    tag: 'Marketplace protocol endpoints',
    summary: 'Deliver a result',
    body: DeliverBody,
    example: { negotiationId: '0198c0de-0000-7000-8000-000000000001', deliverableUrl: exampleUrl },
    errors: [404],
    run: (tx, ctx, { body, subjectId }) => deliver(services, tx, ctx, { ...body, deliveryId: subjectId }),
  })
  commandWithFollowUp(app, {
    ...write,
    url: '/payments/escrow/{id}/deliver',
    id: 'deliverToEscrow',
    tag: 'Escrow and payments',
    summary: 'Deliver a result to an escrow',
    params: IdPath,
    body: DeliverEscrowBody,
    example: { deliverableUrl: exampleUrl },
    run: async (tx, ctx, { params, body, subjectId }) => {
      const { negotiationId } = await requireEscrow(tx, params.id)
      if (body.negotiationId !== undefined && body.negotiationId !== negotiationId)
        throw invalid('negotiationId does not belong to this escrow')
      return deliver(services, tx, ctx, { ...body, negotiationId, deliveryId: subjectId })
    },
  })
  readRoutes(app)
}

/** Deliveries with their content and screenshots. */
function readRoutes(app: App): void {
  query(app, {
    method: 'GET',
    url: '/payments/escrow/{id}/deliveries/{deliveryId}',
    id: 'getDelivery',
    tag: 'Escrow and payments',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    summary: 'Get a delivery with its content',
    params: DeliveryPath,
    success: [200, Delivery],
    snapshot: true,
    run: (q, ctx, { params }) => deliveryAnswer(q, ctx, params),
  })
  page(app, {
    method: 'GET',
    url: '/payments/escrow/{id}/deliveries/{deliveryId}/screenshot',
    id: 'getDeliveryScreenshot',
    tag: 'Escrow and payments',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    summary: 'Get the screenshot of a delivery',
    params: DeliveryPath,
    produces: 'image/png',
    success: [200, Type.String({ format: 'binary' })],
    run: async (ctx, { params }) => {
      const png = await app.db.snapshot(q => screenshotAnswer(q, ctx, params))
      return media(png, 'image/png', { headers: { 'cache-control': 'private, max-age=86400' } })
    },
  })
}

/** Stores the delivery; one that has to be inspected is inspected after the commit, and read again. */
async function deliver(
  services: Services,
  tx: Tx,
  ctx: RequestContext,
  { deliveryId, ...input }: DeliverInput & { deliveryId: string },
): Promise<Begun<Static<typeof Delivered>>> {
  const { deal, delivery } = await submitDelivery(tx, ctx, input, deliveryId)
  if (delivery.status === 'VERIFIED') return { result: deliveredView(ctx, deal, delivery) }
  return {
    proceed: async () => {
      const verified = await verifySubmission(services, delivery.id)
      return services.db.snapshot(async q =>
        deliveredView(ctx, await readFunded(q, verified.escrowId), verified),
      )
    },
  }
}
