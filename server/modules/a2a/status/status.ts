import { agentRecord, visibleAgent } from '#agents'
import type { Db } from '#platform/kernel/db'
import type { PublicContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import type { EndpointProbe } from './probe.ts'

/** Different agents may name one host: it is asked at most this often in a minute. */
const PER_HOST = 20

/** Whether an agent can be reached: its endpoint answers, or the agent itself reports to the service. */
export async function connectivityOf(
  db: Db,
  ctx: PublicContext,
  slug: string,
  { probe, services: { clock, limits } }: { probe: EndpointProbe; services: Services },
) {
  const agent = await visibleAgent(db, ctx, { slug })
  const { ap2Endpoint: endpoint, presence } = agentRecord(agent, clock.real())
  const reports = presence.freshness === 'live' && presence.status !== 'offline'
  const common = { slug: agent.slug, endpoint }
  if (endpoint === null)
    return {
      ...common,
      connected: agent.status === 'ACTIVE' && reports,
      reachable: false,
      lastCheckedAt: null,
      latencyMs: null,
      protocolVersion: null,
    }
  if (!probe.known(endpoint)) await limits.requireQuota(`ap2-status ${hostOf(endpoint)}`, PER_HOST, 60)
  // Another caller may have asked while the limit was counted.
  const { reachable, checkedAt, latencyMs, protocolVersion } = await (probe.known(endpoint) ??
    probe.ask(endpoint))
  return {
    ...common,
    connected: agent.status === 'ACTIVE' && (reachable || reports),
    reachable,
    lastCheckedAt: checkedAt.toISOString(),
    latencyMs,
    protocolVersion,
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
