import { defineModule } from '#platform/kernel/module'
import { Confirmations } from './protocol/confirmations.ts'
import { mcpRoutes } from './routes.ts'

export default defineModule({
  name: 'mcp',
  create: services => {
    const confirmations = new Confirmations(services)
    return {
      routes: app => mcpRoutes(app, services, confirmations),
      stop: () => confirmations.stop(),
    }
  },
})
