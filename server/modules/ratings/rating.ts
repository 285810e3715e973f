import { agentById, agentStats, lockAgentIfAny, requireAgent, visibleAgent } from '#agents'
import { purchases } from '#ap2'
import { erasure, IDENTITY } from '#identity'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import { isId, newId } from '#platform/kernel/id'
import type { Page } from '#platform/http/schema'
import type { PublicContext, RequestContext } from '#platform/http/principal'
import { RATINGS } from './errors.ts'
import * as statements from './sql.ts'
import type { RatingRow } from './sql.ts'

export interface RatingInput {
  negotiationId?: string
  escrowId?: string
  rating: number
  comment?: string
}

/** Whether deals that were paid with test credit count, as in trust: in sandbox mode. */
export interface Policy {
  testCounts: boolean
}

/**
 * Rates an agent after a deal. Errors beyond those of the deal: 403 for a deal with oneself, 400 for a deal with another
 * agent, 409 for a deal that has been rated, or whose payment a bank took back.
 */
export async function rateAgent(
  tx: Tx,
  ctx: RequestContext,
  input: RatingInput & { agentId: string },
  { testCounts }: Policy,
): Promise<RatingRow> {
  // Private ones too: their sellers could choose who rates them.
  const agent = await agentById(tx, input.agentId)
  if (!agent) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  const deal = await purchases.requireCompletedPurchase(tx, ctx, input, { action: 'rate', now: tx.now })
  if (deal.sellerAgentId !== agent.id) throw invalid('the deal is with another agent')
  // Who claimed the agent after the deal is its owner too.
  if (deal.selfDeal || [agent.ownerId, agent.creatorId].includes(ctx.principal.accountId))
    throw apiError(RATINGS.SELF_DEAL_NOT_RATED)
  // A suspension waits for the rating, or the rating for the suspension.
  const status = await erasure.lockAgainstDeletion(tx, [ctx.principal.accountId])
  const row = await tx.one(
    statements.insertRating({
      id: newId(),
      agentId: agent.id,
      negotiationId: deal.negotiationId,
      authorId: ctx.principal.accountId,
      authorSuspended: status.get(ctx.principal.accountId) === 'SUSPENDED',
      rating: input.rating,
      comment: input.comment?.trim() || null,
      test: deal.test,
      createdAt: tx.now,
    }),
  )
  // The new row locks the deal: a chargeback comes before this, or finds the rating.
  await purchases.requireRetainedPayment(tx, deal.escrow)
  // Ratings of one agent at the same time count one after the other.
  await lockAgentIfAny(tx, agent.id)
  await recountRatings(tx, agent, { testCounts })
  return row
}

/** The mean of an agent that the caller has locked, such as after a claim: ratings of its new owner count no more. */
export async function recountRatings(tx: Tx, agent: statements.Rated, { testCounts }: Policy): Promise<void> {
  const { mean } = await tx.one(statements.summaryOf(agent, testCounts))
  await agentStats.writeRating(tx, agent.id, mean)
}

/** Subscriber of a suspension and of its end: ratings by a suspended account do not count. */
export const noteAuthor =
  ({ isSuspended, testCounts }: Policy & { isSuspended: boolean }) =>
  async (tx: Tx, { accountId }: { accountId: string }): Promise<void> => {
    const agentIds = (await tx.rows(statements.ratedBy(accountId))).map(({ agentId }) => agentId)
    if (!agentIds.length) return
    // Before the means are read: a rating by another buyer counts before or after this one.
    await agentStats.lockAgents(tx, agentIds)
    await tx.run(statements.setAuthorSuspended(accountId, isSuspended))
    await agentStats.writeRatings(tx, await tx.rows(statements.meansOf(agentIds, testCounts)))
  }

/** Subscriber of a chargeback: a deal that was not paid is not rated either. */
export const discountRatingOfChargedBackDeal =
  ({ testCounts }: Policy) =>
  async (tx: Tx, { negotiationId, annuls }: { negotiationId: string; annuls: boolean }): Promise<void> => {
    const rated = annuls ? await tx.maybe(statements.setChargedBack(negotiationId)) : undefined
    const agent = rated && (await lockAgentIfAny(tx, rated.agentId))
    if (agent) await recountRatings(tx, agent, { testCounts })
  }

/** Answers a rating once, as whoever operates the agent. Errors: 404 for an unknown one, 409 if it is answered. */
export async function replyToRating(
  tx: Tx,
  ctx: RequestContext,
  { agentId, reviewId, reply }: { agentId: string; reviewId: string; reply: string },
): Promise<RatingRow> {
  const agent = await requireAgent(tx, ctx, agentId)
  const row = isId(reviewId) ? await tx.maybe(statements.lockRating(reviewId, agent.id)) : undefined
  if (!row) throw apiError(RATINGS.REVIEW_NOT_FOUND)
  if (row.repliedAt) throw apiError(RATINGS.REVIEW_ANSWERED)
  return tx.one(
    statements.setReply(row.id, { text: reply.trim(), byId: ctx.principal.accountId, at: tx.now }),
  )
}

/** The ratings of an agent, newest first, with their mean. Buyers are not named. */
export async function listRatings(
  q: Queryable,
  ctx: PublicContext,
  agentId: string,
  { page, testCounts }: Policy & { page: Page },
) {
  const agent = await visibleAgent(q, ctx, { id: agentId })
  const [rows, summary] = await Promise.all([
    q.rows(statements.ratingsOf(agent, testCounts, page)),
    q.one(statements.summaryOf(agent, testCounts)),
  ])
  return { rows, summary }
}

/** Erases what a deleted account wrote. Its ratings remain, as numbers without a name. */
export async function eraseRatingTextOf(tx: Tx, accountId: string): Promise<void> {
  await tx.run(statements.eraseCommentsOf(accountId))
  await tx.run(statements.eraseRepliesOf(accountId))
}
