import type { App } from '#platform/http/operation'
import type { Services } from '#platform/kernel/services'

const YEAR_SECONDS = 31_536_000

/** What every answer says to browsers and caches; a route that knows better sets its own. */
export function installHeaders(
  app: App,
  { config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>,
): void {
  const transport = `max-age=${YEAR_SECONDS}${config.HSTS_INCLUDE_SUBDOMAINS ? '; includeSubDomains' : ''}`
  app.addHook('onSend', async (request, reply) => {
    // Most answers are one caller's own, many hold a token or a key.
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    void reply.header('x-content-type-options', 'nosniff')
    if (publicUrl.startsWith('https://')) void reply.header('strict-transport-security', transport)
    if (!reply.hasHeader('referrer-policy')) void reply.header('referrer-policy', 'no-referrer')
    // For what is not a page: JSON that a browser opens runs and frames nothing.
    if (!reply.hasHeader('content-security-policy'))
      void reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    const { bearerMetadata: document } = request.routeOptions.config
    if (reply.statusCode === 401)
      void reply.header('www-authenticate', document ? `Bearer resource_metadata="${document}"` : 'Bearer')
  })
}
