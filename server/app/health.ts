import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { sql } from '#platform/sql'

const Health = Type.Object({ status: Type.String({ examples: ['ok'] }) })
const Readiness = Type.Object({ status: Type.String(), database: Type.String(), latencyMs: Type.Number() })

/** `/healthz` the process lives, `/readyz` it can serve. */
export function healthRoutes(app: App, { db, log }: Services): void {
  const common = { method: 'GET' as const, tag: 'Operations', auth: 'none' as const, unlimited: true }
  route(app, { ...common, url: '/healthz', id: 'getHealth', steady: true, summary: 'Whether the process lives', reply: { 200: Health }, handle: async () => ({ status: 'ok' }) })
  route(app, {
    ...common, url: '/readyz', id: 'getReadiness', never: [500], summary: 'Whether the service can serve: the database answers', reply: { 200: Readiness, 503: Readiness },
    handle: async ({ reply }) => {
      const started = performance.now()
      const reached = await Promise.race([db.run(sql`select 1`).then(() => true), timeout(2000)]).catch((error: unknown) => {
        log.warn({ err: error }, 'not ready')
        return false
      })
      if (!reached) void reply.code(503)
      return { status: reached ? 'ok' : 'unavailable', database: reached ? 'ok' : 'no answer', latencyMs: Math.round(performance.now() - started) }
    },
  })
}

const timeout = (ms: number) => new Promise<boolean>(resolve => { setTimeout(resolve, ms, false).unref() })
