import { defineModule } from '#platform/kernel/module'
import { pageRoutes } from './routes.ts'

/** The pages that links in a mail or a terminal open. */
export default defineModule({
  name: 'pages',
  create: services => ({ routes: app => pageRoutes(app, services) }),
})
