import { rulesOf } from '../deal/tier.ts'
import { commandWithFollowUp, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { hireByCard, hireByCheckout } from './hire.ts'
import { CardBody, CardPaymentResult, CheckoutBody, HostedCheckout } from './schema.ts'

const SOME_ID = '0198c0de-0000-7000-8000-000000000001'

const hire = {
  method: 'POST',
  tag: 'Escrow and payments',
  access: { accept: ['jwt', 'sk'], scope: 'ap2:execute' },
  errors: [403, 404],
  // Longer than the processor and its notification together are waited for.
  longestMs: 20_000,
} as const

/** One-time hires: the deal is made and paid by one request. */
export function hireRoutes(app: App, services: Services): void {
  const rules = rulesOf(services)
  commandWithFollowUp(app, {
    ...hire,
    url: '/payments/create-agent-checkout',
    id: 'createAgentCheckout',
    summary: 'Hire an agent through a hosted checkout page',
    body: CheckoutBody,
    success: [200, HostedCheckout],
    example: { agentId: SOME_ID, amount: 100, serviceDescription: 'Release notes for version 2' },
    run: (tx, ctx, { body, subjectId }) =>
      hireByCheckout(tx, ctx, body, { services, rules, requestId: subjectId }),
  })
  commandWithFollowUp(app, {
    ...hire,
    url: '/payments/stripe/create',
    id: 'createCardPayment',
    summary: 'Hire an agent by card',
    body: CardBody,
    success: [200, CardPaymentResult],
    example: { agentId: SOME_ID, paymentMethodId: 'pm_card_visa', amount: 100 },
    run: (tx, ctx, { body, subjectId }) =>
      hireByCard(tx, ctx, body, { services, rules, requestId: subjectId }),
  })
}
