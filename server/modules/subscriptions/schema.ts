import { Type } from '#platform/http/type'
import { cardPayments } from '#payments'
import { Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const { Checkout, PageLink, PaymentMethodId, Receipt } = cardPayments

const PlanId = named('PlanId', Type.Union([Type.Literal('FREE'), Type.Literal('PRO')]))
const USD = Type.Literal('USD')
const RailName = Type.Union([Type.Literal('wallet'), Type.Literal('card'), Type.Literal('checkout')])
const FeeBps = Type.Integer({ description: 'Marketplace fee of a seller, in basis points' })

export const PlanRecord = named(
  'Plan',
  Type.Object({
    id: PlanId,
    name: Type.String({ examples: ['Pro'] }),
    price: Money,
    currency: USD,
    interval: Type.Literal('month'),
    feeBps: FeeBps,
    feeRate: Type.Number({ description: 'The same as a fraction', examples: [0.1] }),
  }),
)

const InvoiceRecord = named(
  'SubscriptionInvoice',
  Type.Object({
    id: Id,
    number: Type.Integer(),
    status: Type.Union([Type.Literal('OPEN'), Type.Literal('PAID'), Type.Literal('VOID')]),
    amount: Money,
    currency: USD,
    rail: RailName,
    returned: Type.String({ description: 'What a cancellation returned to the wallet', examples: ['0.00'] }),
    periodStart: Nullable(Moment),
    periodEnd: Nullable(Moment),
    paidAt: Nullable(Moment),
    createdAt: Moment,
  }),
)

const fields = {
  plan: PlanId,
  feeBps: FeeBps,
  id: Nullable(Id),
  status: Nullable(
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
  price: Money,
  currency: USD,
  currentPeriodStart: Nullable(Moment),
  currentPeriodEnd: Nullable(Moment),
  cancelsAtPeriodEnd: Type.Boolean(),
  renewsFrom: Nullable(Type.Union([Type.Literal('wallet'), Type.Literal('card')])),
  walletId: Nullable(Id),
  graceUntil: Nullable(
    Type.String({ format: 'date-time', description: 'When Pro ends unless the renewal is paid' }),
  ),
  endedAt: Nullable(Moment),
  createdAt: Nullable(Moment),
  invoices: Type.Array(InvoiceRecord, { description: 'The newest 12, the newest first' }),
}
export const SubscriptionRecord = named('Subscription', Type.Object(fields))
export const Subscribed = named(
  'SubscriptionCheckout',
  Type.Object({ ...fields, checkout: Type.Optional(Checkout) }),
)

export const CheckoutBody = Type.Object({
  plan: Type.Optional(Type.Literal('PRO')),
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
