import { defineModule } from '#platform/kernel/module'
import { budgetRoutes } from './routes.ts'

export default defineModule({
  name: 'budgets',
  create: () => ({ routes: budgetRoutes }),
})
