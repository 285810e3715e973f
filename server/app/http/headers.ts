import { sendHook } from '#platform/http/hook'
import type { App } from '#platform/http/operation'
import type { Services } from '#platform/kernel/services'

/** `default-src` does not extend to the last three. */
const API_POLICY =
  "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const YEAR_SECONDS = 31_536_000

/** What every answer says to browsers and caches; a route that knows better sets its own. */
export function installHeaders(
  app: App,
  { config, publicUrl, health }: Pick<Services, 'config' | 'publicUrl' | 'health'>,
): void {
  const transport = `max-age=${YEAR_SECONDS}${config.HSTS_INCLUDE_SUBDOMAINS ? '; includeSubDomains' : ''}`
  const isHttps = publicUrl.startsWith('https://')
  app.addHook(
    'onSend',
    sendHook((request, reply) => {
      // Most answers are one caller's own, many hold a token or a key.
      if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
      if (health.isLeaving) void reply.header('connection', 'close')
      void reply.header('x-content-type-options', 'nosniff')
      if (isHttps) void reply.header('strict-transport-security', transport)
      if (!reply.hasHeader('referrer-policy')) void reply.header('referrer-policy', 'no-referrer')
      // For what is not a page: JSON that a browser opens runs and frames nothing.
      if (!reply.hasHeader('content-security-policy'))
        void reply.header('content-security-policy', API_POLICY)
      const { bearerMetadata: document } = request.routeOptions.config
      if (reply.statusCode === 401)
        void reply.header('www-authenticate', document ? `Bearer resource_metadata="${document}"` : 'Bearer')
    }),
  )
}
