import { escrowEnded, runDeals } from '#ap2'
import { defineModule } from '#platform/kernel/module'
import { callJob } from './call/call.ts'
import { Caller } from './call/request.ts'
import { runChecks } from './check.ts'
import { recordEndOfEscrow } from './end.ts'
import { fetchWaitingRuns } from './inbox.ts'
import { runMetrics } from './metrics.ts'
import { runRoutes } from './routes.ts'
import { runTimers } from './timers.ts'

export default defineModule({
  name: 'runs',
  ledgerChecks: runChecks,
  create(services) {
    const caller = new Caller(services)
    return {
      subscribes: [escrowEnded.with(recordEndOfEscrow)],
      provides: [runDeals.waitingRuns.with(fetchWaitingRuns(services))],
      timers: runTimers(services),
      metrics: runMetrics,
      jobs: [callJob(services, caller)],
      routes: app => runRoutes(app, services),
      stop: () => caller.stop(),
    }
  },
})
