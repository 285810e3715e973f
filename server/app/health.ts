import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { sql } from '#platform/sql'

const Health = Type.Object({ status: Type.String({ examples: ['ok'] }) })
const Readiness = Type.Object({ status: Type.String(), database: Type.String(), latencyMs: Type.Number() })

/** `/healthz` the process lives, `/readyz` it can serve, `/metrics` for Prometheus. */
export function healthRoutes(app: App, { db, log }: Services): void {
  const common = { method: 'GET' as const, tag: 'Operations', auth: 'none' as const, unlimited: true }
  route(app, { ...common, url: '/healthz', id: 'getHealth', summary: 'Whether the process lives', reply: { 200: Health }, handle: async () => ({ status: 'ok' }) })
  route(app, {
    ...common, url: '/readyz', id: 'getReadiness', summary: 'Whether the service can serve: the database answers', reply: { 200: Readiness, 503: Readiness },
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
  metricsRoute(app, db.pool)
}

const timeout = (ms: number) => new Promise<boolean>(resolve => { setTimeout(resolve, ms, false).unref() })

function metricsRoute(app: App, pool: Services['db']['pool']): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'svc_http_request_seconds', help: 'Time to answer, by route and status', labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10], registers: [registry],
  })
  const errors = new Counter({ name: 'svc_http_errors_total', help: 'Answers with status 500 and above', registers: [registry] })
  const connections = new Gauge({ name: 'svc_database_connections', help: 'Connections of the pool', labelNames: ['state'], registers: [registry] })
  app.addHook('onResponse', async (request, reply) => {
    duration.observe({ method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode }, reply.elapsedTime / 1000)
    if (reply.statusCode >= 500) errors.inc()
  })
  route(app, {
    method: 'GET', url: '/metrics', id: 'getMetrics', tag: 'Operations', summary: 'Metrics for Prometheus', auth: 'none', unlimited: true,
    produces: 'text/plain', reply: { 200: Type.String() },
    handle: async ({ reply }) => {
      connections.set({ state: 'total' }, pool.totalCount)
      connections.set({ state: 'idle' }, pool.idleCount)
      connections.set({ state: 'waiting' }, pool.waitingCount)
      void reply.type(registry.contentType)
      return registry.metrics()
    },
  })
}
