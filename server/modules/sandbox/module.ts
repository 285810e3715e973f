import { defineModule } from '#platform/kernel/module'
import { clockFollower, loadClock } from './clock.ts'
import { sandboxRoutes } from './routes.ts'
import { hasSamples, sampleWorker } from './samples.ts'

export default defineModule({
  name: 'sandbox',
  sandboxOnly: true,
  create(services) {
    const follower = clockFollower(services)
    const worker = sampleWorker(services)
    return {
      routes: app => sandboxRoutes(app, services, worker),
      async start() {
        await loadClock(services)
        follower.start()
        if (await hasSamples(services.db)) worker.start()
      },
      stop: async () => {
        await Promise.all([follower.stop(), worker.stop()])
      },
    }
  },
})
