import type { FastifyReply } from 'fastify'
import type { Cookie } from './response.ts'

export function setCookies(reply: FastifyReply, cookies: readonly Cookie[]): void {
  for (const { name, value, options } of cookies) {
    if (value === null) void reply.clearCookie(name, options)
    else void reply.setCookie(name, value, options)
  }
}
