import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '#platform/http/operation'

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><text x="4" y="29" font-family="sans-serif" font-weight="700" font-size="26" fill="#fff">svc</text></svg>'

/** The reference page at /docs with its assets. It reads the document from /openapi.json. */
export async function openReferencePage(): Promise<App> {
  const page: App = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await page.register(swagger)
  await page.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    transformStaticCSP: ownOnly,
    uiHooks: { onRequest: toOwnDocuments },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/', target: '_self' },
    theme: { title: 'svc: API reference' },
    uiConfig: { docExpansion: 'list', filter: true, deepLinking: true, defaultModelsExpandDepth: 0 },
  })
  return page
}

// Nothing from elsewhere; and no upgrade, or the page stays empty over plain http.
const ownOnly = (policy: string): string =>
  policy
    .replaceAll(/ https:| validator\.swagger\.io|; upgrade-insecure-requests/g, '')
    .replace("style-src 'self'", `style-src 'self' ${INLINE_STYLE}`)
    .replace(/base-uri [^;]*/, "base-uri 'none'")
    .replace(/frame-ancestors [^;]*/, "frame-ancestors 'none'")

/** The one style attribute that Swagger UI sets, on its hidden icons. The browser logs the hash when an update changes it. */
const INLINE_STYLE = "'unsafe-hashes' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

// The library's copies of the documents are written anew for each caller.
function toOwnDocuments(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const format = /^\/docs\/(json|yaml)$/.exec(request.routeOptions.url ?? '')?.[1]
  if (format) void reply.redirect(`/openapi.${format}`, 301)
  else done()
}
