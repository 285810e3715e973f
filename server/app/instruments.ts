import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { LedgerMonitor } from './ledger-monitor.ts'

/** What Prometheus reads, beside the defaults of the library. */
export function openInstruments() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    duration: new Histogram({
      name: 'svc_http_request_seconds',
      help: 'Time to answer, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers: [registry],
    }),
    errors: new Counter({
      name: 'svc_http_errors_total',
      help: 'Answers with status 500 and above',
      registers: [registry],
    }),
    connections: new Gauge({
      name: 'svc_database_connections',
      help: 'Connections of the pool',
      labelNames: ['state'],
      registers: [registry],
    }),
    setFigures: (monitor: Pick<LedgerMonitor, 'help' | 'figures'>) => setFigures(registry, monitor),
  }
}

/** Figures of the last checks; none before the first, so that zeros are never mistaken for a result. */
function setFigures(registry: Registry, { help, figures }: Pick<LedgerMonitor, 'help' | 'figures'>): void {
  for (const [name, text] of Object.entries(help)) {
    const value = figures[name]
    if (value === undefined) continue
    const gauge =
      (registry.getSingleMetric(name) as Gauge | undefined) ??
      new Gauge({ name, help: text, registers: [registry] })
    gauge.set(value)
  }
}
