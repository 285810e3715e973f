import { defineModule } from '#platform/kernel/module'
import { part } from '#platform/kernel/sql'
import { dropAbandonedUpload } from './artifact.ts'
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
    routes: app => vaultRoutes(app, services),
  }),
})
