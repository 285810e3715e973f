import { credentials } from '#identity'
import { COMMON, apiError } from '#platform/kernel/errors'
import { defineModule } from '#platform/kernel/module'
import { analyticsRoutes, createAnalytics } from './analytics/index.ts'
import { createCatalog } from './catalog/index.ts'

export default defineModule({
  name: 'gateway',
  create: services => {
    const catalog = createCatalog(services)
    const analytics = createAnalytics(services)
    return {
      provides: [
        credentials.routingKeyProof.with(() => {
          throw apiError(COMMON.UNAUTHORIZED, { hint: 'There are no routing keys yet' })
        }),
      ],
      routes: app => analyticsRoutes(app, services, { catalog }),
      async start() {
        await catalog.start()
        await analytics.start()
      },
      async stop() {
        await analytics.stop()
        await catalog.stop()
      },
    }
  },
})
