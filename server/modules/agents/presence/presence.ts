import { after, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { Agent } from '../agent.ts'
import { setSeen } from '../sql.ts'

/** How long a heartbeat, or a use of the agent's key, counts as live, and then as stale; afterwards the agent is offline. */
export const PRESENCE_TTL = 90 * SECOND
export const PRESENCE_STALE = 10 * MINUTE

type Seen = Pick<Agent, 'lastSeenAt' | 'presenceStatus' | 'presenceLoad'>

/** The presence at `real` time according to the last heartbeat or use of a key. */
export function presenceOf(agent: Seen, real: Date) {
  const age = agent.lastSeenAt ? Math.max(0, real.getTime() - agent.lastSeenAt.getTime()) : null
  const freshness = freshnessOf(age)
  const known = freshness === 'live' || freshness === 'stale'
  return {
    status: known
      ? agent.presenceStatus
      : freshness === 'never'
        ? ('unknown' as const)
        : ('offline' as const),
    lastSeenAt: agent.lastSeenAt?.toISOString() ?? null,
    ageSeconds: age === null ? null : Math.floor(age / SECOND),
    ttlSeconds: PRESENCE_TTL / SECOND,
    freshness,
    load: known ? agent.presenceLoad : null,
    asOf: real.toISOString(),
  }
}

function freshnessOf(ageMs: number | null): 'live' | 'stale' | 'expired' | 'never' {
  if (ageMs === null) return 'never'
  return ageMs <= PRESENCE_TTL ? 'live' : ageMs <= PRESENCE_STALE ? 'stale' : 'expired'
}

/**
 * Subscriber of `agent_key.used`, and for what an agent leaves open, such as a stream: it is there. It counts as available
 * unless a heartbeat of the last ten minutes says otherwise.
 */
export async function noteSeenAgent(
  tx: Tx,
  { agentId, real }: { agentId: string; real: Date },
): Promise<void> {
  await tx.run(setSeen(agentId, { real, heardSince: after(real, -PRESENCE_STALE) }))
}
