import { defineModule } from '#platform/kernel/module'
import { spendingRoutes } from './routes.ts'

export default defineModule({
  name: 'spending',
  create: () => ({ routes: spendingRoutes }),
})
