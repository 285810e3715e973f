import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Id } from '#platform/http/schema'
import { resumable } from '#platform/idempotency'
import { WEBHOOK_PREFIX } from '#platform/processor/processor'
import type { Services } from '#platform/services'
import { fundWallet, isFinal } from './fund.ts'
import { Funded, FundWallet, Received } from './schema.ts'
import { ProcessorEvent, receive } from './webhook.ts'

/** Longer than the processor and its notification together are waited for. */
const LEASE_MS = 20_000

export function paymentRoutes(app: App, services: Services): void {
  route(app, {
    method: 'POST', url: '/wallets/{id}/fund', id: 'fundWallet', tag: 'Wallets and vouchers', summary: 'Fund a wallet by card', auth: 'jwt',
    description: 'Answers when the processor\'s word was booked. PENDING means that the outcome is unknown yet: it is asked for, '
      + 'and the same request with the same Idempotency-Key goes on with the same payment, which is never charged twice. '
      + 'With a returnUrl, or rail checkout, it answers a hosted page.',
    params: Type.Object({ id: Id }), body: FundWallet, example: { amount: 150, paymentMethodId: 'pm_card_visa' }, idempotent: true, reply: { 201: Funded },
    handle: async ({ actor, params: { id: walletId }, body, request, reply }) =>
      resumable(services.db, { request, reply, leaseMs: LEASE_MS, isFinal },
        paymentId => fundWallet(services, actor, { ...body, walletId, paymentId })),
  })
  for (const endpoint of WEBHOOKS) webhookRoute(app, services, endpoint)
}

const WEBHOOKS = [
  { name: 'payout-updated', id: 'receivePayoutUpdated' }, { name: 'transfer-updated', id: 'receiveTransferUpdated' },
  { name: 'account-updated', id: 'receiveAccountUpdated' }, { name: 'payment-intent', id: 'receivePaymentIntent' },
  { name: 'checkout-session', id: 'receiveCheckoutSession' },
] as const

function webhookRoute(app: App, services: Services, { name, id }: (typeof WEBHOOKS)[number]): void {
  route(app, {
    method: 'POST', url: `${WEBHOOK_PREFIX}/${name}`, id, tag: 'Inbound processor notifications', summary: `Notification of the card processor: ${name}`,
    description: 'Signed over the raw body, timestamp within 300 s, each event once. Types that mean nothing here are kept and answered 200.',
    auth: 'signature', rawBody: true, unlimited: true, body: ProcessorEvent, reply: { 200: Received },
    handle: async ({ body, request }) => {
      const signature = request.headers['payment-processor-signature'] ?? request.headers['stripe-signature']
      return receive(services, { signature: String(signature ?? ''), raw: request.rawBody, event: body, endpoint: name })
    },
  })
}
