import { Type } from '#platform/http/type'
import { cardPayments } from '#payments'
import { Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const { Checkout, PageLink, PaymentMethodId, Receipt } = cardPayments

const PlanId = named(
  'PlanId',
  Type.Union([Type.Literal('FREE'), Type.Literal('PRO')], {
    description: 'FREE, or PRO with a lower marketplace fee',
  }),
)
const USD = Type.Literal('USD', { description: 'Plans are paid in USD' })
const RailName = Type.Union([Type.Literal('wallet'), Type.Literal('card'), Type.Literal('checkout')], {
  description: 'How it was paid: from a wallet, by card or on a hosted page',
})
const FeeBps = Type.Integer({
  description: 'Marketplace fee of a seller, in basis points',
  minimum: 0,
  maximum: 10_000,
})

export const PlanRecord = named(
  'Plan',
  Type.Object({
    id: PlanId,
    name: Type.String({ maxLength: 200, examples: ['Pro'], description: 'Display name of the plan' }),
    price: { ...Money, description: 'Price for each interval, in dollars' },
    currency: USD,
    interval: Type.Literal('month', { description: 'Plans are paid by the month' }),
    feeBps: FeeBps,
    feeRate: Type.Number({ description: '`feeBps` as a fraction', examples: [0.1], minimum: 0, maximum: 1 }),
  }),
)

const InvoiceRecord = named(
  'SubscriptionInvoice',
  Type.Object({
    id: { ...Id, description: 'Id of the invoice (UUIDv7)' },
    number: Type.Integer({ minimum: 1, description: 'Counts the invoices of the subscription from 1' }),
    status: Type.Union([Type.Literal('OPEN'), Type.Literal('PAID'), Type.Literal('VOID')], {
      description: 'OPEN until it is paid; VOID if it no longer has to be',
    }),
    amount: { ...Money, description: 'Amount in dollars' },
    currency: USD,
    rail: RailName,
    returned: Type.String({
      description: 'What a cancellation returned to the wallet, in dollars',
      examples: ['0.00'],
    }),
    periodStart: Nullable({
      ...Moment,
      description: 'Start of the month that it pays; null before it is paid',
    }),
    periodEnd: Nullable({ ...Moment, description: 'End of that month; null before it is paid' }),
    paidAt: Nullable({ ...Moment, description: 'When it was paid; null before' }),
    createdAt: Moment,
  }),
)

const fields = {
  plan: { ...PlanId, description: 'Plan in force now' },
  feeBps: FeeBps,
  id: Nullable({ ...Id, description: 'Id of the latest subscription; null if there never was one' }),
  status: {
    ...Nullable(
      named(
        'SubscriptionStatus',
        Type.Union([
          Type.Literal('PENDING'),
          Type.Literal('ACTIVE'),
          Type.Literal('PAST_DUE'),
          Type.Literal('CANCELLED'),
          Type.Literal('EXPIRED'),
        ]),
      ),
    ),
    description: 'State of the latest subscription; null if there never was one',
  },
  price: { ...Money, description: 'Price for each month, in dollars' },
  currency: USD,
  currentPeriodStart: Nullable({ ...Moment, description: 'Start of the paid month; null without one' }),
  currentPeriodEnd: Nullable({ ...Moment, description: 'End of the paid month; null without one' }),
  cancelsAtPeriodEnd: Type.Boolean({ description: 'Whether it ends instead of being renewed' }),
  renewsFrom: {
    ...Nullable(Type.Union([Type.Literal('wallet'), Type.Literal('card')])),
    description: 'What pays renewals, or would if the cancellation is undone; null once it has ended',
  },
  walletId: Nullable({
    ...Id,
    description: 'Wallet that pays renewals, also where the card fails; null if there never was a plan',
  }),
  graceUntil: Nullable(
    Type.String({ format: 'date-time', description: 'When Pro ends unless the renewal is paid' }),
  ),
  endedAt: Nullable({ ...Moment, description: 'When it ended; null before' }),
  createdAt: Nullable({ ...Moment, description: 'When it was requested; null if there never was one' }),
  invoices: Type.Array(InvoiceRecord, { description: 'The newest 12, the newest first' }),
}
export const SubscriptionRecord = named('Subscription', Type.Object(fields))
export const Subscribed = named(
  'SubscriptionCheckout',
  Type.Object({ ...fields, checkout: Type.Optional(Checkout) }),
)

export const CheckoutBody = Type.Object({
  plan: Type.Optional(Type.Literal('PRO', { description: 'PRO, which is also the default' })),
  rail: Type.Optional(
    Type.Union([Type.Literal('wallet'), Type.Literal('card'), Type.Literal('checkout')], {
      description:
        'card with `paymentMethodId` and wallet with `walletId` by default, otherwise checkout: a hosted page',
    }),
  ),
  walletId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Your wallet in USD; your default wallet otherwise' }),
  ),
  paymentMethodId: Type.Optional(PaymentMethodId),
  returnUrl: Type.Optional(PageLink('Address to return to from the hosted page')),
  cancelUrl: Type.Optional(PageLink('Address to return to without a payment')),
  receipt: Type.Optional(Receipt),
})
export const CancelBody = Type.Object({
  immediately: Type.Optional(
    Type.Boolean({ description: 'End now; the days that are left are returned to the wallet' }),
  ),
})
