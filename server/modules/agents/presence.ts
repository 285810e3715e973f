import { MINUTE, SECOND } from '#platform/clock'
import type { Agent } from './agent.ts'

/** A heartbeat is good for this long, then stale, then the agent counts as offline. */
export const PRESENCE_TTL = 90 * SECOND
export const PRESENCE_STALE = 10 * MINUTE

type Seen = Pick<Agent, 'lastSeenAt' | 'presenceStatus' | 'presenceLoad'>

/** What the last heartbeat says at `real` time. */
export function presenceOf(agent: Seen, real: Date) {
  const age = agent.lastSeenAt ? Math.max(0, real.getTime() - agent.lastSeenAt.getTime()) : null
  const freshness = freshnessOf(age)
  const known = freshness === 'live' || freshness === 'stale'
  return {
    status: known ? agent.presenceStatus : freshness === 'never' ? ('unknown' as const) : ('offline' as const),
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
