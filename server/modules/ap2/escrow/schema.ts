import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { cardPayments } from '#payments'
import { ESCROW_STATES } from '../deal/escrow-machine.ts'
import {
  Actions,
  DeliveryStatusName,
  Event,
  Free,
  Maybe,
  MaybeMoment,
  RefundTo,
  Sides,
  Text,
  Words,
} from '../deal/schema.ts'
import { DeliverySummary } from '../delivery/schema.ts'
import { Dispute } from '../dispute/schema.ts'

const { Checkout, PageLink, PaymentMethodId, Receipt } = cardPayments

export const InitiateBody = Type.Object({
  negotiationId: Maybe(Id),
  sourceWalletId: Maybe(Id),
  destinationWalletId: Maybe(Id),
  amount: Maybe(AmountIn),
  rail: Maybe(
    Type.Enum(['wallet', 'card', 'x402'], {
      description: 'wallet by default. card without a payment method returns a hosted page',
    }),
  ),
  paymentMethodId: Maybe(PaymentMethodId),
  returnUrl: Maybe(PageLink('Address to return to from the hosted page; requests one')),
  cancelUrl: Maybe(PageLink('Address to return to from the hosted page without a payment')),
  receipt: Maybe(Receipt),
  purpose: Maybe(Text(500)),
  serviceDescription: Maybe(Text(5000, 'Without a negotiation: what is bought; the purpose by default')),
  input: Maybe(Free('Without a negotiation: what the agent needs for the work')),
  memo: Maybe(Text(500)),
  metadata: Maybe(Type.Object({}, { additionalProperties: true })),
  expectedFeeBps: Maybe(Type.Integer({ minimum: 0, maximum: 10_000 })),
})

export const ReleaseBody = Type.Object({
  escrowId: Id,
  amount: Maybe(AmountIn),
  milestoneKey: Maybe(Text(50)),
  memo: Maybe(Text(500)),
  acceptUnverified: Maybe(
    Type.Boolean({
      description: 'Pay without a verified delivery: no completion, no commission',
    }),
  ),
  expectedHeld: Maybe(AmountIn),
})

export const CompleteBody = Type.Object({
  escrowId: Id,
  status: Type.Enum(['SETTLED', 'FAILED']),
  failureReason: Maybe(Text(500)),
  externalReference: Maybe(Text(200)),
})

export const RefundBody = named(
  'RefundRequest',
  Type.Object({
    memo: Maybe(Text(500)),
    to: RefundTo,
  }),
)
export const UnfreezeBody = Type.Object({
  reason: Maybe(Text(2000)),
  freeze: Maybe(Text(200, 'One of the reasons; all of them when absent')),
})
export const EscrowQuery = Type.Object({
  role: Maybe(Sides),
  agentId: Maybe(Type.String()),
  status: Maybe(Type.Enum([...ESCROW_STATES])),
  ...PageQuery,
})

const MilestoneRecord = named(
  'Milestone',
  Type.Object({
    key: Type.String(),
    title: Type.String(),
    amount: Money,
    released: Money,
    deliveryStatus: DeliveryStatusName,
    verifiedAt: MaybeMoment,
    autoReleaseAt: MaybeMoment,
  }),
)

const EscrowStates = named('EscrowStatus', Type.Enum([...ESCROW_STATES]))
export const Escrow = named(
  'Escrow',
  Type.Object({
    id: Id,
    negotiationId: Id,
    buyerWalletId: Id,
    sellerWalletId: Id,
    amount: Money,
    released: Money,
    refunded: Money,
    held: Money,
    fee: Money,
    currency: Currency,
    test: Type.Boolean(),
    status: EscrowStates,
    originalStatus: Nullable(EscrowStates),
    freezes: Type.Array(Type.String()),
    feeBps: Type.Integer(),
    deliveryStatus: DeliveryStatusName,
    autoReleaseAt: MaybeMoment,
    deliverBy: Moment,
    changesRequested: Type.Integer(),
    purpose: Words,
    memo: Words,
    metadata: Free('As given'),
    milestones: Type.Array(MilestoneRecord),
    deliveries: Type.Array(DeliverySummary),
    dispute: Dispute,
    allowedActions: Actions,
    timeline: Type.Array(Event),
    createdAt: Moment,
    endedAt: MaybeMoment,
  }),
)

export const Transaction = named(
  'EscrowTransaction',
  Type.Object({
    id: Id,
    kind: Type.String(),
    amount: Money,
    currency: Currency,
    at: Moment,
    memo: Words,
    legs: Type.Array(
      Type.Object({ debit: Type.String(), credit: Type.String(), amount: Money, currency: Currency }),
    ),
  }),
)

const aboutEscrow = { escrowId: Id, negotiationId: Id, status: EscrowStates, escrow: Escrow }
export const Initiated = named(
  'InitiatedPayment',
  Type.Object({
    ...aboutEscrow,
    holdTransaction: Nullable(Transaction),
    checkout: Type.Optional(Checkout),
  }),
)
export const Settlement = named(
  'Settlement',
  Type.Object({
    ...aboutEscrow,
    transaction: Transaction,
    fee: Money,
    netToSeller: Money,
    commission: Money,
    refund: Type.Optional(
      Type.Object(
        { id: Id, status: Type.Enum(['PENDING']), amount: Money, currency: Currency },
        { description: 'Money on its way back to the card' },
      ),
    ),
  }),
)

export const ConfirmReleaseBody = Type.Object({
  escrowId: Id,
  transferId: Maybe(Text(255, 'The transfer of the payout to the seller at the processor')),
})
export const ConfirmedRelease = named(
  'ConfirmedRelease',
  Type.Object({
    ...aboutEscrow,
    confirmed: Type.Boolean(),
    released: Money,
    netToSeller: Money,
    paymentIntentId: Words,
    transferId: Words,
  }),
)
export const Completed = named('CompletedPayment', Type.Object({ ...aboutEscrow, message: Type.String() }))
export const LedgerEntry = named(
  'EscrowLedgerEntry',
  Type.Object({
    journalId: Id,
    kind: Type.String(),
    at: Moment,
    debit: Type.String(),
    credit: Type.String(),
    amount: Money,
    hash: Type.String(),
  }),
)

export const Reconciliation = named(
  'Reconciliation',
  Type.Object({
    escrowId: Id,
    asOf: Moment,
    status: EscrowStates,
    currency: Currency,
    gross: Money,
    released: Money,
    refunded: Money,
    heldBalance: Money,
    expectedHeld: Money,
    difference: Money,
    fee: Money,
    commission: Money,
    entries: Type.Array(LedgerEntry),
    external: Type.Array(
      Type.Object({
        rail: Type.String(),
        reference: Type.String(),
        amount: Money,
        state: Type.String(),
        matched: Type.Boolean(),
      }),
    ),
    checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean() })),
    ok: Type.Boolean(),
  }),
)
