import { Type, type Static } from '#platform/http/type'
import { Id, Moment, named, Nullable, pageFields } from '#platform/http/schema'
import type { RatingRow } from './sql.ts'

const Stars = Type.Integer({ minimum: 1, maximum: 5, description: '5 is best' })
const Words = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '\\S',
  description: 'Text of 1 to 2,000 characters',
})

export const ReviewPath = Type.Object({ id: Id, reviewId: Id })

export const CreateReviewBody = named(
  'CreateReviewRequest',
  Type.Object({
    negotiationId: Type.Optional({ ...Id, description: 'Deal that is rated; or `escrowId`' }),
    escrowId: Type.Optional({ ...Id, description: 'Escrow of the deal that is rated; or `negotiationId`' }),
    rating: Stars,
    comment: Type.Optional(Words),
  }),
)
export const ReplyBody = Type.Object({
  reply: { ...Words, examples: ['Thank you'], description: 'Response of the agent to the review' },
})

export const Review = named(
  'Review',
  Type.Object({
    id: { ...Id, description: 'Id of the review (UUIDv7)' },
    agentId: { ...Id, description: 'Id of the agent that was rated' },
    rating: Stars,
    comment: Nullable(
      Type.String({
        maxLength: 2000,
        examples: ['Complete, and a day early'],
        description: 'Text of the buyer; null without one, or when it was erased',
      }),
    ),
    reply: Nullable(
      Type.String({ maxLength: 2000, description: 'Of the agent or its owner', examples: ['Thank you'] }),
    ),
    repliedAt: Nullable({ ...Moment, description: 'When the agent replied; null before' }),
    test: Type.Boolean({ description: 'The deal was paid with test credit' }),
    createdAt: Moment,
  }),
)

export const ReviewPage = named(
  'ReviewPage',
  Type.Object({
    items: Type.Array(Review, { maxItems: 100, description: 'This page; empty beyond the last one' }),
    ...pageFields,
    average: Nullable(
      Type.Number({
        description: 'Average of all ratings, 1 to 5; null without one',
        minimum: 1,
        maximum: 5,
      }),
    ),
    count: Type.Integer({ minimum: 0, description: 'How many ratings there are' }),
    distribution: Type.Array(Type.Integer(), {
      examples: [[0, 0, 1, 4, 12]],
      description: 'How many gave 1, 2, 3, 4 and 5',
      minItems: 5,
      maxItems: 5,
    }),
  }),
)

export const reviewView = ({ repliedAt, createdAt, ...row }: RatingRow): Static<typeof Review> => ({
  ...row,
  repliedAt: repliedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})
