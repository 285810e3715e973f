import { Type } from '#platform/http/type'
import { approvals } from '#identity'
import { Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import { CHARGEBACK_STATES } from './machine.ts'

export const ChargebackState = named('ChargebackStatus', Type.Enum([...CHARGEBACK_STATES]))

export const ChargebackRecord = named(
  'Chargeback',
  Type.Object({
    id: Id,
    status: ChargebackState,
    disputeId: Type.String({ description: 'Id of the dispute at the processor', examples: ['dp_1'] }),
    paymentId: Id,
    purpose: Type.String({ description: 'What the payment was for', examples: ['WALLET_FUNDING'] }),
    reference: Type.String({ description: 'The wallet or escrow that the payment funded' }),
    accountId: Id,
    amount: Money,
    fee: Money,
    currency: Type.String({ examples: ['USD'] }),
    reason: Type.String({ description: 'As the processor names it', examples: ['fraudulent'] }),
    respondBy: Nullable(Moment),
    evidenceAt: Nullable(Moment),
    owed: Type.Object(
      { amount: Money, recovered: Money, writtenOff: Money, open: Money },
      { description: 'The part of a lost amount that nobody held' },
    ),
    openedJournalId: Id,
    closedJournalId: Nullable(Id),
    createdAt: Moment,
    closedAt: Nullable(Moment),
  }),
)

export const Evidence = Type.Object({
  text: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: 'What shows that the payment was rightful',
    examples: ['The work was delivered on 2 May and accepted by the buyer.'],
  }),
})

export const WriteOff = Type.Object({
  reason: Type.String({ minLength: 1, maxLength: 500, examples: ['The debtor does not respond'] }),
})

/** Above the operator's limit nothing moved yet: `approval` says what is waited for. */
export const WrittenOff = Type.Object({
  chargeback: ChargebackRecord,
  journalId: Nullable(Id),
  approval: Type.Optional(approvals.ApprovalRecord),
})
