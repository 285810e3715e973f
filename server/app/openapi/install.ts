import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#platform/http/type'
import type { HttpRequest } from '#platform/http/operation'
import { page, type App } from '#platform/http/operations'
import { media, respond, type HttpResponse, type MediaResponse } from '#platform/http/response'
import { collectRoutes, type Document } from './model.ts'

/**
 * The machine-readable description at /openapi.json and .yaml, and the reference page at /docs, all served from here.
 * Call it before the routes are declared. What builds the document and the page is loaded when they are first read.
 */
export function installOpenapi(app: App, publicUrl: string): void {
  const declared = collectRoutes(app)
  app.decorate('openapi', async () => {
    const { describeRoutes } = await import('./describe.ts')
    return describeRoutes(declared, publicUrl)
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Builds the document anew: callers keep what they need of it. */
    openapi(): Promise<Document>
  }
}

/** The document as it is served; `all` includes the pages and assets, which tests cover too. */
export async function openapiDocument(app: App, { all = false } = {}): Promise<Document> {
  const { publicDocument } = await import('./document.ts')
  const document = await app.openapi()
  return all ? document : publicDocument(document)
}

/** The two documents as operations of their own; registered last, so that they describe the rest. */
export function openapiRoutes(app: App): void {
  conventionsRoute(app)
  referencePage(app)
  // Each is written once: it takes up to a third of a second, and anybody may ask.
  const json = documentOf(async () => JSON.stringify(await openapiDocument(app)))
  const yaml = documentOf(async () => {
    const { stringify } = await import('yaml')
    return stringify(await openapiDocument(app), { aliasDuplicateObjects: false })
  })
  const common = {
    method: 'GET',
    tag: 'Discovery',
    access: 'public',
    skipGeneralLimits: true,
    databaseFree: true,
    responseHeaders: ['ETag'],
    otherResponses: { 304: Type.Null() },
  } as const
  page(app, {
    ...common,
    url: '/openapi.json',
    id: 'getOpenapiJson',
    summary: 'Get this document as JSON',
    produces: 'application/json',
    success: [200, Type.Unknown()],
    run: (_, { http }) => json(http, 'application/json; charset=utf-8'),
  })
  page(app, {
    ...common,
    url: '/openapi.yaml',
    id: 'getOpenapiYaml',
    summary: 'Get this document as YAML',
    produces: 'application/yaml',
    success: [200, Type.String()],
    run: (_, { http }) => yaml(http, 'application/yaml'),
  })
}

/** docs/API.md, to which the introduction links. */
function conventionsRoute(app: App): void {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/API.md'), 'utf8')
  page(app, {
    method: 'GET',
    url: '/docs/api.md',
    id: 'getApiConventions',
    tag: 'Discovery',
    summary: 'Get the API conventions',
    access: 'public',
    skipGeneralLimits: true,
    databaseFree: true,
    hidden: true,
    produces: 'text/plain',
    success: [200, Type.String()],
    run: () => media(text, 'text/plain; charset=utf-8', { headers: CACHED }),
  })
}

const CACHED = { 'cache-control': 'public, max-age=300' }

/** The page at /docs and its assets: an application of its own, made when it is first opened. */
function referencePage(app: App): void {
  let opened: Promise<App> | undefined
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { openReferencePage } = await import('./reference-page.ts')
    opened ??= openReferencePage()
    const { statusCode, headers, rawPayload } = await (
      await opened
    ).inject({ url: request.url, headers: request.headers })
    if (statusCode === 404) {
      reply.callNotFound()
      return reply
    }
    const { connection: _connection, date: _date, ...rest } = headers
    return reply.code(statusCode).headers(rest).send(rawPayload)
  }
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, serve)
  app.addHook('onClose', async () => (await opened)?.close())
}

interface Stored {
  gzip: Buffer
  etag: string
}

/**
 * Answers a text that stays the same while the process lives: compressed where the caller takes it, 304 where the caller
 * has it. Only the compressed form stays in memory, a tenth of the text.
 */
function documentOf(write: () => Promise<string>) {
  let stored: Promise<Stored> | undefined
  return async ({ headers }: HttpRequest, mediaType: string): Promise<MediaResponse | HttpResponse<null>> => {
    stored ??= write().then(compress)
    const { gzip, etag } = await stored
    const validators = { ...CACHED, etag, vary: 'accept-encoding' }
    if (headers['if-none-match'] === etag)
      return respond(null, { status: 304, headers: { ...validators, 'content-type': mediaType } })
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? ''))
      return media(gunzipSync(gzip), mediaType, { headers: validators })
    return media(gzip, mediaType, { headers: { ...validators, 'content-encoding': 'gzip' } })
  }
}

function compress(text: string): Stored {
  const plain = Buffer.from(text)
  return {
    gzip: gzipSync(plain),
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`,
  }
}
