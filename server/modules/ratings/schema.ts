import { Type, type Static } from '#platform/http/type'
import { Id, Moment, named, Nullable, pageFields } from '#platform/http/schema'
import type { RatingRow } from './sql.ts'

const Stars = Type.Integer({ minimum: 1, maximum: 5, description: '5 is best' })
const Words = Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' })

export const ReviewPath = Type.Object({ id: Id, reviewId: Id })

export const CreateReviewBody = named(
  'CreateReviewRequest',
  Type.Object({
    negotiationId: Type.Optional(Id),
    escrowId: Type.Optional(Id),
    rating: Stars,
    comment: Type.Optional(Words),
  }),
)
export const ReplyBody = Type.Object({ reply: { ...Words, examples: ['Thank you'] } })

export const Review = named(
  'Review',
  Type.Object({
    id: Id,
    agentId: Id,
    rating: Stars,
    comment: Nullable(Type.String({ examples: ['Complete, and a day early'] })),
    reply: Nullable(Type.String({ description: 'Of the agent or its owner', examples: ['Thank you'] })),
    repliedAt: Nullable(Moment),
    test: Type.Boolean({ description: 'The deal was paid with test credit' }),
    createdAt: Moment,
  }),
)

export const ReviewPage = named(
  'ReviewPage',
  Type.Object({
    items: Type.Array(Review),
    ...pageFields,
    average: Nullable(Type.Number({ description: 'Null without a rating' })),
    count: Type.Integer(),
    distribution: Type.Array(Type.Integer(), { description: 'How many gave 1, 2, 3, 4 and 5' }),
  }),
)

export const reviewView = ({ repliedAt, createdAt, ...row }: RatingRow): Static<typeof Review> => ({
  ...row,
  repliedAt: repliedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})
