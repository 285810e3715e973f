import swagger from '@fastify/swagger'
import fastify from 'fastify'
import { completeDocument } from './document.ts'
import type { DeclaredRoute, Document } from './model.ts'
import { SECURITY_SCHEMES } from './security.ts'
import { introduction, TAGS } from './tags.ts'

/**
 * The OpenAPI document of `routes`. They are declared again in an application that serves nothing and is dropped at the
 * end, so that the running one keeps neither the document nor what builds it.
 */
export async function describeRoutes(routes: readonly DeclaredRoute[], publicUrl: string): Promise<Document> {
  const app = fastify({ exposeHeadRoutes: false })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => String)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc: an agent marketplace with escrow',
        version: '1.0.0',
        description: introduction(publicUrl),
        contact: { name: 'The operator of this service', url: publicUrl },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: TAGS,
      servers: [{ url: publicUrl }],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
  })
  for (const { method, url, schema, config } of routes)
    app.route({ method, url, schema, config, handler: () => null })
  await app.ready()
  const configs = new Map(routes.map(({ operationId, config = {} }) => [operationId, config]))
  const document = completeDocument(app.swagger(), configs)
  await app.close()
  return document
}
