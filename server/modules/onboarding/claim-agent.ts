import { visibleAgent, type Agent, agentKeys } from '#agents'
import { moveDealsOfClaimedAgent } from '#ap2'
import { moveMarketOfClaimedAgent } from '#market'
import { endPayoutsOfClaimedAgent } from '#payouts'
import { recountRatings } from '#ratings'
import { moveRunsOfClaimedAgent } from '#runs'
import type { RequestContext, SessionPrincipal } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { reevaluateClaimedAgent } from '#trust'
import { moveArtifactsOfAgent } from '#vault'

/**
 * Makes the caller the owner of an agent: with its wallet and keys, its trust tier, its rating, its live deals, its files, and
 * its open needs and offers. Its payout destination, and payouts that are not sent, end. Errors: 404 for an unknown, expired or
 * used token, 409 if a person owns the agent already, or the caller has as many agents as an account may.
 */
export async function claimAgent(
  tx: Tx,
  ctx: RequestContext<SessionPrincipal>,
  token: string,
  services: Pick<Services, 'jobs' | 'config'>,
): Promise<Agent> {
  const testCounts = services.config.sandbox
  const { accountId } = ctx.principal
  const agent = await agentKeys.transferAgentToClaimer(tx, ctx, token, services)
  await endPayoutsOfClaimedAgent(tx, services, { agentId: agent.id, accountId })
  await reevaluateClaimedAgent(tx, agent)
  await recountRatings(tx, agent, { testCounts })
  await moveDealsOfClaimedAgent(tx, { agentId: agent.id, accountId })
  await moveArtifactsOfAgent(tx, { agentId: agent.id, accountId })
  await moveRunsOfClaimedAgent(tx, { agentId: agent.id, accountId })
  const accounts = { from: agent.creatorId, to: accountId }
  await moveMarketOfClaimedAgent(tx, { agentId: agent.id, ...accounts })
  return visibleAgent(tx, ctx, { id: agent.id })
}
