import type { Services } from '#platform/kernel/services'
import type { CallObserver } from '../core/call.ts'
import type { QualityBonus } from '../core/routing.ts'
import { QualityBonuses } from './bonus.ts'
import { GatewayMetrics, type Breakers } from './metrics.ts'
import type { Tracing } from './tracing.ts'

export interface Analytics extends CallObserver {
  /** For stage 2 of the router. */
  qualityBonus: QualityBonus
  /** Reads the outcomes of an account again. */
  loadOutcomes(accountId: string): Promise<void>
  /** Metrics in the text format of Prometheus. */
  metricsText(): Promise<string>
  start(): Promise<void>
  stop(): Promise<void>
}

export function createAnalytics(services: Services, breakers: Breakers): Analytics {
  const bonuses = new QualityBonuses(services)
  const metrics = new GatewayMetrics(breakers)
  let tracing: Tracing | undefined
  return {
    ended(record, { overheadMs, traceparent }) {
      metrics.observe(record, overheadMs)
      tracing?.record(record, { endedAt: services.clock.real(), ...(traceparent ? { traceparent } : {}) })
    },
    qualityBonus: bonuses.of,
    loadOutcomes: accountId => bonuses.load(accountId),
    metricsText: () => metrics.text(),
    async start() {
      bonuses.start()
      tracing = await openTracing(services)
    },
    async stop() {
      await bonuses.stop()
      await tracing?.stop().catch((err: unknown) => services.log.warn({ err }, 'spans not sent'))
    },
  }
}

/** The libraries are loaded only where a receiver is set: they take memory and time of the start. */
async function openTracing({ config }: Pick<Services, 'config'>): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config
  if (endpoint === undefined) return undefined
  const { Tracing } = await import('./tracing.ts')
  const headers = headersOf(config.OTEL_EXPORTER_OTLP_HEADERS)
  return new Tracing({ endpoint, headers, serviceName: config.OTEL_SERVICE_NAME })
}

/** `name=value,name=value` with percent-encoded values, as OpenTelemetry defines it. */
function headersOf(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map(entry => {
      const at = entry.indexOf('=')
      return [entry.slice(0, at).trim(), decodeURIComponent(entry.slice(at + 1).trim())]
    }),
  )
}
