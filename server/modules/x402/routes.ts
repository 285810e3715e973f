import { Type } from '#platform/http/type'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { Id } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { initiateX402 } from './payment/agent-order.ts'
import { payAgent, payRequested } from './payment/resources.ts'
import { requirePayment } from './payment/take.ts'
import { paymentView } from './payment/view.ts'
import { receiveNotice } from './watch/notice.ts'
import { ChainNotice, InitiateX402, NoticeReceipt, X402Initiated, X402Payment } from './schema.ts'

const tag = 'Escrow and payments'
const IdPath = Type.Object({ id: Id })
const SOME_ID = '0198c0de-0000-7000-8000-000000000001'

export function x402Routes(app: App, services: Services): void {
  command(app, {
    method: 'POST',
    url: '/payments/x402/initiate',
    id: 'initiateX402Payment',
    tag,
    summary: 'Request a payment to an agent in USDC',
    access: { accept: ['jwt', 'sk'], scope: 'ap2:execute' },
    description:
      'Returns what is to be paid and where: an x402 client pays at `payUrl`, any other wallet sends the amount to `to`. ' +
      'The transfer goes to the address of the agent. The payment is PENDING until the chain has confirmed the transfer ' +
      '(`GET /payments/x402/{id}`). An agent without an address is 400 `Wallet not configured`.',
    body: InitiateX402,
    example: { agentId: SOME_ID, amount: 0.25 },
    idempotent: true,
    errors: [404],
    success: [200, X402Initiated],
    run: (tx, ctx, { body }) => initiateX402(tx, services, ctx, body),
  })
  query(app, {
    method: 'GET',
    url: '/payments/x402/{id}',
    id: 'getX402Payment',
    tag,
    summary: 'Get the status of an x402 payment',
    description: 'Needs no credential: the id is known only to those who requested the payment.',
    access: 'public',
    params: IdPath,
    success: [200, X402Payment],
    run: async (q, _, { params: { id } }) => paymentView(q, await requirePayment(q, id)),
  })
  payRoutes(app, services)
  commandInSteps(app, {
    method: 'POST',
    url: '/webhooks/x402',
    id: 'receiveChainNotice',
    tag: 'Inbound processor notifications',
    summary: 'Receive a notification of the chain',
    description:
      'The header `x-webhook-signature` is `sha256=` and the HMAC-SHA256 of the raw body. The notification credits nothing: ' +
      'the service reads the transaction from its own node.',
    access: { proof: 'signature' },
    rawBody: true,
    body: ChainNotice,
    success: [200, NoticeReceipt],
    run: (_db, _ctx, { body, http: { headers, rawBody } }) =>
      receiveNotice(services, {
        signature: String(headers['x-webhook-signature'] ?? ''),
        raw: rawBody,
        txHash: body.txHash,
      }),
  })
}

/** The resources that answer 402 until they are paid. */
function payRoutes(app: App, services: Services): void {
  const paid = {
    tag,
    access: 'public',
    params: IdPath,
    success: [200, X402Payment],
    responseHeaders: ['PAYMENT-RESPONSE'],
  } as const
  const description =
    'An x402 resource, in protocol versions 1 and 2: without a payment it answers 402 with the requirements. ' +
    'The payment is in the header `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). The response comes ' +
    'when the transfer is in a block; the same payment again gets the same response and charges nothing.'
  for (const method of ['GET', 'POST'] as const) {
    const suffix = method === 'GET' ? '' : 'ByPost'
    commandInSteps(app, {
      ...paid,
      method,
      url: '/payments/x402/{id}/pay',
      id: `payX402Payment${suffix}`,
      summary: 'Pay a requested x402 payment',
      description,
      errors: [402, 403, 409],
      run: (_db, _ctx, { params: { id }, http: { headers } }) => payRequested(services, id, headers),
    })
    commandInSteps(app, {
      ...paid,
      method,
      // The owner of a private agent may pay it.
      access: { optional: ['jwt', 'sk', 'sa'] },
      url: '/agents/{id}/pay',
      id: `payAgent${suffix}`,
      summary: 'Pay the list price of an agent in USDC',
      description: `${description} One USDC counts as one dollar. Each payment is one of its own.`,
      errors: [402, 403, 409],
      run: (_db, ctx, { params: { id: agentId }, http: { headers } }) =>
        payAgent(services, ctx, { agentId, headers }),
    })
  }
}
