import { randomInt } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { requiredKinds } from '#platform/http/access'
import { hook, sendHook } from '#platform/http/hook'
import type { App } from '#platform/http/operation'
import { apiError, errorTable } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { AdaptiveLimit } from './adaptive-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts in the adaptive limit. */
    isCounted: boolean
  }
}

const OVERLOAD = errorTable({
  OVERLOADED: [503, 'Service overloaded'],
})

/** Waiting requests for each connection of the pool: about as many as are served in a tenth of a second. */
const WAITING_PER_CONNECTION = 20
/** Clients that were refused together must not return together. */
const LONGEST_RETRY_SECONDS = 3

/**
 * Under overload refuses reads and model requests with 503, so that deals, payments and everything else that changes something
 * go on. Goes before all that costs time.
 */
export function installOverload(app: App, { config, db }: Pick<Services, 'config' | 'db'>): void {
  app.decorateRequest('isCounted', false)
  const lateMs = config.OVERLOAD_LATE_MS
  if (!lateMs) return
  const waiting = WAITING_PER_CONNECTION * config.DATABASE_POOL_SIZE
  const limit = new AdaptiveLimit({ lateMs, waiting }, () => db.pool.waitingCount)
  const leave = (request: FastifyRequest): void => {
    if (!request.isCounted) return
    request.isCounted = false
    limit.leave()
  }
  app.addHook(
    'onRequest',
    hook(request => {
      if (!isDeferrable(request)) return
      if (!limit.tryEnter())
        throw apiError(OVERLOAD.OVERLOADED, {
          hint: 'Too many requests are under way: try again after the seconds of Retry-After',
          headers: { 'Retry-After': String(randomInt(1, LONGEST_RETRY_SECONDS + 1)) },
        })
      request.isCounted = true
    }),
  )
  // A stream that is sent takes no more time than its events.
  app.addHook('onSend', sendHook(leave))
  app.addHook('onResponse', hook(leave))
  app.addHook('onClose', async () => limit.stop())
}

/** Whether somebody loses nothing if the request is made a little later. Probes and pages are always answered. */
function isDeferrable({ method, routeOptions: { config } }: FastifyRequest): boolean {
  if (requiredKinds(config.access ?? 'public').includes('rk')) return true
  return (method === 'GET' || method === 'HEAD') && !config.skipGeneralLimits && documents503(config)
}

const documents503 = ({ errors }: { errors?: readonly number[] }): boolean => errors?.includes(503) === true
