import type { Static } from '#platform/http/type'
import { moneyNumber } from '#platform/kernel/money'
import type { Agent } from './agent.ts'
import { presenceOf } from './presence/presence.ts'
import type { AgentRecord } from './schema.ts'

/** The agent as a response. The schema removes the fields that are not public; presence as of `real` time. */
export function agentRecord(agent: Agent, real: Date): Static<typeof AgentRecord> {
  return {
    ...agent,
    pricing: { model: agent.pricingModel, amount: moneyNumber(agent.price), currency: agent.priceCurrency },
    missing: missingOf(agent),
    verificationStatus: verificationOf(agent),
    presence: presenceOf(agent, real),
    stats: { executions: agent.executions, completions: agent.completions, rating: agent.rating },
    createdAt: agent.createdAt.toISOString(),
    updatedAt: agent.updatedAt.toISOString(),
  }
}

/** Recommended fields that the listing leaves empty. */
export function missingOf(agent: Agent): string[] {
  const gaps: [string, boolean][] = [
    ['description', agent.description === ''],
    ['tags', agent.tags.length === 0],
    ['capabilities', agent.capabilities.length === 0],
    ['pricing', agent.price === 0n],
    ['inputSchema', agent.inputSchema === null],
    ['outputSchema', agent.outputSchema === null],
    ['ap2Endpoint', agent.ap2Endpoint === null],
  ]
  return gaps.filter(([, missing]) => missing).map(([name]) => name)
}

function verificationOf(agent: Agent): 'UNVERIFIED' | 'PENDING' | 'VERIFIED' {
  if (agent.trustTier === 'VERIFIED' || agent.trustTier === 'TRUSTED') return 'VERIFIED'
  return agent.status === 'PENDING_REVIEW' ? 'PENDING' : 'UNVERIFIED'
}
