import { Type } from '#platform/http/type'
import { page, type App } from '#platform/http/operations'
import { StoredText } from '../http/stored-text.ts'
import { collectRoutes, type Document } from './model.ts'

/**
 * The machine-readable description at /openapi.json and .yaml. Call it before the routes are declared. What builds the
 * document is loaded when it is first read.
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

/** The two documents as operations of their own; registered last, so that they describe the rest. Returns the JSON. */
export function openapiRoutes(app: App): StoredText {
  // Each is written once: it takes up to a third of a second, and anybody may ask.
  const json = new StoredText(async () => JSON.stringify(await openapiDocument(app)))
  const yaml = new StoredText(async () => {
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
    run: (_, { http }) => json.answer(http, 'application/json; charset=utf-8'),
  })
  page(app, {
    ...common,
    url: '/openapi.yaml',
    id: 'getOpenapiYaml',
    summary: 'Get this document as YAML',
    produces: 'application/yaml',
    success: [200, Type.String()],
    run: (_, { http }) => yaml.answer(http, 'application/yaml'),
  })
  return json
}
