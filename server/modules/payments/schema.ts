import { Type } from 'typebox'
import { ApprovalRecord } from '#identity'
import { Transaction, WalletRecord } from '#wallets'
import { AmountIn, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

export const FundWallet = Type.Object({
  amount: AmountIn,
  rail: Type.Optional(Type.Union([Type.Literal('card'), Type.Literal('checkout'), Type.Literal('x402')], { description: 'card by default; checkout answers a hosted page' })),
  paymentMethodId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Of the processor; sandbox mode pays with pm_card_visa', examples: ['pm_card_visa'] })),
  returnUrl: Type.Optional(Type.String({ maxLength: 2000, description: 'Where the hosted page leads back to; asks for one' })),
})

export const Funded = named('FundingResult', Type.Object({
  wallet: WalletRecord,
  transaction: Transaction,
  checkout: Type.Optional(Type.Object({ id: Type.String(), url: Type.String({ format: 'uri' }) }, { description: 'The hosted page on which to pay' })),
}))

export const Received = named('WebhookReceipt', Type.Object({
  received: Type.Boolean(),
  outcome: Type.String({ description: 'booked, suspense, ended, known, duplicate, recorded, unmatched, mismatch, dispute or refund', examples: ['booked'] }),
}))

const Reason = Type.String({ minLength: 1, maxLength: 500, examples: ['The payer sent the wrong amount'] })
export const AssignSuspense = Type.Object({ walletId: Id, reason: Reason })
export const ReturnSuspense = Type.Object({ reason: Reason })

export const SuspenseRecord = named('SuspendedPayment', Type.Object({
  id: Type.String({ description: 'Id of the payment at the processor', examples: ['pi_1'] }),
  paymentId: Type.String({ description: 'The payment that it names; there may be none' }),
  reason: Type.Union([Type.Literal('MISMATCH'), Type.Literal('PAID_TWICE'), Type.Literal('UNKNOWN_PAYMENT')]),
  amount: Money,
  fee: Money,
  currency: Type.String({ examples: ['USD'] }),
  posted: Type.Boolean({ description: 'False for a currency that the ledger does not keep' }),
  resolution: Nullable(Type.Union([Type.Literal('BOOKED'), Type.Literal('ASSIGNED'), Type.Literal('RETURNED')])),
  journalId: Nullable(Id),
  createdAt: Moment,
  settledAt: Nullable(Moment),
}))
/** Above the operator's limit nothing moved yet: `approval` says what is waited for. */
export const SuspenseExit = Type.Object({ item: SuspenseRecord, approval: Type.Optional(ApprovalRecord) })
