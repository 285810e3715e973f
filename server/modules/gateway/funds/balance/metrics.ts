import type { ModuleMetrics } from '#platform/kernel/module'
import { sql } from '#platform/kernel/sql'

/** Figures of the leases of all instances. */
export const fundsMetrics: ModuleMetrics = {
  help: {
    svc_routing_leases_open: 'Leases of routing balances that are open',
    svc_routing_leases_expired:
      'Leases that expired and are not closed yet: the sweeper does so within seconds',
    svc_routing_leased_usd: 'Money and test credit in leases',
  },
  async read(q) {
    const { open, expired, leased } = await q.one(sql<{ open: number; expired: number; leased: number }>`
      select count(*)::int as open, (count(*) filter (where l.expires_at <= clock_timestamp()))::int as expired,
        coalesce(sum(b.balance), 0)::float / 1e6 as leased
      from gateway_lease l left join ledger_balance b on b.account = case when l.test then '2046:' else '2045:' end || l.id and b.asset = 'USD'
      where l.status = 'OPEN'`)
    return {
      svc_routing_leases_open: open,
      svc_routing_leases_expired: expired,
      svc_routing_leased_usd: leased,
    }
  },
}
