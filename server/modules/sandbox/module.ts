import type { Loop } from '#platform/loop'
import type { Module, Services } from '#platform/services'
import { clockFollower, loadClock } from './clock.ts'
import { sandboxRoutes } from './routes.ts'

const followers = new WeakMap<Services, Loop>()

export const sandboxModule: Module = {
  name: 'sandbox',
  sandboxOnly: true,
  routes: sandboxRoutes,
  async start(services) {
    await loadClock(services)
    const follower = clockFollower(services)
    followers.set(services, follower)
    follower.start()
  },
  async stop(services) {
    await followers.get(services)?.stop()
  },
}
