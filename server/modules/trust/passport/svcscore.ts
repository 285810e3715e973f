import { agentStats, visibleAgent } from '#agents'
import type { PublicContext } from '#platform/http/principal'
import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { readCertifications } from '../ports.ts'

/** Trust, presence, fulfillment and benchmarks of an agent at one place. */
export async function svcscore(
  q: Queryable,
  ctx: PublicContext,
  agentId: string,
  { clock, publicUrl }: Services,
) {
  const agent = await visibleAgent(q, ctx, { id: agentId })
  const benchmarks = await readCertifications(q, agent.id)
  return {
    agentId: agent.id,
    slug: agent.slug,
    trust: {
      tier: agent.trustTier,
      score: agent.trustScore,
      completions: agent.completions,
      claimed: agent.claimedById !== null,
    },
    presence: agentStats.presenceOf(agent, clock.real()),
    fulfillment: {
      types: agent.fulfillmentTypes,
      taxonomyUrl: `${publicUrl}/.well-known/svc-fulfillment-types.json`,
    },
    benchmarks,
    passportUrl: `${publicUrl}/agents/${agent.id}/passport`,
  }
}

/** The tier of an agent now, for integrations that need nothing else. */
export async function conduitPassport(q: Queryable, ctx: PublicContext, agentId: string, now: Date) {
  const { id, slug, trustTier, trustScore } = await visibleAgent(q, ctx, { id: agentId })
  return { agentId: id, slug, trustTier, trustScore, asOf: now.toISOString() }
}
