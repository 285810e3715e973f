import type { FastifyReply, FastifyRequest } from 'fastify'
import { limited, limitHeaders } from '#platform/limits'
import type { App, RouteLimit } from '#platform/http/route'
import type { Services } from '#platform/services'

/** The limits that operations declare, and the general ones, which hold in production or where they are set. */
export function installLimits(app: App, { limits, config }: Services): void {
  const perIp = config.RATE_LIMIT_IP_PER_MIN ?? (config.sandbox ? undefined : 600)
  const perUser = config.RATE_LIMIT_USER_PER_MIN ?? (config.sandbox ? undefined : 3000)
  const count = async (reply: FastifyReply, limit: { name: string; key: string; max: number; windowSeconds: number }) => {
    const taken = await limits.take(`${limit.name}:${limit.key}`, limit.max, limit.windowSeconds)
    void reply.headers(limitHeaders(limit.name, taken, limit.windowSeconds))
    if (!taken.allowed) throw limited(taken)
  }
  app.addHook('onRequest', async (request, reply) => {
    const { limit, unlimited, auth } = request.routeOptions.config
    if (limit) return count(reply, { ...limit, key: subjectOf(request, limit) })
    if (unlimited || !auth || auth === 'signature' || auth === 'routing') return
    if (request.actor && perUser) return count(reply, { name: 'user', key: request.actor.accountId, max: perUser, windowSeconds: 60 })
    if (!request.actor && perIp) return count(reply, { name: 'ip', key: request.ip, max: perIp, windowSeconds: 60 })
  })
}

function subjectOf(request: FastifyRequest, limit: RouteLimit): string {
  switch (limit.per) {
    case 'ip': return request.ip
    case 'account': return request.actor?.accountId ?? request.ip
    case 'path-id': return String((request.params as { id?: string }).id)
  }
}
