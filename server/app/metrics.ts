import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Config } from '#platform/config'
import { fault, faultTable } from '#platform/fault'
import { route, type App } from '#platform/http/route'
import { sameText } from '#platform/secrets'
import type { Services } from '#platform/services'
import { lastChecks } from './books.ts'

const METRICS = faultTable({
  METRICS_CLOSED: [401, 'Unauthorized'],
})

/** `/metrics` for Prometheus: open in sandbox mode, else for who sends METRICS_TOKEN, for it tells how business goes. */
export function metricsRoute(app: App, services: Services): void {
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
    method: 'GET', url: '/metrics', id: 'getMetrics', tag: 'Operations', summary: 'Get metrics for Prometheus', auth: 'none', unlimited: true, steady: true,
    produces: 'text/plain', reply: { 200: Type.String() }, errors: [401], description: 'With METRICS_TOKEN set, and always in production: Authorization: Bearer METRICS_TOKEN.',
    handle: async ({ request, reply }) => {
      demandToken(services.config, request.headers.authorization)
      connections.set({ state: 'total' }, pool.totalCount)
      connections.set({ state: 'idle' }, pool.idleCount)
      connections.set({ state: 'waiting' }, pool.waitingCount)
      setChecks(services, registry)
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
  unanswered: ['svc_payments_unanswered', 'Payments whose outcome the processor has not reported for 15 minutes'],
  unposted: ['svc_payments_unposted', 'Reports of the processor that moved money and could not be posted: mismatches, disputes, refunds'],
  longFrozen: ['svc_escrows_frozen_long', 'Escrows that stand frozen for 7 days or longer'],
} as const

const EVIDENCE = {
  verifiedAt: ['svc_audit_verify_timestamp_seconds', 'When the chains of ledger and audit log were last verified'],
  verified: ['svc_audit_verify_ok', '1 when both chains verified'],
  chainFaults: ['svc_audit_faults', 'Faults that the verification found'],
} as const

/** Figures of the last checks; none before the first, so that zeros are never mistaken for a result. */
function setChecks(services: Services, registry: Registry): void {
  const { books, evidence } = lastChecks(services)
  if (books) setFigures(registry, BOOKS, books)
  if (evidence) setFigures(registry, EVIDENCE, evidence)
}

function setFigures<Figure extends string>(registry: Registry, names: Record<Figure, readonly [string, string]>, figures: Record<Figure, number>): void {
  for (const [figure, [name, help]] of Object.entries<readonly [string, string]>(names)) {
    const gauge = registry.getSingleMetric(name) as Gauge | undefined ?? new Gauge({ name, help, registers: [registry] })
    gauge.set(figures[figure as Figure])
  }
}

function demandToken({ METRICS_TOKEN: token, sandbox }: Config, authorization = ''): void {
  if (!token && sandbox) return
  if (!token) throw fault(METRICS.METRICS_CLOSED, { hint: 'The operator has not set METRICS_TOKEN' })
  if (!sameText(authorization, `Bearer ${token}`)) throw fault(METRICS.METRICS_CLOSED, { hint: 'Send Authorization: Bearer METRICS_TOKEN' })
}
