import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { once, resumable } from '#platform/idempotency'
import { MICRO } from '#platform/money'
import { WEBHOOK_PREFIX } from '#platform/processor/processor'
import type { Services } from '#platform/services'
import { fundWallet, isFinal } from './fund.ts'
import { AssignSuspense, Funded, FundWallet, Received, ReturnSuspense, SuspenseExit, SuspenseRecord } from './schema.ts'
import { settleSuspense, suspenseItems } from './suspense-exit.ts'
import { ProcessorEvent, receive } from './webhook.ts'

/** Longer than the processor and its notification together are waited for. */
const LEASE_MS = 20_000

export function paymentRoutes(app: App, services: Services): void {
  route(app, {
    method: 'POST', url: '/wallets/{id}/fund', id: 'fundWallet', tag: 'Wallets and vouchers', summary: 'Fund a wallet by card', auth: 'jwt',
    description: 'Responds when the notification of the processor has been booked. If the outcome is not known yet, the '
      + 'transaction is PENDING and the service keeps asking; the same request with the same Idempotency-Key continues '
      + 'the same payment, which is never charged twice. With `returnUrl` or `rail: "checkout"` the response contains a '
      + 'hosted page. Sandbox mode pays with `pm_card_visa`.',
    params: Type.Object({ id: Id }), body: FundWallet, example: { amount: 150, paymentMethodId: 'pm_card_visa' }, idempotent: true, reply: { 201: Funded },
    handle: async ({ actor, params: { id: walletId }, body, request, reply }) =>
      resumable(services.db, { request, reply, leaseMs: LEASE_MS, isFinal },
        paymentId => fundWallet(services, actor, { ...body, walletId, paymentId })),
  })
  for (const endpoint of WEBHOOKS) webhookRoute(app, services, endpoint)
  suspenseRoutes(app, services)
}

const ItemPath = Type.Object({ id: Type.String({ maxLength: 255, description: 'Id of the payment at the processor' }) })

/** The exits of account 2070. */
function suspenseRoutes(app: App, { db, config }: Services): void {
  const limit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  const exit = {
    method: 'POST', tag: 'Admin', auth: 'admin', params: ItemPath, idempotent: true, reply: { 200: SuspenseExit },
    description: 'The whole amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.',
  } as const
  route(app, {
    method: 'GET', url: '/admin/suspense', id: 'listSuspense', tag: 'Admin', summary: 'List suspended payments', auth: 'admin',
    query: Type.Object({ open: Type.Optional(Type.Boolean({ description: 'Only items that wait, or only settled ones' })), ...PageQuery }), reply: { 200: PageOf(SuspenseRecord) },
    handle: async ({ query: { open, ...rest } }) => suspenseItems(db, open, pageOf(rest)),
  })
  route(app, {
    ...exit, url: '/admin/suspense/{id}/assign', id: 'assignSuspense', summary: 'Credit a suspended payment to a wallet', body: AssignSuspense,
    handle: async ({ actor, params: { id: processorId }, body, request, reply }) =>
      once(db, request, reply, tx => settleSuspense(tx, actor, { ...body, processorId }, limit)),
  })
  route(app, {
    ...exit, url: '/admin/suspense/{id}/return', id: 'returnSuspense', summary: 'Record the refund of a suspended payment', body: ReturnSuspense,
    handle: async ({ actor, params: { id: processorId }, body, request, reply }) =>
      once(db, request, reply, tx => settleSuspense(tx, actor, { ...body, processorId }, limit)),
  })
}

const WEBHOOKS = [
  { name: 'payout-updated', id: 'receivePayoutUpdated' }, { name: 'transfer-updated', id: 'receiveTransferUpdated' },
  { name: 'account-updated', id: 'receiveAccountUpdated' }, { name: 'payment-intent', id: 'receivePaymentIntent' },
  { name: 'checkout-session', id: 'receiveCheckoutSession' },
] as const

function webhookRoute(app: App, services: Services, { name, id }: (typeof WEBHOOKS)[number]): void {
  route(app, {
    method: 'POST', url: `${WEBHOOK_PREFIX}/${name}`, id, tag: 'Inbound processor notifications', summary: `Receive a notification of the card processor: ${name}`,
    description: 'The signature covers the raw body; its timestamp may differ by at most 300 s. Each event id is processed once. Unknown types are stored and answered with 200.',
    auth: 'signature', rawBody: true, body: ProcessorEvent, reply: { 200: Received },
    handle: async ({ body, request }) => {
      const signature = request.headers['payment-processor-signature'] ?? request.headers['stripe-signature']
      return receive(services, { signature: String(signature ?? ''), raw: request.rawBody, event: body, endpoint: name })
    },
  })
}
