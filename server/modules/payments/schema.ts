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
  { id: Type.String(), url: Type.String({ format: 'uri' }) },
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
    wallet: WalletRecord,
    transaction: Transaction,
    checkout: Type.Optional(Checkout),
    paymentRequest: Type.Optional(
      Type.Object(
        {
          to: Type.String({ description: 'Address of this payment alone' }),
          amount: Money,
          currency: Type.String({ examples: ['USDC'] }),
          network: Type.String({ description: 'CAIP-2', examples: ['eip155:84532'] }),
          reference: Id,
          statusUrl: Type.String({ format: 'uri' }),
          expiresAt: Moment,
        },
        { description: 'By rail x402: pay with an x402 client at `checkout.url`, or transfer the amount' },
      ),
    ),
  }),
)

export const Received = named(
  'WebhookReceipt',
  Type.Object({
    received: Type.Boolean(),
    outcome: Type.String({
      description:
        'booked, suspense, ended, known, duplicate, recorded, unmatched, mismatch, dispute or refund',
      examples: ['booked'],
    }),
  }),
)

const Reason = Type.String({ minLength: 1, maxLength: 500, examples: ['The payer sent the wrong amount'] })
export const AssignSuspense = Type.Object({ walletId: Id, reason: Reason })
export const ReturnSuspense = Type.Object({ reason: Reason })

export const SuspenseRecord = named(
  'SuspendedPayment',
  Type.Object({
    id: Type.String({ description: 'Id of the payment at the processor', examples: ['pi_1'] }),
    paymentId: Type.String({ description: 'The payment that the event names, if any' }),
    reason: Type.Union([
      Type.Literal('MISMATCH'),
      Type.Literal('PAID_TWICE'),
      Type.Literal('UNKNOWN_PAYMENT'),
    ]),
    amount: Money,
    fee: Money,
    currency: Type.String({ examples: ['USD'] }),
    posted: Type.Boolean({ description: 'False for a currency that the ledger does not support' }),
    resolution: Nullable(
      Type.Union([Type.Literal('BOOKED'), Type.Literal('ASSIGNED'), Type.Literal('RETURNED')]),
    ),
    journalId: Nullable(Id),
    createdAt: Moment,
    settledAt: Nullable(Moment),
  }),
)
/** Above the operator's limit nothing moved yet: `approval` says what is waited for. */
export const SuspenseExit = Type.Object({
  item: SuspenseRecord,
  approval: Type.Optional(approvals.ApprovalRecord),
})
