import { command, query, resumableCommand, type App } from '#platform/http/operations'
import { pageAnswer, pageOf, PageOf } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { cancelSubscription } from './cancel.ts'
import { isFinal, subscribe } from './checkout.ts'
import { PLANS } from './plans.ts'
import * as schema from './schema.ts'
import { planView, subscriptionView } from './view.ts'

const common = { tag: 'Subscriptions', access: { accept: ['jwt'] } } as const
/** Longer than the processor and its notification together are waited for. */
const LONGEST_MS = 20_000

export function subscriptionRoutes(app: App, services: Services): void {
  readRoutes(app)
  resumableCommand(app, {
    ...common,
    method: 'POST',
    url: '/subscriptions/checkout',
    id: 'checkoutSubscription',
    summary: 'Subscribe to Pro',
    description:
      'Pays one month from a wallet (real money), with a payment method, or on a hosted page. In the grace period it pays the ' +
      'renewal that is due. If the subscription is to be cancelled, it continues and nothing is paid; what pays its renewals ' +
      'changes only if you name `rail`, `walletId` or `paymentMethodId`. A declined card or `Insufficient balance` is 400; ' +
      '409 if you have Pro, or while a card is being charged.',
    body: schema.CheckoutBody,
    errors: [404],
    success: [201, schema.Subscribed],
    longestMs: LONGEST_MS,
    isFinal,
    run: (paymentId, ctx, { body }) => subscribe(services, ctx, { ...body, paymentId }),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/subscriptions/cancel',
    id: 'cancelSubscription',
    summary: 'Cancel your subscription',
    description:
      'At the end of the paid month, or with `immediately` at once: the days that have not begun are returned to the wallet. ' +
      'Without a paid month it ends at once. While the payment of the month is disputed at the bank, `immediately` is 409 ' +
      '`Account frozen`.',
    body: schema.CancelBody,
    idempotent: true,
    errors: [404],
    success: [200, schema.SubscriptionRecord],
    run: (tx, ctx, { body }) => cancelSubscription(tx, ctx, body),
  })
}

function readRoutes(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/subscriptions/plans',
    id: 'listPlans',
    summary: 'List the plans',
    description: 'Prices for a month, and the marketplace fee that sellers with the plan pay.',
    access: 'public',
    success: [200, PageOf(schema.PlanRecord)],
    run: async () => {
      const plans = Object.values(PLANS).map(planView)
      return pageAnswer(plans, plans.length, pageOf({}))
    },
  })
  query(app, {
    ...common,
    method: 'GET',
    url: '/subscriptions/me',
    id: 'getSubscription',
    summary: 'Get your plan and subscription',
    description: 'Without a subscription, `plan` is FREE and `status` null.',
    snapshot: true,
    success: [200, schema.SubscriptionRecord],
    run: (q, ctx) => subscriptionView(q, ctx.principal.accountId),
  })
}
