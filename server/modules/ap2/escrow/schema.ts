import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { cardPayments } from '#payments'
import { ESCROW_STATES } from '../deal/escrow-machine.ts'
import {
  Actions,
  CardRefund,
  ChangeRequest,
  DeliveryStatusName,
  Event,
  Free,
  Maybe,
  MaybeMoment,
  MilestoneRecord,
  RefundTo,
  Sides,
  Text,
  Words,
} from '../deal/schema.ts'
import { DeliverySummary } from '../delivery/schema.ts'
import { Dispute } from '../dispute/schema.ts'

const { Checkout, PageLink, PaymentMethodId, Receipt } = cardPayments

export const InitiateBody = Type.Object({
  negotiationId: Maybe({
    ...Id,
    description: 'Deal in the state ACCEPTED; without it `destinationWalletId` and `amount`',
  }),
  sourceWalletId: Maybe({
    ...Id,
    description: 'Wallet that pays; the default wallet of the buyer otherwise',
  }),
  destinationWalletId: Maybe({
    ...Id,
    description: 'Wallet of the seller, for a payment without a negotiation',
  }),
  amount: Maybe({ ...AmountIn, description: 'Amount in dollars; the agreed price by default' }),
  rail: Maybe(
    Type.Enum(['wallet', 'card', 'x402'], {
      description: 'wallet by default. card without a payment method returns a hosted page',
    }),
  ),
  paymentMethodId: Maybe(PaymentMethodId),
  returnUrl: Maybe(PageLink('Address to return to from the hosted page; requests one')),
  cancelUrl: Maybe(PageLink('Address to return to from the hosted page without a payment')),
  receipt: Maybe(Receipt),
  purpose: Maybe(Text(500, 'What the payment is for')),
  serviceDescription: Maybe(Text(5000, 'Without a negotiation: what is bought; the purpose by default')),
  input: Maybe(Free('Without a negotiation: what the agent needs for the work')),
  memo: Maybe(Text(500, 'Note on the transaction')),
  metadata: Maybe(
    Type.Object({}, { additionalProperties: true, description: 'Your own data, returned with the escrow' }),
  ),
  expectedFeeBps: Maybe(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Fee that you expect, in basis points; 409 if it is another one',
    }),
  ),
})

export const ReleaseBody = Type.Object({
  escrowId: { ...Id, description: 'Id of the escrow' },
  amount: Maybe({ ...AmountIn, description: 'Amount to release in dollars; all that is held by default' }),
  milestoneKey: Maybe(Text(50, 'Release this milestone')),
  memo: Maybe(Text(500, 'Note on the transaction')),
  acceptUnverified: Maybe(
    Type.Boolean({
      description: 'Pay without a verified delivery: no completion, no commission',
    }),
  ),
  expectedHeld: Maybe({
    ...AmountIn,
    description: 'What you believe the escrow holds; 409 if it is another amount',
  }),
})

export const CompleteBody = Type.Object({
  escrowId: { ...Id, description: 'Id of the escrow' },
  status: Type.Enum(['SETTLED', 'FAILED'], {
    description: 'Result that the caller knows of; the state of the payment decides',
  }),
  failureReason: Maybe(Text(500, 'Why it failed')),
  externalReference: Maybe(Text(200, 'Id of the payment elsewhere')),
})

export const RefundBody = named(
  'RefundRequest',
  Type.Object({
    memo: Maybe(Text(500, 'Note on the transaction')),
    to: RefundTo,
  }),
)
export const UnfreezeBody = Type.Object({
  reason: Maybe(Text(2000, 'Why, for the audit log')),
  freeze: Maybe(Text(200, 'One of the reasons; all of them when absent')),
})
/** An escrow whose funds never came is in no list: its deal can be funded again. */
const LISTED_STATES = ESCROW_STATES.filter(status => status !== 'CANCELLED')
export const EscrowQuery = Type.Object({
  role: Maybe(Sides),
  agentId: Maybe(Type.String()),
  status: Maybe(Type.Enum(LISTED_STATES)),
  ...PageQuery,
})

export const EscrowStates = named(
  'EscrowStatus',
  Type.Enum([...ESCROW_STATES], {
    description: 'HELD until money leaves; RELEASED, REFUNDED, SPLIT and CANCELLED are final',
  }),
)
export const Escrow = named(
  'Escrow',
  Type.Object({
    id: { ...Id, description: 'Id of the escrow (UUIDv7)' },
    negotiationId: { ...Id, description: 'Id of the deal' },
    buyerWalletId: { ...Id, description: 'Wallet that paid' },
    sellerWalletId: { ...Id, description: 'Wallet that is paid' },
    amount: { ...Money, description: 'Amount that is paid in' },
    released: { ...Money, description: 'What was released to the seller, fee included' },
    refunded: { ...Money, description: 'What returned to the buyer' },
    cardRefunds: Type.Optional(
      Type.Array(CardRefund, {
        description:
          'What of it went to the card that paid, oldest first; the rest went to the wallet. Only of `GET /ap2/negotiations/{id}` and `GET /payments/escrow/{id}`',
      }),
    ),
    held: { ...Money, description: 'What it still holds; 0.00 until it is funded' },
    fee: { ...Money, description: 'Marketplace fee of what was released' },
    currency: Currency,
    test: Type.Boolean({ description: 'Whether test credit pays for it' }),
    status: { ...EscrowStates, description: 'State of the escrow' },
    originalStatus: {
      ...Nullable(EscrowStates),
      description: 'State before it was frozen; null if it is not',
    },
    freezes: Type.Array(Type.String(), { uniqueItems: true, description: 'Reasons for which it is frozen' }),
    feeBps: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Marketplace fee in basis points, fixed when it was funded',
    }),
    deliveryStatus: { ...DeliveryStatusName, description: 'State of the delivery over all milestones' },
    autoReleaseAt: {
      ...MaybeMoment,
      description: 'When money is released unless the buyer responds; null without a verified delivery',
    },
    deliverBy: { ...Moment, description: 'Until when the seller delivers' },
    changesRequested: Type.Integer({ minimum: 0, description: 'How often the buyer requested changes' }),
    changeRequest: { ...ChangeRequest, description: 'The latest request for changes; null without one' },
    purpose: { ...Words, description: 'What it pays for; null without a text' },
    memo: { ...Words, description: 'Note of the buyer; null without one' },
    metadata: Free('As given'),
    milestones: Type.Array(MilestoneRecord, { maxItems: 20, description: 'Empty if the deal has none' }),
    deliveries: Type.Array(DeliverySummary, { description: 'Deliveries, oldest first' }),
    dispute: { ...Dispute, description: 'The latest dispute; null if there never was one' },
    allowedActions: Actions,
    timeline: Type.Array(Event, { description: 'What happened, oldest first' }),
    createdAt: Moment,
    endedAt: { ...MaybeMoment, description: 'When it ended; null before' },
  }),
)

export const Transaction = named(
  'EscrowTransaction',
  Type.Object({
    id: { ...Id, description: 'Id of the journal in the ledger (UUIDv7)' },
    kind: Type.String({ pattern: '^[a-z0-9_.-]+$', description: 'Kind of the journal, such as `ap2.hold`' }),
    amount: { ...Money, description: 'Amount of the transaction' },
    currency: Currency,
    at: Moment,
    memo: { ...Words, description: 'Note on the transaction; null without one' },
    legs: Type.Array(
      Type.Object({
        debit: Type.String({ minLength: 1, description: 'Ledger account that pays' }),
        credit: Type.String({ minLength: 1, description: 'Ledger account that gets it' }),
        amount: Money,
        currency: Currency,
      }),
      { description: 'How the ledger posts it' },
    ),
  }),
)

const aboutEscrow = {
  escrowId: { ...Id, description: 'Id of the escrow' },
  negotiationId: { ...Id, description: 'Id of the deal' },
  status: { ...EscrowStates, description: 'State of the escrow' },
  escrow: { ...Escrow, description: 'The escrow afterwards' },
}
export const Initiated = named(
  'InitiatedPayment',
  Type.Object({
    ...aboutEscrow,
    holdTransaction: {
      ...Nullable(Transaction),
      description: 'The transaction that paid it in; null while a payment is awaited',
    },
    checkout: Type.Optional(Checkout),
  }),
)
export const Settlement = named(
  'Settlement',
  Type.Object({
    ...aboutEscrow,
    transaction: { ...Transaction, description: 'The transaction that settled it' },
    fee: { ...Money, description: 'Marketplace fee of this settlement' },
    netToSeller: { ...Money, description: 'What the seller got, without fee' },
    commission: { ...Money, description: 'Part of the fee that affiliates got' },
    refund: Type.Optional(
      Type.Object(
        {
          id: { ...Id, description: 'Id of the refund (UUIDv7)' },
          status: Type.Enum(['PENDING'], { description: 'The bank has still to confirm it' }),
          amount: Money,
          currency: Currency,
        },
        { description: 'Money on its way back to the card' },
      ),
    ),
  }),
)

export const ConfirmReleaseBody = Type.Object({
  escrowId: { ...Id, description: 'Id of the escrow' },
  transferId: Maybe(Text(255, 'The transfer of the payout to the seller at the processor')),
})
export const ConfirmedRelease = named(
  'ConfirmedRelease',
  Type.Object({
    ...aboutEscrow,
    confirmed: Type.Boolean({ description: 'Whether the processor confirms the payment' }),
    released: { ...Money, description: 'What was released to the seller, fee included' },
    netToSeller: { ...Money, description: 'What the seller got, without fee' },
    paymentIntentId: { ...Words, description: 'Id of the payment at the processor; null for none' },
    transferId: { ...Words, description: 'Id of the transfer at the processor; null for none' },
  }),
)
export const Completed = named(
  'CompletedPayment',
  Type.Object({ ...aboutEscrow, message: Type.String({ description: 'What happened, for people' }) }),
)
export const LedgerEntry = named(
  'EscrowLedgerEntry',
  Type.Object({
    journalId: { ...Id, description: 'Journal in the ledger (UUIDv7)' },
    kind: Type.String({ pattern: '^[a-z0-9_.-]+$', description: 'Kind of the journal' }),
    at: Moment,
    debit: Type.String({ minLength: 1, description: 'Ledger account that pays' }),
    credit: Type.String({ minLength: 1, description: 'Ledger account that gets it' }),
    amount: Money,
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the journal in hexadecimal' }),
  }),
)

export const Reconciliation = named(
  'Reconciliation',
  Type.Object({
    escrowId: { ...Id, description: 'Id of the escrow' },
    asOf: { ...Moment, description: 'When the books were read' },
    status: { ...EscrowStates, description: 'State of the escrow' },
    currency: Currency,
    gross: { ...Money, description: 'Amount that was paid in' },
    released: { ...Money, description: 'What was released to the seller, fee included' },
    refunded: { ...Money, description: 'What returned to the buyer' },
    heldBalance: { ...Money, description: 'Balance of the escrow in the ledger' },
    expectedHeld: { ...Money, description: 'What the escrow should hold' },
    difference: { ...Money, description: '`heldBalance` less `expectedHeld`; 0.00 if the books are right' },
    fee: { ...Money, description: 'Marketplace fee that was posted' },
    commission: { ...Money, description: 'Part of the fee that affiliates got' },
    entries: Type.Array(LedgerEntry, { description: 'All entries of the escrow, oldest first' }),
    external: Type.Array(
      Type.Object({
        rail: Type.String({ description: 'Rail of the payment' }),
        reference: Type.String({ description: 'Id at the processor' }),
        amount: { ...Money, description: 'Amount of the payment; negative for a refund' },
        state: Type.String({ description: 'State of the payment or refund' }),
        matched: Type.Boolean({ description: 'Whether it agrees with the escrow' }),
      }),
      { description: 'Records of the processor; empty for a wallet' },
    ),
    checks: Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 200, description: 'What has to be true' }),
        ok: Type.Boolean({ description: 'Whether it is true' }),
      }),
      { description: 'What was checked' },
    ),
    ok: Type.Boolean({ description: 'Whether all checks passed' }),
  }),
)
