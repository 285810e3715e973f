import { Ajv, type ErrorObject } from 'ajv'
import formats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { COMMON, fault, invalid } from '#platform/fault'
import type { App } from '#platform/http/route'

// A body says what it means: null is not 0 and 5 is not "5". Query, path and header values are text, so they are coerced.
const options = { allErrors: true, strict: false, useDefaults: true, removeAdditional: false as const }
const install = formats as unknown as (ajv: Ajv) => Ajv
const bodies = install(new Ajv({ ...options, coerceTypes: false }))
const others = install(new Ajv({ ...options, coerceTypes: true }))

/** Fields that exist but are nobody's to set through a body. */
const RESERVED = new Set([
  'trustTier', 'trustScore', 'balance', 'role', 'verificationStatus', 'verified', 'ownerId', 'claimedById', 'isAdmin', 'feeBps', 'held', 'released', 'refunded',
  'withdrawable', 'testBalance', 'createdAt', 'updatedAt', 'emailVerified', 'suspended', 'stats',
])
/** Fields of older clients that name the caller: they must match the credential. */
const IDENTITY = new Set(['creatorId', 'initiatorId', 'reviewerId', 'buyerId', 'userId', 'requesterId'])

export function installValidation(app: App): void {
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? bodies : others).compile(schema as object))
  app.addHook('preValidation', async (request, reply) => {
    dropEmptyQuery(request)
    if (!request.routeOptions.schema?.body) return
    request.body ??= {}
    const extra = strayFields(request)
    dropStray(request, extra)
    if (extra.length) void reply.header('x-svc-ignored-fields', extra.map(name => encodeURIComponent(name)).join(', ').slice(0, 1000))
  })
}

// An empty query value counts as absent.
function dropEmptyQuery(request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>
  for (const name of Object.keys(query)) if (query[name] === '') delete query[name]
}

/** Names the body's unknown fields; refuses reserved ones (400) and a foreign identity (403). */
function strayFields(request: FastifyRequest): string[] {
  const { body } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const known = new Set(request.routeOptions.config.fields)
  const stray = Object.keys(body).filter(name => !known.has(name))
  const reserved = stray.filter(name => RESERVED.has(name))
  if (reserved.length) throw invalid(...reserved.map(name => `${name} cannot be set here`))
  for (const name of stray.filter(each => IDENTITY.has(each))) {
    if ((body as Record<string, unknown>)[name] !== request.actor?.accountId) throw fault(COMMON.FORBIDDEN, { hint: `${name} is not the caller` })
  }
  return stray
}

/** Takes unknown fields out, so that no act that passes a body on can be told more than its schema says. */
function dropStray({ body, routeOptions: { schema, config } }: FastifyRequest, extra: readonly string[]): void {
  const { additionalProperties } = (schema?.body ?? {}) as { additionalProperties?: boolean }
  if (!config.fields?.length || additionalProperties === true) return
  for (const name of extra) delete (body as Record<string, unknown>)[name]
}

type Problem = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'> | FastifySchemaValidationError

/** One plain sentence per fault, at most 20. */
export function describeErrors(problems: readonly Problem[], part: string): string[] {
  const sentences = problems.filter(problem => problem.keyword !== 'anyOf' || problems.length === 1).map(problem => describe(problem, part))
  return [...new Set(sentences)].slice(0, 20)
}

function describe(problem: Problem, part: string): string {
  const path = problem.instancePath.slice(1).replaceAll('/', '.') || part
  const params = problem.params as Record<string, unknown>
  switch (problem.keyword) {
    case 'required': return `${problem.instancePath ? `${path}.` : ''}${String(params.missingProperty)} is required`
    case 'enum': return `${path} must be one of ${(params.allowedValues as unknown[]).join(', ')}`
    case 'const': return `${path} must be ${JSON.stringify(params.allowedValue)}`
    case 'format': return `${path} must be a valid ${String(params.format)}`
    case 'minLength': return Number(params.limit) === 1 ? `${path} must not be empty` : `${path} must have at least ${String(params.limit)} characters`
    case 'maxLength': return `${path} must have at most ${String(params.limit)} characters`
    default: return `${path} ${problem.message ?? 'is invalid'}`
  }
}
