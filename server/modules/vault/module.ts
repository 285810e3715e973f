import { agentKeys } from '#agents'
import { defineModule } from '#platform/kernel/module'
import { part } from '#platform/kernel/sql'
import { dropAbandonedUpload, moveArtifactsOfAgent } from './artifact.ts'
import { artifactAccess, endedDeliveries } from './ports.ts'
import { vaultRoutes } from './routes.ts'

export default defineModule({
  name: 'vault',
  ports: [artifactAccess, endedDeliveries],
  create: services => ({
    timers: [
      {
        name: 'upload cut off',
        table: 'vault_artifact',
        column: 'upload_by',
        where: part`status = 'UPLOADING'`,
        run: dropAbandonedUpload,
      },
    ],
    subscribes: [
      // Until then the creator could upload with a key of its own that is bound to the agent.
      agentKeys.creatorDetached.with((tx, { agentId, ownerId: accountId }) =>
        moveArtifactsOfAgent(tx, { agentId, accountId }),
      ),
    ],
    routes: app => vaultRoutes(app, services),
  }),
})
