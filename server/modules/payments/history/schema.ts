import { Type } from '#platform/http/type'
import { Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { INTENT_STATES } from '../intents/machine.ts'

const PaymentState = named(
  'CardPaymentState',
  Type.Enum([...INTENT_STATES], {
    description:
      'PENDING until the processor reports the outcome; a payment that is FAILED or EXPIRED is SUCCEEDED if its money arrives late',
  }),
)

export const PaymentRecord = named(
  'CardPaymentRecord',
  Type.Object({
    id: { ...Id, description: 'Id of the payment (UUIDv7)' },
    status: PaymentState,
    amount: Money,
    currency: Currency,
    rail: Type.Enum(['card', 'checkout'], {
      description: 'card: a payment method was charged; checkout: a hosted page',
    }),
    purpose: Type.String({
      maxLength: 500,
      description:
        'What the payment is for: WALLET_FUNDING, ESCROW, SUBSCRIPTION or ROUTING (the balance of the gateway)',
      examples: ['ESCROW'],
    }),
    reference: Type.String({
      minLength: 1,
      description:
        'Id of the wallet, escrow or invoice that it pays for, or of the account whose routing balance it tops up',
    }),
    checkoutUrl: Nullable(
      Type.String({
        format: 'uri',
        description: 'Hosted page on which it can be paid; null as soon as it cannot be paid there',
      }),
    ),
    createdAt: { ...Moment, description: 'When it was started' },
    expiresAt: { ...Moment, description: 'Until when it can be paid' },
    confirmedAt: Nullable({ ...Moment, description: 'When its money arrived; null before' }),
  }),
)

export const PaymentQuery = Type.Object({
  status: Type.Optional({ ...PaymentState, description: 'Only payments in this state' }),
  ...PageQuery,
})
