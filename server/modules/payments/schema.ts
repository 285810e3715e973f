import { Type } from '#platform/http/type'
import { approvals } from '#identity'
import { Transaction, WalletRecord } from '#wallets'
import { AmountIn, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

export const PaymentMethodId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Payment method at the processor; sandbox mode accepts pm_card_visa',
  examples: ['pm_card_visa'],
})
export const PageLink = (description: string) => Type.String({ maxLength: 2000, description })
export const Receipt = Type.Boolean({
  description: 'Email a receipt for the charge, and for refunds to the card, to the account that pays',
})
/** The hosted page of a payment. */
export const Checkout = Type.Object(
  {
    id: Type.String({ maxLength: 200, description: 'Id of the hosted page at the processor' }),
    url: Type.String({ format: 'uri', description: 'Address to open in a browser' }),
  },
  { description: 'The hosted page on which to pay' },
)

export const FundWallet = Type.Object({
  amount: AmountIn,
  rail: Type.Optional(
    Type.Union([Type.Literal('card'), Type.Literal('checkout'), Type.Literal('x402')], {
      description: 'card by default; checkout returns a hosted page, x402 what is to be paid in USDC',
    }),
  ),
  paymentMethodId: Type.Optional(PaymentMethodId),
  returnUrl: Type.Optional(PageLink('Address to return to from the hosted page; requests one')),
  receipt: Type.Optional(Receipt),
})

export const Funded = named(
  'FundingResult',
  Type.Object({
    wallet: { ...WalletRecord, description: 'The wallet; its balance changes once the payment has arrived' },
    transaction: { ...Transaction, description: 'The transaction; PENDING while the payment is awaited' },
    checkout: Type.Optional(Checkout),
    paymentRequest: Type.Optional(
      Type.Object(
        {
          to: Type.String({
            description: 'Address of this payment alone',
            pattern: '^0x[0-9a-fA-F]{40}$',
            examples: ['0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'],
          }),
          amount: { ...Money, description: 'Amount to pay in USDC' },
          currency: Type.String({ pattern: '^[A-Z]{3,4}$', examples: ['USDC'], description: 'Always USDC' }),
          network: Type.String({
            pattern: '^[a-z0-9-]+:[A-Za-z0-9_-]+$',
            description: 'CAIP-2',
            examples: ['eip155:84532'],
          }),
          reference: { ...Id, description: 'Id of the payment, for support' },
          statusUrl: Type.String({ format: 'uri', description: 'Where to read the state of the payment' }),
          expiresAt: { ...Moment, description: 'Until when the payment is accepted' },
        },
        { description: 'By rail x402: pay with an x402 client at `checkout.url`, or transfer the amount' },
      ),
    ),
  }),
)

export const Received = named(
  'WebhookReceipt',
  Type.Object({
    received: Type.Boolean({ description: 'Always true: the event is stored' }),
    outcome: Type.String({
      description:
        'What it changed: booked, suspense, ended, known, duplicate, recorded, unmatched, mismatch, dispute or refund',
      examples: ['booked'],
    }),
  }),
)

const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  examples: ['The payer sent the wrong amount'],
  description: 'Why, for the audit log',
})
export const AssignSuspense = Type.Object({
  walletId: { ...Id, description: 'Wallet to credit' },
  reason: Reason,
})
export const ReturnSuspense = Type.Object({ reason: Reason })

export const SuspenseRecord = named(
  'SuspendedPayment',
  Type.Object({
    id: Type.String({
      maxLength: 200,
      description: 'Id of the payment at the processor',
      examples: ['pi_1'],
    }),
    paymentId: Type.String({ description: 'The payment that the event names, if any' }),
    reason: Type.Union(
      [Type.Literal('MISMATCH'), Type.Literal('PAID_TWICE'), Type.Literal('UNKNOWN_PAYMENT')],
      {
        description:
          'MISMATCH: another amount or currency than was asked for; PAID_TWICE; UNKNOWN_PAYMENT: no payment of this service',
      },
    ),
    amount: { ...Money, description: 'Amount that arrived, in `currency`' },
    fee: { ...Money, description: 'Fee of the processor, in `currency`' },
    currency: Type.String({
      pattern: '^[A-Z]{3,4}$',
      examples: ['USD'],
      description: 'Currency of the card payment, ISO 4217',
    }),
    posted: Type.Boolean({ description: 'False for a currency that the ledger does not support' }),
    resolution: {
      ...Nullable(Type.Union([Type.Literal('BOOKED'), Type.Literal('ASSIGNED'), Type.Literal('RETURNED')])),
      description:
        'BOOKED to its payment, ASSIGNED to a wallet or RETURNED to the payer; null while it waits',
    },
    journalId: Nullable({
      ...Id,
      description: 'Journal that took the money out of suspense; null while it waits',
    }),
    createdAt: { ...Moment, description: 'When it arrived' },
    settledAt: Nullable({ ...Moment, description: 'When it was resolved; null while it waits' }),
  }),
)
/** Above the operator's limit nothing moved yet: `approval` says what is waited for. */
export const SuspenseExit = Type.Object({
  item: { ...SuspenseRecord, description: 'The item, unchanged while `approval` is awaited' },
  approval: Type.Optional({
    ...approvals.ApprovalRecord,
    description: "Above the operator's limit: the approval that another admin has to give",
  }),
})
