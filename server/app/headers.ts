import type { App } from '#platform/http/route'

const YEAR_SECONDS = 31_536_000

/** What every answer says to browsers and caches; a route that knows better sets its own. */
export function installHeaders(app: App, publicUrl: string): void {
  app.addHook('onSend', async (_request, reply) => {
    // Most answers are one caller's own, many hold a token or a key.
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    void reply.header('x-content-type-options', 'nosniff')
    if (publicUrl.startsWith('https://')) void reply.header('strict-transport-security', `max-age=${YEAR_SECONDS}`)
    if (reply.statusCode === 401) void reply.header('www-authenticate', 'Bearer')
  })
}
