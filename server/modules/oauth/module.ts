import { credentials } from '#identity'
import { defineModule } from '#platform/kernel/module'
import { oauthRoutes } from './routes.ts'
import { endCodesOf } from './token.ts'

/** An authorization server (OAuth 2.1) for clients of `/mcp`. */
export default defineModule({
  name: 'oauth',
  create: services => ({
    routes: app => oauthRoutes(app, services),
    subscribes: [credentials.linksEnded.with(endCodesOf)],
  }),
})
