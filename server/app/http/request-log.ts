import type { FastifyRequest } from 'fastify'
import { hook } from '#platform/http/hook'
import { contextOf, type App } from '#platform/http/operation'
import { credentialKind, isAuthenticated } from '#platform/http/principal'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request was refused, for the log. */
    refusal: { code: string; accountId?: string } | null
  }
}

/**
 * Writes one line for each request: what was asked, by which account or key, from which address, with which outcome.
 * Headers and bodies are never logged; docs/OPERATIONS.md says what is personal data in it.
 */
export function installRequestLog(app: App): void {
  app.decorateRequest('refusal', null)
  app.addHook(
    'onResponse',
    hook((request, reply) => {
      const { refusal, ip } = request
      const ctx = contextOf(request)
      const principal = isAuthenticated(ctx) ? ctx.principal : null
      request.log.info(
        {
          req: request,
          status: reply.statusCode,
          code: refusal?.code,
          ms: Math.round(reply.elapsedTime),
          ip,
          account: principal?.accountId ?? refusal?.accountId,
          credential: principal ? credentialKind(principal) : undefined,
          key: principal && 'keyId' in principal ? principal.keyId : undefined,
          trace: traceOf(request),
        },
        'request',
      )
    }),
  )
}

// W3C trace context; anything else is a caller's text and does not belong in a log.
function traceOf({ headers: { traceparent } }: FastifyRequest): string | undefined {
  return typeof traceparent === 'string' &&
    /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent)
    ? traceparent
    : undefined
}
