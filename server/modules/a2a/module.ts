import { defineModule } from '#platform/kernel/module'
import { part } from '#platform/kernel/sql'
import { protocolRoutes } from './protocol/routes.ts'
import { expireRequest } from './requests/request.ts'
import { requestRoutes } from './requests/routes.ts'
import { statusRoutes } from './status/routes.ts'

export default defineModule({
  name: 'a2a',
  create: services => ({
    routes(app) {
      statusRoutes(app, services)
      requestRoutes(app)
      protocolRoutes(app, services)
    },
    timers: [
      {
        name: 'a2a request unanswered',
        table: 'a2a_request',
        column: 'expires_at',
        where: part`status = 'PENDING'`,
        run: expireRequest,
      },
    ],
  }),
})
