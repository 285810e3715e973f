import type { FastifyReply, FastifyRequest } from 'fastify'
import { GeneralLimits } from '#platform/general-limits'
import { limited, limitHeaders, networkOf, type Taken } from '#platform/limits'
import type { App, RouteLimit } from '#platform/http/route'
import type { Services } from '#platform/services'

/** The limits that operations declare, and the general ones, which hold in production or where they are set. */
export function installLimits(app: App, { limits, config, clock, log }: Services): void {
  const general = new GeneralLimits(clock, log, config.REDIS_URL)
  app.addHook('onClose', () => general.close())
  const perIp = config.RATE_LIMIT_IP_PER_MIN ?? (config.sandbox ? undefined : 600)
  const perUser = config.RATE_LIMIT_USER_PER_MIN ?? (config.sandbox ? undefined : 3000)
  const count = async (reply: FastifyReply, store: Store, limit: { name: string; key: string; max: number; windowSeconds: number }) => {
    const taken = await store.take(`${limit.name}:${limit.key}`, limit.max, limit.windowSeconds)
    void reply.headers(limitHeaders(limit.name, taken, limit.windowSeconds))
    if (!taken.allowed) throw limited(taken)
  }
  app.addHook('onRequest', async (request, reply) => {
    const { limit, unlimited, auth } = request.routeOptions.config
    if (limit) return count(reply, limits, { ...limit, key: subjectOf(request, limit) })
    if (unlimited || !auth || auth === 'signature' || auth === 'routing') return
    if (request.actor && perUser) return count(reply, general, { name: 'user', key: request.actor.accountId, max: perUser, windowSeconds: 60 })
    if (!request.actor && perIp) return count(reply, general, { name: 'ip', key: networkOf(request.ip), max: perIp, windowSeconds: 60 })
  })
}

interface Store { take(key: string, max: number, windowSeconds: number): Promise<Taken> }

function subjectOf(request: FastifyRequest, limit: RouteLimit): string {
  switch (limit.per) {
    case 'ip': return networkOf(request.ip)
    case 'account': return request.actor?.accountId ?? networkOf(request.ip)
    case 'path-id': return String((request.params as { id?: string }).id)
  }
}
