import { Type } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import { respond } from '#platform/http/response'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'

const Health = Type.Object({
  status: Type.String({ examples: ['ok'], description: 'ok, or failed' }),
  reason: Type.Optional(Type.String({ description: 'Why the process must be restarted' })),
})
const Readiness = Type.Object({
  status: Type.String({ description: 'ok, or unavailable' }),
  database: Type.String({ description: 'ok, or no answer' }),
  latencyMs: Type.Number({ minimum: 0, description: 'Milliseconds until the database responded' }),
})

const PROBE_MS = 1000

/** `/healthz`: the process works or can recover by itself; `/readyz`: it can serve now. */
export function healthRoutes(app: App, services: Services): void {
  const { health } = services
  const probe = databaseProbe(services)
  const common = { method: 'GET', tag: 'Operations', access: 'public', skipGeneralLimits: true } as const
  query(app, {
    ...common,
    url: '/healthz',
    id: 'getHealth',
    databaseFree: true,
    summary: 'Check whether the process works',
    success: [200, Health],
    otherResponses: {
      503: {
        ...Health,
        description: 'The process cannot recover: restart it.',
        examples: [{ status: 'failed', reason: 'the event loop is blocked' }],
      },
    },
    run: async () => {
      if (health.failure === null) return { status: 'ok' }
      return respond({ status: 'failed', reason: health.failure }, { status: 503 })
    },
  })
  query(app, {
    ...common,
    url: '/readyz',
    id: 'getReadiness',
    excludeErrors: [500],
    summary: 'Check whether the service is ready',
    success: [200, Readiness],
    otherResponses: {
      503: {
        ...Readiness,
        description:
          'Not ready: the database does not respond, or the process is about to stop (`stopping`).',
        examples: [{ status: 'unavailable', database: 'no answer', latencyMs: 2000 }],
      },
    },
    description: `The database is queried at most every ${PROBE_MS} ms; more calls get the same answer.`,
    run: async () => {
      if (health.isLeaving)
        return respond({ status: 'stopping', database: 'not queried', latencyMs: 0 }, { status: 503 })
      const { isReached, latencyMs } = await probe()
      if (isReached) return { status: 'ok', database: 'ok', latencyMs }
      return respond({ status: 'unavailable', database: 'no answer', latencyMs }, { status: 503 })
    },
  })
}

interface Probe {
  isReached: boolean
  latencyMs: number
}

/** Asks the database with a query; calls within `PROBE_MS` share one, so that a flood of probes costs nothing. */
function databaseProbe({ db, log }: Services): () => Promise<Probe> {
  let probe: Promise<Probe> | undefined
  let startedAt = -Infinity
  const ask = async (started: number): Promise<Probe> => {
    const isReached = await Promise.race([db.run(sql`select 1`).then(() => true), timeout(2000)]).catch(
      (error: unknown) => {
        log.warn({ err: error }, 'not ready')
        return false
      },
    )
    return { isReached, latencyMs: Math.round(performance.now() - started) }
  }
  return () => {
    if (!probe || performance.now() - startedAt > PROBE_MS) {
      startedAt = performance.now()
      probe = ask(startedAt)
    }
    return probe
  }
}

const timeout = (ms: number) =>
  new Promise<boolean>(resolve => {
    setTimeout(resolve, ms, false).unref()
  })
