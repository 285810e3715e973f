import { agentStats } from '#agents'
import type { Deal } from '../deal/deal.ts'
import { UNFUNDED } from '../deal/negotiation-machine.ts'
import type { Side } from '../deal/rows.ts'

/** The agent because of which a deal can neither be accepted nor paid now, with the code of the error. */
export interface UnavailableAgent {
  party: Side
  code: NonNullable<ReturnType<typeof agentStats.untradableCode>>
}

/** Null where both agents take deals, and for a deal that is paid or has ended: it needs them no more. */
export function unavailableAgentOf({
  negotiation,
  buyerAgent,
  sellerAgent,
}: Pick<Deal, 'negotiation' | 'buyerAgent' | 'sellerAgent'>): UnavailableAgent | null {
  if (!UNFUNDED.includes(negotiation.status)) return null
  const agents = [
    ['seller', sellerAgent],
    ['buyer', buyerAgent],
  ] as const
  for (const [party, agent] of agents) {
    const code = agent && agentStats.untradableCode(agent)
    if (code) return { party, code }
  }
  return null
}
