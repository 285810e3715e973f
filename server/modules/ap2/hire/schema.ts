import { Type } from '#platform/http/type'
import { cardPayments } from '#payments'
import { AmountIn, Id, named } from '#platform/http/schema'
import { Free, Maybe, Text } from '../deal/schema.ts'
import { referralField } from '../affiliation.ts'

const { PageLink, PaymentMethodId, Receipt } = cardPayments

const work = {
  serviceDescription: Maybe(Text(5000, 'What is bought: shown on the hosted page and to the seller')),
  input: Maybe(Free('What the agent needs for the work')),
  receipt: Maybe(Receipt),
}

export const CheckoutBody = named(
  'CreateAgentCheckoutRequest',
  Type.Object({
    agentId: Maybe({ ...Id, description: 'Agent to hire; or `slug`' }),
    slug: Maybe(Text(200, 'Slug of the agent to hire; or `agentId`')),
    amount: Maybe({ ...AmountIn, description: 'Amount in dollars; the listed price by default' }),
    ...work,
    successUrl: Maybe(
      PageLink('Where the buyer goes after the payment; `{NEGOTIATION_ID}` in it is replaced'),
    ),
    cancelUrl: Maybe(PageLink('Where the buyer goes without a payment; the same')),
  }),
)

export const CardBody = named(
  'CardPaymentRequest',
  Type.Object({
    agentId: { ...Id, description: 'Agent to hire' },
    paymentMethodId: PaymentMethodId,
    amount: AmountIn,
    currency: Maybe(Type.String({ maxLength: 10, description: 'USD', examples: ['USD'] })),
    ...work,
  }),
)

const deal = {
  escrowId: { ...Id, description: 'Id of the escrow' },
  negotiationId: { ...Id, description: 'Id of the deal' },
  ...referralField,
}

export const HostedCheckout = named(
  'HostedCheckout',
  Type.Object({
    success: Type.Boolean({ description: 'Always true' }),
    checkoutSessionId: Type.String({
      minLength: 1,
      examples: ['cs_test_1'],
      description: 'Id of the hosted page at the processor',
    }),
    url: Type.String({
      format: 'uri',
      description: 'The hosted page on which to pay',
      examples: ['https://example.com/sandbox/checkout/cs_test_1'],
    }),
    ...deal,
  }),
)

export const CardPaymentResult = named(
  'CardPayment',
  Type.Object({
    success: Type.Boolean({ description: 'Whether the payment has succeeded or is on its way' }),
    transactionId: { ...Id, description: 'Id of the payment' },
    paymentIntentId: Type.String({
      minLength: 1,
      examples: ['pi_1'],
      description: 'Id of the payment at the processor',
    }),
    status: Type.Enum(['succeeded', 'processing'], {
      description: 'processing: the bank has still to confirm it',
    }),
    amount: Type.Number({ examples: [100], exclusiveMinimum: 0, description: 'Amount in dollars' }),
    currency: Type.String({ pattern: '^[A-Z]{3,4}$', examples: ['USD'], description: 'Always USD' }),
    ...deal,
  }),
)
