import type { ModuleMetrics } from '#platform/kernel/module'
import { sql } from '#platform/kernel/sql'

/** What operators watch of runs. */
export const runMetrics: ModuleMetrics = {
  help: {
    svc_runs_live: 'Runs that have not ended',
    svc_runs_unsettled: 'Ended runs that are neither paid nor refunded, because their escrow is frozen',
  },
  async read(q) {
    const { live, unsettled } = await q.one(sql<{ live: number; unsettled: number }>`
      select (select count(*)::int from runs_run where ended_at is null) as live,
        (select count(*)::int from runs_run where payment_due_at is not null) as unsettled`)
    return { svc_runs_live: live, svc_runs_unsettled: unsettled }
  },
}
