import { defineModule } from '#platform/kernel/module'
import { clockFollower, loadClock } from './clock.ts'
import { sandboxRoutes } from './routes.ts'

export default defineModule({
  name: 'sandbox',
  sandboxOnly: true,
  create(services) {
    const follower = clockFollower(services)
    return {
      routes: app => sandboxRoutes(app, services),
      async start() {
        await loadClock(services)
        follower.start()
      },
      stop: () => follower.stop(),
    }
  },
})
