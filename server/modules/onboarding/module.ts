import { defineModule } from '#platform/kernel/module'
import { claimRoute } from './claim-route.ts'
import { secondErasure } from './delete-account.ts'
import { deletionRoutes } from './deletion-routes.ts'
import { registerRoutes } from './routes.ts'

export default defineModule({
  name: 'onboarding',
  create: services => ({
    timers: [secondErasure(services)],
    routes(app) {
      registerRoutes(app, services)
      claimRoute(app, services)
      deletionRoutes(app, services)
    },
  }),
})
