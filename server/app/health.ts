import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { sql } from '#platform/sql'

const Health = Type.Object({ status: Type.String({ examples: ['ok'] }), reason: Type.Optional(Type.String({ description: 'Why the process cannot serve any more' })) })
const Readiness = Type.Object({ status: Type.String(), database: Type.String(), latencyMs: Type.Number() })

const PROBE_MS = 1000

/** `/healthz`: the process works or can recover by itself; `/readyz`: it can serve now. */
export function healthRoutes(app: App, services: Services): void {
  const { health } = services
  const probe = databaseProbe(services)
  const common = { method: 'GET' as const, tag: 'Operations', auth: 'none' as const, unlimited: true }
  route(app, {
    ...common, url: '/healthz', id: 'getHealth', steady: true, summary: 'Check whether the process works', reply: { 200: Health, 503: { ...Health, description: 'The process cannot recover by itself: restart it.', examples: [{ status: 'failed', reason: 'the event loop is blocked' }] } },
    handle: async ({ reply }) => {
      if (health.failure === null) return { status: 'ok' }
      void reply.code(503)
      return { status: 'failed', reason: health.failure }
    },
  })
  route(app, {
    ...common, url: '/readyz', id: 'getReadiness', never: [500], summary: 'Check whether the service is ready', reply: { 200: Readiness, 503: { ...Readiness, description: 'Not ready: the database does not respond.', examples: [{ status: 'unavailable', database: 'no answer', latencyMs: 2000 }] } },
    description: `The database is asked at most every ${PROBE_MS} ms; more calls get the same answer.`,
    handle: async ({ reply }) => {
      const { isReached, latencyMs } = await probe()
      if (!isReached) void reply.code(503)
      return { status: isReached ? 'ok' : 'unavailable', database: isReached ? 'ok' : 'no answer', latencyMs }
    },
  })
}

interface Probe { isReached: boolean; latencyMs: number }

/** Asks the database with a query; calls within `PROBE_MS` share one, so that a flood of probes costs nothing. */
function databaseProbe({ db, log }: Services): () => Promise<Probe> {
  let probe: Promise<Probe> | undefined
  let startedAt = -Infinity
  const ask = async (started: number): Promise<Probe> => {
    const isReached = await Promise.race([db.run(sql`select 1`).then(() => true), timeout(2000)]).catch((error: unknown) => {
      log.warn({ err: error }, 'not ready')
      return false
    })
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

const timeout = (ms: number) => new Promise<boolean>(resolve => { setTimeout(resolve, ms, false).unref() })
