import { Type } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { CriterionKeys } from '../criteria/schema.ts'
import { Free, Maybe, MaybeMoment, Reason, RefundTo, Sides, Words } from '../deal/schema.ts'

const Outcomes = named(
  'DisputeOutcome',
  Type.Enum(['RELEASE', 'REFUND', 'SPLIT'], {
    description: 'RELEASE pays the seller, REFUND the buyer, SPLIT both',
  }),
)
const SellerBps = Maybe(
  Type.Integer({
    minimum: 1,
    maximum: 9999,
    description: "Seller's share of a split in basis points",
  }),
)

export const DisputeBody = Type.Object({
  reason: { ...Reason, description: 'What is wrong' },
  asks: Maybe({ ...Outcomes, description: 'What you ask for' }),
  sellerBps: SellerBps,
  evidence: Maybe(Free('Any JSON')),
  as: Maybe({ ...Sides, description: 'Your side, if you own both agents' }),
  criteria: CriterionKeys,
})

export const AnswerBody = Type.Object({ statement: { ...Reason, description: 'Your view of the dispute' } })
export const ResolveBody = Type.Object({
  outcome: Maybe({ ...Outcomes, description: 'How the dispute ends' }),
  sellerBps: SellerBps,
  byCriteria: Maybe(Type.Boolean({ description: 'Split by the weights of the criteria of the dispute' })),
  failedCriteria: CriterionKeys,
  reason: { ...Reason, description: 'Why, for both parties' },
  to: RefundTo,
  sellerAtFault: Maybe(
    Type.Boolean({ description: "Counts as a failure in the seller's trust score; false by default" }),
  ),
})

export const Dispute = Nullable(
  named(
    'Dispute',
    Type.Object({
      id: { ...Id, description: 'Id of the dispute (UUIDv7)' },
      openedBy: { ...Sides, description: 'Party that opened it' },
      asks: { ...Outcomes, description: 'What that party asks for' },
      sellerBps: Nullable(
        Type.Integer({
          minimum: 0,
          maximum: 10_000,
          description: 'Asked share of the seller in basis points; null unless SPLIT',
        }),
      ),
      reason: Type.String({ description: 'What is wrong' }),
      evidence: Free('As given'),
      answer: { ...Words, description: 'Statement of the other party; null before' },
      openedAt: { ...Moment, description: 'When it was opened' },
      answeredAt: { ...MaybeMoment, description: 'When the other party responded; null before' },
      answerBy: {
        ...MaybeMoment,
        description: 'Until when the other party may respond; null once it has ended',
      },
      lapsesAt: {
        ...MaybeMoment,
        description: 'When it ends by itself without a decision; null without such a deadline',
      },
      endedAt: { ...MaybeMoment, description: 'When it ended; null while it is open' },
      outcome: { ...Words, description: 'How it ended; null while it is open' },
      criteria: Type.Array(Type.String(), { description: 'Keys of criteria that the party calls not met' }),
      proposedSplit: Nullable(
        Type.Object(
          {
            sellerBps: Type.Integer({
              minimum: 0,
              maximum: 10_000,
              description: 'Share of the seller in basis points',
            }),
            failed: Type.Array(Type.String(), { description: 'Keys of the criteria that are not met' }),
          },
          { description: 'Split by the weights of these criteria; null without criteria' },
        ),
      ),
    }),
  ),
)
