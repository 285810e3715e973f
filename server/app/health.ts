import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { sql } from '#platform/sql'
import { lastBooks } from './books.ts'

const Health = Type.Object({ status: Type.String({ examples: ['ok'] }) })
const Readiness = Type.Object({ status: Type.String(), database: Type.String(), latencyMs: Type.Number() })

/** `/healthz` the process lives, `/readyz` it can serve, `/metrics` for Prometheus. */
export function healthRoutes(app: App, services: Services): void {
  const { db, log } = services
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
  metricsRoute(app, services)
}

const timeout = (ms: number) => new Promise<boolean>(resolve => { setTimeout(resolve, ms, false).unref() })

function metricsRoute(app: App, services: Services): void {
  const { pool } = services.db
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
      tellBooks(services, registry)
      void reply.type(registry.contentType)
      return registry.metrics()
    },
  })
}

const BOOKS = {
  checkedAt: ['svc_ledger_check_timestamp_seconds', 'When the books were last checked'],
  ok: ['svc_ledger_check_ok', '1 when that check found no fault'],
  faults: ['svc_ledger_faults', 'Faults that it found'],
  suspense: ['svc_suspense_usd', 'Dollars that arrived and belong to nobody yet (account 2070)'],
  suspended: ['svc_payments_suspended', 'Card payments that fit none of ours and wait for an operator'],
  unanswered: ['svc_payments_unanswered', 'Charges of which the processor has not told for 15 minutes'],
  longFrozen: ['svc_escrows_frozen_long', 'Escrows that stand frozen for 7 days or longer'],
} as const

/** Figures of the last look at the books; none before the first, so that nobody takes zeros for good news. */
function tellBooks(services: Services, registry: Registry): void {
  const books = lastBooks(services)
  if (!books) return
  for (const [figure, [name, help]] of Object.entries(BOOKS)) {
    const gauge = registry.getSingleMetric(name) as Gauge | undefined ?? new Gauge({ name, help, registers: [registry] })
    gauge.set(books[figure as keyof typeof BOOKS])
  }
}
