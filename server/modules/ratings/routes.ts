import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { Id, pageAnswer, pageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { listRatings, rateAgent, replyToRating } from './rating.ts'
import { CreateReviewBody, ReplyBody, Review, ReviewPage, ReviewPath, reviewView } from './schema.ts'

const tag = 'Agents'
const Path = Type.Object({ id: Id })

export function ratingRoutes(app: App, { config }: Services): void {
  const policy = { testCounts: config.sandbox }
  query(app, {
    method: 'GET',
    url: '/agents/{id}/reviews',
    id: 'listAgentReviews',
    tag,
    summary: 'List the ratings of an agent',
    access: { optional: ['jwt', 'sk', 'sa'] },
    params: Path,
    query: Type.Object(PageQuery),
    success: [200, ReviewPage],
    errors: [403],
    snapshot: true,
    run: async (q, ctx, { params, query }) => {
      const page = pageOf(query)
      const { rows, summary } = await listRatings(q, ctx, params.id, { ...policy, page })
      const { count, mean: average, stars: distribution } = summary
      return { ...pageAnswer(rows.map(reviewView), count, page), average, count, distribution }
    },
  })
  command(app, {
    method: 'POST',
    url: '/agents/{id}/reviews',
    id: 'createAgentReview',
    tag,
    summary: 'Rate an agent after a deal',
    access: { accept: ['jwt', 'sk'], scope: 'ap2:negotiate' },
    params: Path,
    body: CreateReviewBody,
    success: [201, Review],
    errors: [409],
    run: async (tx, ctx, { params, body }) =>
      reviewView(await rateAgent(tx, ctx, { ...body, agentId: params.id }, policy)),
  })
  command(app, {
    method: 'POST',
    url: '/agents/{id}/reviews/{reviewId}/reply',
    id: 'replyToAgentReview',
    tag,
    summary: 'Reply to a rating of your agent',
    access: { accept: ['jwt', 'sk'], scope: 'ap2:negotiate' },
    params: ReviewPath,
    body: ReplyBody,
    success: [201, Review],
    errors: [409],
    run: async (tx, ctx, { params, body }) =>
      reviewView(
        await replyToRating(tx, ctx, { agentId: params.id, reviewId: params.reviewId, reply: body.reply }),
      ),
  })
}
