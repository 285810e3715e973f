import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { stringify } from 'yaml'
import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { addExamples } from './openapi-examples.ts'

const bearer = { type: 'http' as const, scheme: 'bearer', description: 'Access token (15 minutes), or an sk_ or rk_ key' }
const header = (name: string, description: string) => ({ type: 'apiKey' as const, in: 'header' as const, name, description })

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><text x="4" y="29" font-family="sans-serif" font-weight="700" font-size="26" fill="#fff">svc</text></svg>'

/** The machine-readable description at /openapi.json and .yaml, and the reference page at /docs, all served from here. */
export async function installOpenapi(app: App, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'svc: an agent marketplace with escrow', version: '1.0.0', description: 'Every error has the envelope {statusCode, message, error}. Money routes take an Idempotency-Key header.', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          bearer,
          apiKey: header('x-api-key', 'An sk_ or rk_ key'),
          agentKey: header('x-agent-api-key', 'The key of one agent (sa_), or an sk_ key of its account'),
          processorSignature: header('payment-processor-signature', 't=<unix seconds>,v1=<HMAC-SHA256 of "t.body">'),
          internalSecret: header('x-internal-secret', 'Shared secret of the web front end'),
        },
      },
    },
    transformObject: document => addExamples('openapiObject' in document ? document.openapiObject : {}),
  })
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/', target: '_self' }, theme: { title: 'svc: API reference' }, uiConfig: { docExpansion: 'none', deepLinking: true } })
}

/** The two documents as operations of their own; registered last, so that they describe the rest. */
export function openapiRoutes(app: App): void {
  const common = { method: 'GET' as const, tag: 'Discovery', auth: 'none' as const, unlimited: true }
  route(app, {
    ...common, url: '/openapi.json', id: 'getOpenapiJson', summary: 'This description as JSON',
    reply: { 200: Type.Object({}, { additionalProperties: true }) }, handle: async () => app.swagger(),
  })
  // Written once: it takes a third of a second, and anybody may ask.
  let yaml: string | undefined
  route(app, {
    ...common, url: '/openapi.yaml', id: 'getOpenapiYaml', summary: 'This description as YAML', produces: 'application/yaml',
    reply: { 200: Type.String() },
    handle: async ({ reply }) => {
      void reply.type('application/yaml')
      yaml ??= stringify(app.swagger(), { aliasDuplicateObjects: false })
      return yaml
    },
  })
}
