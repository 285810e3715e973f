import { Type } from '#platform/http/type'
import { command, commandInSteps, query, resumableCommand, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { MICRO } from '#platform/kernel/money'
import { WEBHOOK_PREFIX } from './processors/port.ts'
import type { Services } from '#platform/kernel/services'
import { chargebackRoutes } from './chargebacks/routes.ts'
import { paymentHistoryRoutes } from './history/routes.ts'
import { fundWallet, isFinal } from './intents/fund.ts'
import {
  AssignSuspense,
  Funded,
  FundWallet,
  Received,
  ReturnSuspense,
  SuspenseExit,
  SuspenseRecord,
} from './schema.ts'
import { settleSuspense, suspenseItems } from './suspense/exit.ts'
import { ProcessorEvent, receive } from './webhook.ts'

/** Longer than the processor and its notification together are waited for. */
const LONGEST_MS = 20_000

export function paymentRoutes(app: App, services: Services): void {
  resumableCommand(app, {
    method: 'POST',
    url: '/wallets/{id}/fund',
    id: 'fundWallet',
    tag: 'Wallets and vouchers',
    summary: 'Fund a wallet',
    access: { accept: ['jwt'] },
    description:
      'Responds when the notification of the processor has been posted. If the outcome is not known yet, the ' +
      'transaction is PENDING and the service polls the processor; the same request with the same Idempotency-Key continues ' +
      'the same payment, which is never charged twice. With `returnUrl` or `rail: "checkout"` the response contains a ' +
      'hosted page. Sandbox mode pays with `pm_card_visa`. With `rail: "x402"` it says what is to be paid in USDC within a ' +
      'day; the final transfer credits the USDC wallet, also a late one, and another amount waits for an operator. An account ' +
      'has 200 such requests a day, then 429.',
    params: Type.Object({ id: Id }),
    body: FundWallet,
    example: { amount: 150, paymentMethodId: 'pm_card_visa' },
    success: [201, Funded],
    longestMs: LONGEST_MS,
    isFinal,
    run: (paymentId, ctx, { params: { id: walletId }, body }) =>
      fundWallet(services, ctx, { ...body, walletId, paymentId }),
  })
  for (const endpoint of WEBHOOKS) webhookRoute(app, services, endpoint)
  paymentHistoryRoutes(app, services)
  suspenseRoutes(app, services)
  chargebackRoutes(app, services)
}

const ItemPath = Type.Object({
  id: Type.String({ maxLength: 255, description: 'Id of the payment at the processor' }),
})

/** The exits of account 2070. */
function suspenseRoutes(app: App, { config }: Services): void {
  const limit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  const exit = {
    method: 'POST',
    tag: 'Admin',
    access: { accept: ['jwt'], role: 'ADMIN' },
    params: ItemPath,
    idempotent: true,
    success: [200, SuspenseExit],
    description:
      'Always the whole amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.',
  } as const
  query(app, {
    method: 'GET',
    url: '/admin/suspense',
    id: 'listSuspense',
    tag: 'Admin',
    summary: 'List suspended payments',
    access: { accept: ['jwt'], role: 'ADMIN' },
    query: Type.Object({
      open: Type.Optional(Type.Boolean({ description: 'Only waiting items, or only settled items' })),
      ...PageQuery,
    }),
    success: [200, PageOf(SuspenseRecord)],
    run: (q, _, { query: { open, ...rest } }) => suspenseItems(q, open, pageOf(rest)),
  })
  command(app, {
    ...exit,
    url: '/admin/suspense/{id}/assign',
    id: 'assignSuspense',
    summary: 'Credit a suspended payment to a wallet',
    body: AssignSuspense,
    run: (tx, ctx, { params: { id: processorId }, body }) =>
      settleSuspense(tx, ctx, { ...body, processorId }, limit),
  })
  command(app, {
    ...exit,
    url: '/admin/suspense/{id}/return',
    id: 'returnSuspense',
    summary: 'Record the refund of a suspended payment',
    body: ReturnSuspense,
    run: (tx, ctx, { params: { id: processorId }, body }) =>
      settleSuspense(tx, ctx, { ...body, processorId }, limit),
  })
}

const WEBHOOKS = [
  { name: 'payout-updated', id: 'receivePayoutUpdated' },
  { name: 'transfer-updated', id: 'receiveTransferUpdated' },
  { name: 'account-updated', id: 'receiveAccountUpdated' },
  { name: 'payment-intent', id: 'receivePaymentIntent' },
  { name: 'checkout-session', id: 'receiveCheckoutSession' },
] as const

function webhookRoute(app: App, services: Services, { name, id }: (typeof WEBHOOKS)[number]): void {
  commandInSteps(app, {
    method: 'POST',
    url: `${WEBHOOK_PREFIX}/${name}`,
    id,
    tag: 'Inbound processor notifications',
    summary: `Receive a notification of the card processor: ${name}`,
    description:
      'The signature covers the raw body; its timestamp may differ by at most 300 s. Each event id is processed once. Unknown types are stored and answered with 200.',
    access: { proof: 'signature' },
    rawBody: true,
    body: ProcessorEvent,
    success: [200, Received],
    run: (_db, _ctx, { body, http: { headers, rawBody } }) => {
      const signature = headers['payment-processor-signature'] ?? headers['stripe-signature']
      return receive(services, {
        signature: String(signature ?? ''),
        raw: rawBody,
        event: body,
        endpoint: name,
      })
    },
  })
}
