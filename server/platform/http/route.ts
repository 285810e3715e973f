import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Actor, AuthWord, Scope } from './actor.ts'

export type App = FastifyInstance

/** A named limit of one operation: at most `max` calls in `windowSeconds` for each caller of kind `per`. */
export interface RouteLimit {
  name: string
  max: number
  windowSeconds: number
  per: 'ip' | 'account' | 'path-id'
}

export interface RouteSpec<A extends AuthWord, P extends TSchema, Q extends TSchema, B extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** operationId of the OpenAPI document: unique, camelCase verb and noun. */
  id: string
  tag: string
  summary: string
  description?: string
  auth: A
  /** On a public operation: the credentials with which the response can include more. */
  optionalAuth?: AuthWord
  /** What a key needs; an access token needs none. */
  scope?: Scope
  params?: P
  query?: Q
  body?: B
  /** Example of the body in the document. */
  example?: unknown
  reply: Record<number, TSchema>
  /** Error statuses beyond those that follow from credential, body and path. */
  errors?: readonly number[]
  /** Statuses that would follow from these but cannot happen here. */
  never?: readonly number[]
  /** Asks nothing of the database: neither 500 nor 503. */
  steady?: boolean
  limit?: RouteLimit
  /** Counts in no general limit (probes, pages). */
  unlimited?: boolean
  /** Counts in the limit of sign-ins by address instead of the general one: each call may hash a password. */
  signIn?: boolean
  /** Keeps the bytes of the body for a signature check. */
  rawBody?: boolean
  /** Refuses unknown body fields with 400, where ignoring a mistyped one could not be undone. */
  strictBody?: boolean
  /** Answers something else than JSON (pages, images, text): media type. */
  produces?: string
  /** False where an Idempotency-Key means nothing; the document names the header on money routes. */
  idempotent?: boolean
  /** For the document: a second media type of the response, chosen by `Accept`. */
  alsoProduces?: string
  /** For the document: headers of the response beyond those that every response has. */
  responseHeaders?: readonly string[]
  /** Not in the public document: pages and their assets. */
  hidden?: boolean
  handle(input: RouteInput<A, P, Q, B>): Promise<unknown>
}

export interface RouteInput<A extends AuthWord, P extends TSchema, Q extends TSchema, B extends TSchema> {
  actor: A extends 'none' | 'signature' | 'secret' ? Actor | null : Actor
  params: Static<P>
  query: Static<Q>
  body: Static<B>
  request: FastifyRequest
  reply: FastifyReply
}

declare module 'fastify' {
  interface FastifyContextConfig {
    auth?: AuthWord
    scope?: Scope
    limit?: RouteLimit
    unlimited?: boolean
    signIn?: boolean
    rawBody?: boolean
    strictBody?: boolean
    optionalAuth?: AuthWord
    idempotent?: boolean
    alsoProduces?: string
    responseHeaders?: readonly string[]
    hidden?: boolean
    /** Error statuses for the document; they need no serialiser, which for each of a thousand cost a second at every start. */
    errors?: readonly number[]
    /** Names of the body's fields, to tell the caller which others were ignored. */
    fields?: readonly string[]
  }
  interface FastifyRequest {
    actor: Actor | null
    rawBody: Buffer | null
  }
}

/** Declares one operation: schema, credential, documentation and handler in one place. */
export function route<A extends AuthWord, P extends TSchema, Q extends TSchema, B extends TSchema>(app: App, spec: RouteSpec<A, P, Q, B>): void {
  app.route({
    method: spec.method,
    url: spec.url.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: schemaOf(spec),
    config: {
      auth: spec.auth, scope: spec.scope, limit: spec.limit, unlimited: spec.unlimited, signIn: spec.signIn, rawBody: spec.rawBody, strictBody: spec.strictBody,
      optionalAuth: spec.optionalAuth, idempotent: spec.idempotent, alsoProduces: spec.alsoProduces, responseHeaders: spec.responseHeaders, hidden: spec.hidden,
      errors: errorsOf(spec).filter(status => !(status in spec.reply)),
      fields: Object.keys((spec.body as { properties?: object } | undefined)?.properties ?? {}),
    },
    handler: async (request, reply) => {
      const success = Number(Object.keys(spec.reply)[0] ?? 200)
      reply.code(success)
      return spec.handle({
        actor: request.actor as never, params: request.params as never, query: request.query as never, body: request.body as never, request, reply,
      })
    },
  })
}

function schemaOf<A extends AuthWord, P extends TSchema, Q extends TSchema, B extends TSchema>(spec: RouteSpec<A, P, Q, B>) {
  const response: Record<string, unknown> = {}
  for (const [status, schema] of Object.entries(spec.reply)) response[status] = spec.produces ? produced(spec.produces, schema) : schema
  return {
    operationId: spec.id, tags: [spec.tag], summary: spec.summary, description: spec.description,
    response,
    ...(spec.params ? { params: spec.params } : {}),
    ...(spec.query ? { querystring: spec.query } : {}),
    ...(spec.body ? { body: spec.example ? { ...spec.body, examples: [spec.example] } : spec.body } : {}),
  }
}

const produced = (mediaType: string, schema: TSchema) => ({ description: 'OK', content: { [mediaType]: { schema } } })

type Shape = Pick<RouteSpec<AuthWord, TSchema, TSchema, TSchema>, 'auth' | 'params' | 'query' | 'body' | 'errors' | 'never' | 'idempotent' | 'unlimited' | 'steady'>

/** What can go wrong follows from what an operation takes and asks. */
function errorsOf(spec: Shape): number[] {
  const statuses = new Set(spec.errors)
  if (spec.auth !== 'none' || spec.params || spec.query || spec.body) statuses.add(400)
  if (!spec.steady) statuses.add(500).add(503)
  if (!spec.unlimited) statuses.add(429)
  if (spec.auth !== 'none') statuses.add(403)
  if (spec.auth !== 'none' && spec.auth !== 'signature') statuses.add(401)
  if (spec.params) statuses.add(404)
  if (spec.body) statuses.add(413)
  if (spec.idempotent) statuses.add(409).add(422)
  for (const status of spec.never ?? []) statuses.delete(status)
  return [...statuses].sort((a, b) => a - b)
}
