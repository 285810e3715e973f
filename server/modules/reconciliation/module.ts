import { openWork } from '#overview'
import { defineModule } from '#platform/kernel/module'
import { dailyReconciliation, reconciliationMetrics } from './daily.ts'
import { railReconciliation } from './port.ts'
import { reconciliationRoutes } from './routes.ts'
import { lastRun } from './sql.ts'

export default defineModule({
  name: 'reconciliation',
  ports: [railReconciliation],
  create(services) {
    const daily = dailyReconciliation(services)
    return {
      routes: app => reconciliationRoutes(app, services),
      metrics: reconciliationMetrics,
      provides: [openWork.with('differences', async q => (await q.maybe(lastRun()))?.open ?? 0)],
      async start() {
        daily.start()
      },
      stop: () => daily.stop(),
    }
  },
})
