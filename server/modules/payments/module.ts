import type { Module, Services } from '#platform/services'
import { paymentJobs, paymentTimers } from './outcome.ts'
import { sandboxProcessor } from './processor.ts'
import { paymentRoutes } from './routes.ts'

export const paymentsModule: Module = {
  name: 'payments',
  routes: paymentRoutes,
  timers: paymentTimers,
  jobs: paymentJobs,
  async start(services: Services) {
    if (services.config.sandbox) sandboxProcessor(services).notifier.start()
  },
  async stop(services: Services) {
    if (services.config.sandbox) await sandboxProcessor(services).notifier.stop()
  },
}
