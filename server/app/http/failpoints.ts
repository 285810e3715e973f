import { FAILPOINT_HEADER } from '#platform/kernel/database/failpoints'
import type { DbContext } from '#platform/kernel/db'
import type { App } from '#platform/http/operation'

/** Lets a crash test name the statement at which a request ends the process. Nothing without SVC_FAILPOINTS. */
export function installFailpoints(app: App, { failpoints }: DbContext): void {
  if (!failpoints) return
  app.addHook('preHandler', (request, _reply, done) => {
    failpoints.runRequest(Number(request.headers[FAILPOINT_HEADER]), done)
  })
}
