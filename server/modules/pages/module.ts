import { defineModule } from '#platform/kernel/module'
import { openConsole } from './console.ts'
import { consoleRoutes } from './console-routes.ts'
import { pageRoutes } from './routes.ts'

/** The web console, and the pages that links in a mail or a terminal open. */
export default defineModule({
  name: 'pages',
  create: services => {
    const { FRONTEND_URL: frontend, WEB_DIST: folder } = services.config
    const webConsole = openConsole(services)
    return {
      routes(app) {
        pageRoutes(app, services, webConsole)
        consoleRoutes(app, webConsole, frontend)
      },
      async start() {
        if (!frontend && (await webConsole.build.page()) === null)
          services.log.warn({ folder }, 'the web console is not built: run npm run web')
      },
    }
  },
})
