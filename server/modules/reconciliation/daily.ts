import { after, DAY, HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import { Loop } from '#platform/kernel/background/loop'
import { lastResult, runIfDue } from '#platform/kernel/background/task'
import type { ModuleMetrics } from '#platform/kernel/module'
import type { Services } from '#platform/kernel/services'
import { reconcile } from './run.ts'
import * as statements from './sql.ts'

const TASK = 'reconciliation'
/** What is younger may still be under way. */
const UNDER_WAY = HOUR
/** How far back the first run looks. */
const FIRST_PERIOD = 7 * DAY

/** Compares once a day, on one instance for all, what happened since the last daily run. */
export const dailyReconciliation = (services: Services): Loop =>
  new Loop(TASK, MINUTE, services.log, () => reconcileIfDue(services))

export async function reconcileIfDue(services: Services): Promise<void> {
  const { db, log } = services
  await runIfDue(db, log, { name: TASK, everyMs: DAY, run: () => reconcileSinceLastRun(services) })
}

/** ApiErrors and NoAnswer end the run: it is repeated after some minutes, from the same moment on. */
async function reconcileSinceLastRun(services: Services): Promise<{ finishedAt: number }> {
  const { db, clock } = services
  const to = after(clock.now(), -UNDER_WAY)
  const { toAt } = await db.one(statements.lastDailyEnd())
  const from = toAt ?? after(to, -FIRST_PERIOD)
  if (from < to) await reconcile(services, { from, to, repair: true, trigger: 'DAILY' })
  return { finishedAt: Math.floor(clock.real().getTime() / SECOND) }
}

export const reconciliationMetrics: ModuleMetrics = {
  help: {
    svc_reconciliation_timestamp_seconds: 'When the last daily reconciliation finished',
    svc_reconciliation_open: 'Differences of the last reconciliation that need an operator',
  },
  async read(q) {
    const daily = await lastResult<{ finishedAt: number }>(q, TASK)
    const run = await q.maybe(statements.lastRun())
    return {
      ...(daily ? { svc_reconciliation_timestamp_seconds: daily.finishedAt } : {}),
      ...(run ? { svc_reconciliation_open: run.open } : {}),
    }
  },
}
