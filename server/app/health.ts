import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { sql } from '#platform/sql'

const Health = Type.Object({ status: Type.String({ examples: ['ok'] }), reason: Type.Optional(Type.String({ description: 'Why the process cannot serve any more' })) })
const Readiness = Type.Object({ status: Type.String(), database: Type.String(), latencyMs: Type.Number() })

/** `/healthz`: the process works or can recover by itself; `/readyz`: it can serve now. */
export function healthRoutes(app: App, { db, log, health }: Services): void {
  const common = { method: 'GET' as const, tag: 'Operations', auth: 'none' as const, unlimited: true }
  route(app, {
    ...common, url: '/healthz', id: 'getHealth', steady: true, summary: 'Whether the process lives', reply: { 200: Health, 503: Health },
    handle: async ({ reply }) => {
      if (health.failure === null) return { status: 'ok' }
      void reply.code(503)
      return { status: 'failed', reason: health.failure }
    },
  })
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
