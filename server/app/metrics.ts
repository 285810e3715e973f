import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#platform/http/type'
import type { Config } from '#platform/kernel/config'
import { apiError, errorTable } from '#platform/kernel/errors'
import { hook } from '#platform/http/hook'
import { page, type App } from '#platform/http/operations'
import { media } from '#platform/http/response'
import { sameText } from '#platform/kernel/secrets'
import type { Services } from '#platform/kernel/services'
import type { LedgerMonitor } from './ledger-monitor.ts'
import type { RunningModule } from './modules.ts'

const METRICS = errorTable({
  METRICS_CLOSED: [401, 'Unauthorized'],
})

/** `/metrics` for Prometheus: open in sandbox mode, otherwise requires METRICS_TOKEN: the figures are commercially sensitive. */
export function metricsRoute(
  app: App,
  services: Services,
  { monitor, modules }: { monitor: LedgerMonitor; modules: readonly RunningModule[] },
): void {
  const { pool } = services.db
  let loaded: Instruments | undefined
  let opened: Promise<Instruments> | undefined
  const instruments = () => (opened ??= openInstruments().then(all => (loaded = all)))
  const observe = (
    { duration, errors }: Instruments,
    { method, routeOptions }: FastifyRequest,
    { statusCode: status, elapsedTime }: FastifyReply,
  ): void => {
    duration.observe({ method, route: routeOptions.url ?? 'unknown', status }, elapsedTime / 1000)
    if (status >= 500) errors.inc()
  }
  app.addHook(
    'onResponse',
    hook((request, reply) => {
      if (loaded) return observe(loaded, request, reply)
      return instruments().then(all => observe(all, request, reply))
    }),
  )
  page(app, {
    method: 'GET',
    url: '/metrics',
    id: 'getMetrics',
    tag: 'Operations',
    summary: 'Get metrics for Prometheus',
    access: 'public',
    skipGeneralLimits: true,
    databaseFree: true,
    produces: 'text/plain',
    success: [200, Type.String()],
    errors: [401],
    description:
      'In production mode, and wherever METRICS_TOKEN is set, requires `Authorization: Bearer METRICS_TOKEN`.',
    run: async (_, { http }) => {
      requireToken(services.config, http.headers.authorization)
      const { registry, connections, setFigures } = await instruments()
      connections.set({ state: 'total' }, pool.totalCount)
      connections.set({ state: 'idle' }, pool.idleCount)
      connections.set({ state: 'waiting' }, pool.waitingCount)
      setFigures(monitor)
      const texts = [registry.metrics(), ...modules.flatMap(({ instance }) => instance.metricsText?.() ?? [])]
      return media((await Promise.all(texts)).join('\n'), registry.contentType)
    },
  })
}

type Instruments = Awaited<ReturnType<typeof openInstruments>>

/** With the first answer: the library would take 35 ms of each start. */
const openInstruments = async () => (await import('./instruments.ts')).openInstruments()

function requireToken({ METRICS_TOKEN: token, sandbox }: Config, authorization = ''): void {
  if (!token && sandbox) return
  if (!token) throw apiError(METRICS.METRICS_CLOSED, { hint: 'The operator has not set METRICS_TOKEN' })
  if (!sameText(authorization, `Bearer ${token}`))
    throw apiError(METRICS.METRICS_CLOSED, { hint: 'Send Authorization: Bearer METRICS_TOKEN' })
}
