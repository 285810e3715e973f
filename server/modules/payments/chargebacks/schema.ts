import { Type } from '#platform/http/type'
import { approvals } from '#identity'
import { Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import { CHARGEBACK_STATES } from './machine.ts'

export const ChargebackState = named(
  'ChargebackStatus',
  Type.Enum([...CHARGEBACK_STATES], {
    description:
      'NEEDS_RESPONSE: evidence can be sent; UNDER_REVIEW: the bank decides; WON and LOST are final',
  }),
)

export const ChargebackRecord = named(
  'Chargeback',
  Type.Object({
    id: { ...Id, description: 'Id of the chargeback (UUIDv7)' },
    status: ChargebackState,
    disputeId: Type.String({
      minLength: 1,
      description: 'Id of the dispute at the processor',
      examples: ['dp_1'],
    }),
    paymentId: { ...Id, description: 'Id of the payment that the bank takes back' },
    purpose: Type.String({
      maxLength: 500,
      description: 'What the payment was for',
      examples: ['WALLET_FUNDING'],
    }),
    reference: Type.String({
      minLength: 1,
      description:
        'The wallet, escrow or invoice that the payment paid for, or the account whose routing balance it topped up',
    }),
    accountId: { ...Id, description: 'Account that paid' },
    amount: { ...Money, description: 'Amount that the bank takes back, in `currency`' },
    fee: { ...Money, description: 'Fee of the processor for the chargeback, in `currency`' },
    currency: Type.String({
      pattern: '^[A-Z]{3,4}$',
      examples: ['USD'],
      description: 'Currency of the card payment, ISO 4217',
    }),
    reason: Type.String({ minLength: 1, description: 'As the processor names it', examples: ['fraudulent'] }),
    respondBy: Nullable({
      ...Moment,
      description: 'Until when evidence can be sent; null if the processor names no deadline',
    }),
    evidenceAt: Nullable({ ...Moment, description: 'When evidence was sent; null before' }),
    owed: Type.Object(
      {
        amount: { ...Money, description: 'What is owed in total' },
        recovered: { ...Money, description: 'What was paid back' },
        writtenOff: { ...Money, description: 'What was written off' },
        open: { ...Money, description: 'What is still owed' },
      },
      { description: 'Of a lost amount what nobody held, and commissions of it that had been paid' },
    ),
    openedJournalId: { ...Id, description: 'Journal that booked the chargeback' },
    closedJournalId: Nullable({ ...Id, description: 'Journal that booked its end; null while it is open' }),
    createdAt: Moment,
    closedAt: Nullable({ ...Moment, description: 'When it ended; null while it is open' }),
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
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    examples: ['The debtor does not respond'],
    description: 'Why, for the audit log',
  }),
})

/** Above the operator's limit nothing moved yet: `approval` says what is waited for. */
export const WrittenOff = Type.Object({
  chargeback: { ...ChargebackRecord, description: 'The chargeback, unchanged while `approval` is awaited' },
  journalId: Nullable({ ...Id, description: 'Journal of the write-off; null while `approval` is awaited' }),
  approval: Type.Optional({
    ...approvals.ApprovalRecord,
    description: "Above the operator's limit: the approval that another admin has to give",
  }),
})
