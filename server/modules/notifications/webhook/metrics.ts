import { SECOND } from '#platform/kernel/clock'
import type { ModuleMetrics } from '#platform/kernel/module'
import { sql } from '#platform/kernel/sql'

/** Whether the webhooks of agents arrive. */
export const webhookMetrics: ModuleMetrics = {
  help: {
    svc_webhooks_pending: 'Deliveries of webhooks that wait or are retried',
    svc_webhooks_oldest_seconds: 'Age of the oldest of them',
    svc_webhooks_disabled: 'Endpoints that were disabled because nothing arrived',
  },
  async read(q, now) {
    const { pending, oldest, disabled } = await q.one(waiting())
    return {
      svc_webhooks_pending: pending,
      svc_webhooks_oldest_seconds: oldest ? Math.max(0, Number(now) - Number(oldest)) / SECOND : 0,
      svc_webhooks_disabled: disabled,
    }
  },
}

const waiting = () => sql<{ pending: number; oldest: Date | null; disabled: number }>`
  select count(*)::int as pending, min(created_at) as oldest,
    (select count(*)::int from notifications_endpoint where status = 'DISABLED') as disabled
  from notifications_delivery where status = 'PENDING'`
