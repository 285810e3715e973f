import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static, type TSchema } from '#platform/http/type'
import type { Db } from '../kernel/db.ts'
import { isPublic, proofOf, type AccessPolicy, type PrincipalOf } from './access.ts'
import type { Anonymous, Principal, PublicContext, RequestContext } from './principal.ts'
import { httpOf, type HttpRequest } from './request.ts'
import { HttpResponse, MediaResponse } from './response.ts'
import { setCookies } from './set-cookies.ts'

export type { HttpRequest } from './request.ts'

export type App = FastifyInstance

/** A named limit of one operation: at most `max` calls in `windowSeconds` for each caller of kind `per`. */
export interface RouteLimit {
  name: string
  max: number
  windowSeconds: number
  per: 'ip' | 'account' | 'path-id'
}

/** The success status with the schema of its body, or 204 without one. */
export type Success = readonly [status: number, schema: TSchema] | 204

/** The body of a success response, as the compiler checks it. */
export type BodyOf<S extends Success> = S extends readonly [number, infer Schema extends TSchema]
  ? Static<Schema>
  : void

/**
 * What an operation returns: the body, `respond(body, ...)` where it sets status, headers or cookies, or `media(...)` for
 * another media type.
 */
export type Returned<Body> = Promise<Body | HttpResponse<Body> | MediaResponse>

/** What every operation declares beside its schemas and its function. */
export interface OperationInfo {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces, as in the OpenAPI document. */
  url: string
  /** operationId of the OpenAPI document: unique, camelCase verb and noun. */
  id: string
  tag: string
  summary: string
  description?: string
  access: AccessPolicy
  /** Example of the request body in the document. */
  example?: unknown
  /** Error statuses beyond those that follow from access, body and path. */
  errors?: readonly number[]
  /** Error statuses that would follow from these but cannot happen here. */
  excludeErrors?: readonly number[]
  /** Never queries the database: neither 500 nor 503. */
  databaseFree?: boolean
  limit?: RouteLimit
  /** Counts in no general limit (probes, pages). */
  skipGeneralLimits?: boolean
  /** Counts in the limit of sign-ins by address instead of the general one: each call may hash a password. */
  signIn?: boolean
  /** Keeps the bytes of the body for a signature check. */
  rawBody?: boolean
  /** Takes a body of any media type, and does not read it: for the POST of mail programs (RFC 8058). */
  ignoreForm?: boolean
  /** The body is a file of any type and size, which the operation reads as a stream and limits itself. */
  streamBody?: boolean
  /** Refuses unknown body fields with 400, where ignoring a mistyped one could not be undone, or would leave out a limit. */
  strictBody?: boolean
  /** Fields of the record that a body cannot set, beyond those that no body can: refused with 400. */
  readOnly?: readonly string[]
  /** The body goes on to another service: unknown fields stay, and are not reported as ignored. */
  openBody?: boolean
  /** Largest body in bytes, where it is not the general one. */
  bodyLimit?: number
  /** Accepts the header Idempotency-Key. */
  idempotent?: boolean
  /** For the document: errors may have the form of OpenAI or Anthropic. */
  modelErrors?: boolean
  /** For the document: a second media type of the response. */
  alsoProduces?: string
  /** For the document: further statuses with the schema of their bodies. */
  otherResponses?: Readonly<Record<number, TSchema>>
  /** For the document: headers of the response beyond those that every response has. */
  responseHeaders?: readonly string[]
  /**
   * For clients that send every credential as a bearer (MCP): takes `sa_` keys there too, and its 401 names this address of
   * the metadata of the resource (RFC 9728).
   */
  bearerMetadata?: string
  /** Not in the public document: pages and their assets. */
  hidden?: boolean
}

/** The declaration of an operation: information, schemas and success status; `run` belongs to its kind. */
export interface Operation<
  A extends AccessPolicy = AccessPolicy,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  S extends Success = Success,
> extends OperationInfo {
  access: A
  params?: P
  query?: Q
  body?: B
  success: S
}

export interface Input<P extends TSchema, Q extends TSchema, B extends TSchema> {
  params: Static<P>
  query: Static<Q>
  body: Static<B>
  http: HttpRequest
}

/** The context of an operation with the policy `A`: its principal is one that can pass that policy. */
export type ContextOf<A> = RequestContext<PrincipalOf<A>>

/** What the framework needs of an operation of any kind. */
type Declared = Omit<Operation, 'params' | 'query' | 'body'> & {
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Media type of the response where it is not JSON. */
  produces?: string
  /** For `npm run routes`, where the route is registered later. */
  registeredAt?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The database of the operations. */
    db: Db
  }
  interface FastifyContextConfig {
    access?: AccessPolicy
    limit?: RouteLimit
    skipGeneralLimits?: boolean
    signIn?: boolean
    rawBody?: boolean
    streamBody?: boolean
    /** Stack of the registration, where the framework calls it later. */
    registeredAt?: string
    strictBody?: boolean
    readOnly?: readonly string[]
    openBody?: boolean
    ignoreForm?: boolean
    idempotent?: boolean
    modelErrors?: boolean
    alsoProduces?: string
    responseHeaders?: readonly string[]
    bearerMetadata?: string
    hidden?: boolean
    /** Error statuses for the document; they need no serializer, which for each of a thousand cost a second at every start. */
    errors?: readonly number[]
    /** Names of the body's fields; the response lists ignored fields. */
    fields?: readonly string[]
  }
  interface FastifyRequest {
    principal: Principal | Anonymous
    rawBody: Buffer | null
  }
}

/** Answers a matching request; `body` is the bare body or an `HttpResponse`. */
export type Handle = (
  request: FastifyRequest,
) => Promise<{ status: number; body: unknown; isReplay?: boolean }>

/** Registers an operation with the framework: the one place that knows both. */
export function register(app: App, info: Declared, handle: Handle): void {
  if (!info.streamBody) return registerRoute(app, info, handle)
  const registeredAt = new Error('registered').stack
  // In a context of its own, whose parser leaves every body as it is.
  void app.register(async streams => {
    streams.removeAllContentTypeParsers()
    streams.addContentTypeParser('*', (_, payload, done) => done(null, payload))
    registerRoute(streams, { ...info, registeredAt }, handle)
  })
}

function registerRoute(app: App, info: Declared, handle: Handle): void {
  const { params, query, body: schema } = info
  const responses = responsesOf(info)
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  app.route({
    method: info.method,
    url: info.url.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(info.bodyLimit ? { bodyLimit: info.bodyLimit } : {}),
    schema: {
      operationId: info.id,
      tags: [info.tag],
      summary: info.summary,
      description: info.description,
      response: responses,
      ...(params ? { params } : {}),
      ...(query ? { querystring: query } : {}),
      ...(schema ? { body: info.example ? { ...schema, examples: [info.example] } : schema } : {}),
    },
    config: {
      access: info.access,
      limit: info.limit,
      skipGeneralLimits: info.skipGeneralLimits,
      signIn: info.signIn,
      rawBody: info.rawBody,
      streamBody: info.streamBody,
      registeredAt: info.registeredAt,
      strictBody: info.strictBody,
      readOnly: info.readOnly,
      openBody: info.openBody,
      ignoreForm: info.ignoreForm,
      idempotent: info.idempotent,
      modelErrors: info.modelErrors,
      alsoProduces: info.alsoProduces,
      responseHeaders: info.responseHeaders,
      bearerMetadata: info.bearerMetadata,
      hidden: info.hidden,
      errors: errorsOf(info).filter(status => !(status in responses)),
      fields: Object.keys(properties),
    },
    handler: async (request, reply) => {
      const { status, body, isReplay } = await handle(request)
      if (isReplay) void reply.header('Idempotency-Replayed', 'true')
      return send(reply.code(status), body)
    },
  })
}

function send(reply: FastifyReply, returned: unknown): unknown {
  if (!(returned instanceof HttpResponse)) return returned
  const { status, headers = {}, cookies = [] } = returned.extra
  if (status !== undefined) void reply.code(status)
  if (returned instanceof MediaResponse) void reply.type(returned.mediaType)
  void reply.headers(headers)
  setCookies(reply, cookies)
  // A redirect has no body, where JSON would write `null`.
  return reply.statusCode >= 300 && reply.statusCode < 400 ? reply.send() : returned.body
}

/** The errors that an operation can have follow from what it takes and requires. */
export function errorsOf(info: Omit<Declared, 'success'>): number[] {
  const { params, query, body } = info
  const statuses = new Set(info.errors)
  const isOpen = isPublic(info.access)
  if (!isOpen || params || query || body) statuses.add(400)
  if (!info.databaseFree) statuses.add(500).add(503)
  if (!info.skipGeneralLimits) statuses.add(429)
  if (!isOpen) statuses.add(403)
  if (!isOpen && proofOf(info.access) !== 'signature') statuses.add(401)
  if (params) statuses.add(404)
  if (body || info.streamBody) statuses.add(413)
  if (info.idempotent) statuses.add(409).add(422)
  return [...statuses].filter(status => !info.excludeErrors?.includes(status)).sort((a, b) => a - b)
}

function responsesOf({ success, produces, otherResponses = {} }: Declared): Record<number, unknown> {
  const [status, schema] = success === 204 ? [204, Type.Null()] : success
  const entries = Object.entries<TSchema>({ [status]: schema, ...otherResponses })
  return Object.fromEntries(
    entries.map(([status, schema]) => [status, produces ? contentOf(produces, schema) : schema]),
  )
}

const contentOf = (mediaType: string, schema: TSchema) => ({
  description: 'OK',
  content: { [mediaType]: { schema } },
})

export const statusOf = (success: Success): number => (success === 204 ? 204 : success[0])

/** Who sent the request, and from where. */
export const contextOf = (request: FastifyRequest): PublicContext => ({
  principal: request.principal,
  ip: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
  requestId: request.id,
})

/** The validated parts of the request. */
export const inputOf = (request: FastifyRequest) => ({
  params: request.params,
  query: request.query,
  body: request.body,
  http: httpOf(request),
})
