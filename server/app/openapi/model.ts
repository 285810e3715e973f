import type { FastifyContextConfig, RouteOptions } from 'fastify'
import type { App } from '#platform/http/operation'

/** The parts of an OpenAPI 3.1 document that this folder reads and writes. */
export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
}
export interface Reference {
  $ref: string
}
export interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, Reference>
}
export interface Response {
  description?: string
  headers?: Record<string, Reference>
  content?: Record<string, Media>
}
export interface Parameter {
  name?: string
  in?: string
  required?: boolean
  description?: string
  schema?: Schema
  example?: unknown
  $ref?: string
}
export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response | Reference>
  security?: Record<string, string[]>[]
  [extension: `x-${string}`]: unknown
}
export interface Document {
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

export const operationsOf = (document: Document): Operation[] =>
  Object.values(document.paths).flatMap(item => Object.values(item))

export const isReference = (value: Response | Reference): value is Reference => '$ref' in value

export const refTo = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })

/** Replaces every schema of the document by what `change` returns for it. */
export function mapSchemas(document: Document, change: (schema: Schema) => Schema): void {
  for (const { parameters = [], requestBody, responses } of operationsOf(document)) {
    const media = [requestBody, ...Object.values(responses)].flatMap(part =>
      part && 'content' in part ? Object.values(part.content ?? {}) : [],
    )
    for (const part of [...parameters, ...media]) if (part.schema) part.schema = change(part.schema)
  }
}

/** A copy of the schema with each direct subschema replaced by what `change` returns for it. */
export function mapChildren(schema: Schema, change: (child: Schema) => Schema): Schema {
  const all = (children: Record<string, Schema>) =>
    Object.fromEntries(Object.entries(children).map(([name, child]) => [name, change(child)]))
  return {
    ...schema,
    ...(schema.properties ? { properties: all(schema.properties) } : {}),
    ...(schema.patternProperties ? { patternProperties: all(schema.patternProperties) } : {}),
    ...(schema.items ? { items: change(schema.items) } : {}),
    ...(schema.anyOf ? { anyOf: schema.anyOf.map(change) } : {}),
    ...(typeof schema.additionalProperties === 'object'
      ? { additionalProperties: change(schema.additionalProperties) }
      : {}),
  }
}

export type Configs = ReadonlyMap<string, FastifyContextConfig>

/** A route of an operation as it was declared. */
export type DeclaredRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'> & {
  operationId: string
}

/** The operations that are declared from now on. */
export function collectRoutes(app: App): readonly DeclaredRoute[] {
  const routes: DeclaredRoute[] = []
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    const { operationId } = (schema ?? {}) as { operationId?: string }
    if (operationId && method !== 'HEAD') routes.push({ operationId, method, url, schema, config })
  })
  return routes
}
