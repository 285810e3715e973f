import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { completeDocument, publicDocument } from './document.ts'
import { collectConfigs, type Document } from './model.ts'
import { SECURITY_SCHEMES } from './security.ts'
import { introduction, TAGS } from './tags.ts'

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><text x="4" y="29" font-family="sans-serif" font-weight="700" font-size="26" fill="#fff">svc</text></svg>'

/** The machine-readable description at /openapi.json and .yaml, and the reference page at /docs, all served from here. */
export async function installOpenapi(app: App, publicUrl: string): Promise<void> {
  const configs = collectConfigs(app)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc: an agent marketplace with escrow', version: '1.0.0', description: introduction(publicUrl),
        contact: { name: 'The operator of this service', url: publicUrl }, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: TAGS,
      servers: [{ url: publicUrl }],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transformObject: declared => completeDocument('openapiObject' in declared ? declared.openapiObject : {}, configs),
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs', staticCSP: true, transformStaticCSP: ownOnly, uiHooks: { onRequest: toOwnDocuments },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/', target: '_self' }, theme: { title: 'svc: API reference' },
    uiConfig: { docExpansion: 'list', filter: true, deepLinking: true, defaultModelsExpandDepth: 0 },
  })
}

// Nothing from elsewhere; and no upgrade, or the page stays empty over plain http.
const ownOnly = (policy: string): string =>
  policy.replaceAll(/ https:| validator\.swagger\.io|; upgrade-insecure-requests/g, '').replace("style-src 'self'", `style-src 'self' ${INLINE_STYLE}`)
    .replace(/base-uri [^;]*/, "base-uri 'none'").replace(/frame-ancestors [^;]*/, "frame-ancestors 'none'")

/** The one style attribute that Swagger UI sets, on its hidden icons. The browser logs the hash when an update changes it. */
const INLINE_STYLE = "'unsafe-hashes' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

// The library's copies of the documents are written anew for each caller.
function toOwnDocuments(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const format = /^\/docs\/(json|yaml)$/.exec(request.routeOptions.url ?? '')?.[1]
  if (format) void reply.redirect(`/openapi.${format}`, 301)
  else done()
}

/** The document as it is served; `all` includes the pages and assets, which tests cover too. */
export const openapiDocument = (app: App, { all = false } = {}): Document => (all ? app.swagger() as unknown as Document : publicDocument(app.swagger() as unknown as Document))

/** The two documents as operations of their own; registered last, so that they describe the rest. */
export function openapiRoutes(app: App): void {
  conventionsRoute(app)
  // Each is written once: it takes up to a third of a second, and anybody may ask.
  const json = documentOf(() => JSON.stringify(openapiDocument(app)))
  const yaml = documentOf(() => stringify(openapiDocument(app), { aliasDuplicateObjects: false }))
  const common = { method: 'GET' as const, tag: 'Discovery', auth: 'none' as const, unlimited: true, steady: true, responseHeaders: ['ETag'] }
  route(app, {
    ...common, url: '/openapi.json', id: 'getOpenapiJson', summary: 'Get this document as JSON', produces: 'application/json',
    reply: { 200: Type.Unknown(), 304: Type.Null() }, handle: async ({ request, reply }) => json(request, reply, 'application/json; charset=utf-8'),
  })
  route(app, {
    ...common, url: '/openapi.yaml', id: 'getOpenapiYaml', summary: 'Get this document as YAML', produces: 'application/yaml',
    reply: { 200: Type.String(), 304: Type.Null() }, handle: async ({ request, reply }) => yaml(request, reply, 'application/yaml'),
  })
}

/** docs/API.md, to which the introduction links. */
function conventionsRoute(app: App): void {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/API.md'), 'utf8')
  route(app, {
    method: 'GET', url: '/docs/api.md', id: 'getApiConventions', tag: 'Discovery', summary: 'Get the API conventions', auth: 'none', unlimited: true, steady: true, hidden: true,
    produces: 'text/plain', reply: { 200: Type.String() },
    handle: async ({ reply }) => reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=300').send(text),
  })
}

interface Kept { plain: Buffer; gzip: Buffer; etag: string }

/** Answers a text that stays the same while the process lives: from memory, compressed where the caller takes it, 304 where the caller has it. */
function documentOf(write: () => string) {
  let kept: Kept | undefined
  return (request: FastifyRequest, reply: FastifyReply, type: string): FastifyReply => {
    kept ??= keep(write())
    void reply.type(type).headers({ etag: kept.etag, 'cache-control': 'public, max-age=300', vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === kept.etag) return reply.code(304).send()
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(kept.plain)
    return reply.header('content-encoding', 'gzip').send(kept.gzip)
  }
}

function keep(text: string): Kept {
  const plain = Buffer.from(text)
  return { plain, gzip: gzipSync(plain), etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"` }
}
