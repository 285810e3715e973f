import { defineModule } from '#platform/kernel/module'
import { dayFigures, openWork } from './ports.ts'
import { overviewRoutes } from './routes.ts'

/** What an operator sees of the whole service: figures, open work, settings and background work. */
export default defineModule({
  name: 'overview',
  ports: [openWork, dayFigures],
  create: services => ({ routes: app => overviewRoutes(app, services) }),
})
