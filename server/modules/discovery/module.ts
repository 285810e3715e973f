import { defineModule } from '#platform/kernel/module'
import { discoveryRoutes } from './routes.ts'

/** Documents that say what the service does, for programs that find it. */
export default defineModule({
  name: 'discovery',
  create: services => ({ routes: app => discoveryRoutes(app, services) }),
})
