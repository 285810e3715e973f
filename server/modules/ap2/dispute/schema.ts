import { Type } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { CriterionKeys } from '../criteria/schema.ts'
import { Free, Maybe, MaybeMoment, Reason, RefundTo, Sides, Words } from '../deal/schema.ts'

const Outcomes = named('DisputeOutcome', Type.Enum(['RELEASE', 'REFUND', 'SPLIT']))
const SellerBps = Maybe(
  Type.Integer({
    minimum: 1,
    maximum: 9999,
    description: "Seller's share of a split in basis points",
  }),
)

export const DisputeBody = Type.Object({
  reason: Reason,
  asks: Maybe(Outcomes),
  sellerBps: SellerBps,
  evidence: Maybe(Free('Any JSON')),
  as: Maybe(Sides),
  criteria: CriterionKeys,
})

export const AnswerBody = Type.Object({ statement: Reason })
export const ResolveBody = Type.Object({
  outcome: Maybe(Outcomes),
  sellerBps: SellerBps,
  byCriteria: Maybe(Type.Boolean({ description: 'Split by the weights of the criteria of the dispute' })),
  failedCriteria: CriterionKeys,
  reason: Reason,
  to: RefundTo,
  sellerAtFault: Maybe(
    Type.Boolean({ description: "Counts as a failure in the seller's trust score; false by default" }),
  ),
})

export const Dispute = Nullable(
  named(
    'Dispute',
    Type.Object({
      id: Id,
      openedBy: Sides,
      asks: Outcomes,
      sellerBps: Nullable(Type.Integer()),
      reason: Type.String(),
      evidence: Free('As given'),
      answer: Words,
      openedAt: Moment,
      answeredAt: MaybeMoment,
      answerBy: MaybeMoment,
      lapsesAt: MaybeMoment,
      endedAt: MaybeMoment,
      outcome: Words,
      criteria: Type.Array(Type.String()),
      proposedSplit: Nullable(Type.Object({ sellerBps: Type.Integer(), failed: Type.Array(Type.String()) })),
    }),
  ),
)
