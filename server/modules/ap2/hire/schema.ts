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
    agentId: Maybe(Id),
    slug: Maybe(Text(200)),
    amount: Maybe(AmountIn),
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
    agentId: Id,
    paymentMethodId: PaymentMethodId,
    amount: AmountIn,
    currency: Maybe(Type.String({ maxLength: 10, description: 'USD', examples: ['USD'] })),
    ...work,
  }),
)

const deal = { escrowId: Id, negotiationId: Id, ...referralField }

export const HostedCheckout = named(
  'HostedCheckout',
  Type.Object({
    success: Type.Boolean(),
    checkoutSessionId: Type.String({ examples: ['cs_test_1'] }),
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
    success: Type.Boolean(),
    transactionId: Type.String({ description: 'Id of the payment' }),
    paymentIntentId: Type.String({ examples: ['pi_1'], description: 'Id of the payment at the processor' }),
    status: Type.Enum(['succeeded', 'processing']),
    amount: Type.Number({ examples: [100] }),
    currency: Type.String({ examples: ['USD'] }),
    ...deal,
  }),
)
