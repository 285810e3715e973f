import cors from '@fastify/cors'
import type { App } from '#platform/http/operation'

const EXPOSED = [
  'x-request-id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'x-svc-ignored-fields',
  'Mcp-Session-Id',
  'WWW-Authenticate',
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Browsers of the named origins may call; without any, no header is sent and only the same origin can. */
export async function installCors(app: App, origins: readonly string[]): Promise<void> {
  if (!origins.length) return
  await app.register(cors, {
    origin: origins.includes('*') ? true : [...origins],
    methods: METHODS,
    credentials: true,
    exposedHeaders: EXPOSED,
    maxAge: 600,
  })
}
