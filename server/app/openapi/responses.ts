import { STATUS_CODES } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import { COMMON, envelope, type ErrorRow } from '#platform/kernel/errors'
import { refTo, type Configs, type Operation, type Reference, type Response, type Schema } from './model.ts'

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

/** Response headers, referenced by the responses that carry them. */
export const HEADERS = {
  'x-request-id': text(
    'Id of the request, also in the logs. A harmless `x-request-id` of the request is reused.',
    '0198c0de-0000-7000-8000-00000000000a',
  ),
  'x-svc-ignored-fields': text(
    'Body fields that the operation does not know and ignored, comma-separated.',
    'color',
  ),
  'Idempotency-Replayed': text(
    '`true` if this is the stored response of an earlier request with the same Idempotency-Key.',
    'true',
  ),
  RateLimit: text(
    'Remaining calls `r` and seconds `t` until the window of the named limit resets (IETF draft). Without a limit of the operation it is sent only where the general limits are enforced.',
    '"user";r=2999;t=60',
  ),
  'RateLimit-Policy': text(
    'Quota `q` in a window of `w` seconds of the named limit (IETF draft).',
    '"user";q=3000;w=60',
  ),
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 30,
  },
  Location: {
    description: 'Where to continue.',
    schema: { type: 'string', format: 'uri-reference' },
    example: 'https://example.com/',
  },
  'Set-Cookie': text(
    'Cookie for the browser: HttpOnly, SameSite=Lax.',
    'svc_device=v1; Path=/auth; HttpOnly; SameSite=Lax',
  ),
  'PAYMENT-REQUIRED': text(
    'Base64 of the payment requirements of x402 version 2; those of version 1 are `x402Version` and `accepts` of the body.',
    'eyJ4NDAyVmVyc2lvbiI6Mn0=',
  ),
  'PAYMENT-RESPONSE': text(
    'Base64 of `{success, transaction, network, payer}`; version 1 reads it in `X-PAYMENT-RESPONSE`.',
    'eyJzdWNjZXNzIjp0cnVlfQ==',
  ),
  ETag: text('Version of the document, for `If-None-Match`.', 'W/"4Jx0bQvTq1cV9s2k"'),
} satisfies Record<string, { description: string; schema: object; example: unknown }>
type HeaderName = keyof typeof HEADERS

const headers = (...names: HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map(name => [name, refTo('headers', name)]))

interface ErrorText {
  name: string
  when: string
  row: ErrorRow
  hint?: string
  messages?: string[]
  headers?: HeaderName[]
}

/** What each error status means, with a real case. */
const ERRORS: Record<number, ErrorText> = {
  400: {
    name: 'BadRequest',
    when: 'The request is malformed, or the operation does not accept this kind of credential.',
    row: COMMON.VALIDATION_FAILED,
    messages: ['name is required'],
  },
  401: {
    name: 'Unauthorized',
    when: 'The credential is missing, invalid or expired.',
    row: COMMON.UNAUTHORIZED,
    hint: 'Send a credential: an access token (Authorization: Bearer)',
  },
  402: {
    name: 'PaymentRequired',
    when: 'The resource costs something: an x402 client pays it and repeats the request.',
    row: { status: 402, code: 'PAYMENT_REQUIRED', message: 'Payment required' },
    headers: ['PAYMENT-REQUIRED'],
  },
  403: {
    name: 'Forbidden',
    when: 'The credential is valid but does not allow this: another owner, a missing role or scope, or a suspended agent.',
    row: COMMON.FORBIDDEN,
  },
  404: {
    name: 'NotFound',
    when: 'No such resource.',
    row: { status: 404, code: 'AGENT_NOT_FOUND', message: 'Agent not found' },
  },
  405: {
    name: 'MethodNotAllowed',
    when: 'The path exists for other methods.',
    row: COMMON.METHOD_NOT_ALLOWED,
  },
  409: {
    name: 'Conflict',
    when: 'The current state does not allow this, the value is taken, or a request with the same Idempotency-Key is still running.',
    row: { ...COMMON.STATE_CONFLICT, message: 'Cannot start while PENDING' },
  },
  413: { name: 'ContentTooLarge', when: 'The body is larger than 1 MiB.', row: COMMON.BODY_TOO_LARGE },
  422: {
    name: 'UnprocessableContent',
    when: 'The Idempotency-Key was used with a different request.',
    row: COMMON.IDEMPOTENCY_MISMATCH,
  },
  429: {
    name: 'TooManyRequests',
    when: 'A rate limit is exceeded.',
    row: COMMON.RATE_LIMITED,
    hint: 'Try again in 30 seconds',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  500: {
    name: 'InternalServerError',
    when: 'An unexpected error. The operator finds it in the logs by the request id.',
    row: COMMON.INTERNAL_ERROR,
    hint: 'Send this request id to the operator: 0198c0de-0000-7000-8000-00000000000a',
  },
  503: {
    name: 'ServiceUnavailable',
    when: 'The database or another system that the operation needs is busy or does not respond.',
    row: COMMON.UNAVAILABLE,
    hint: 'The database is busy or cannot be reached. Try again',
    headers: ['Retry-After'],
  },
}

const reasonOf = (status: number): string => STATUS_CODES[status] ?? `Status ${status}`
const nameOf = (status: number): string => ERRORS[status]?.name ?? reasonOf(status).replaceAll(/\W/g, '')

/** The shared response of an error status; `schema` is the name of its body. */
function errorResponse(status: number, schema: string): Response {
  const {
    when,
    row,
    hint,
    messages,
    headers: more = [],
  } = ERRORS[status] ?? {
    when: `${reasonOf(status)}.`,
    row: { status, code: 'ERROR', message: reasonOf(status) },
  }
  const content = {
    'application/json': {
      schema: refTo('schemas', schema),
      example: envelope(row, hint ? { hint } : {}, messages),
    },
  }
  return { description: when, headers: headers('x-request-id', ...more), content }
}

/** The error responses that the operations refer to, one for each status, and those of the APIs of models. */
export function errorResponses(configs: Configs): Record<string, Response> {
  const all = [...configs.values()]
  return {
    ...responsesOf(all, false),
    ...responsesOf(all, true),
  }
}

function responsesOf(configs: readonly FastifyContextConfig[], isModel: boolean): Record<string, Response> {
  const used = new Set(
    configs.flatMap(({ errors = [], modelErrors = false }) => (modelErrors === isModel ? errors : [])),
  )
  const statuses = [...used].sort((one, two) => one - two)
  return Object.fromEntries(
    statuses.map(status => [
      responseName(status, isModel),
      errorResponse(status, isModel ? 'ModelError' : 'Error'),
    ]),
  )
}

const responseName = (status: number, isModel = false): string => `${isModel ? 'Model' : ''}${nameOf(status)}`

/** Adds the error responses of an operation, and the headers and descriptions of the others. */
export function describeResponses(operation: Operation, config: FastifyContextConfig): void {
  for (const [status, response] of Object.entries(operation.responses as Record<string, Response>))
    describeResponse(response, { status: Number(status), operation, config })
  for (const status of config.errors ?? [])
    operation.responses[status] = refTo('responses', responseName(status, config.modelErrors))
  operation.responses.default = otherError(config.modelErrors ? 'ModelError' : 'Error')
}

/**
 * Of the statuses that no operation lists, such as 405. It is part of every operation, so that a tool that reads one operation
 * alone knows the shape of its errors (ADR 23).
 */
const otherError = (schema: string): Response => ({
  description: 'Any other error.',
  headers: headers('x-request-id'),
  content: {
    'application/json': {
      schema: refTo('schemas', schema),
      examples: { [schema]: refTo('examples', schema) },
    },
  },
})
const OTHER = { value: envelope(COMMON.METHOD_NOT_ALLOWED) }
export const ERROR_EXAMPLES = { Error: OTHER, ModelError: OTHER }

/** Of the media types that an operation chooses by its request. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'text/event-stream': 'data: {"id":"1"}\n\n',
}

function describeResponse(
  response: Response,
  { status, operation, config }: { status: number; operation: Operation; config: FastifyContextConfig },
): void {
  const media = response.content?.['application/json']
  if (response.description === 'Default Response' || response.description === 'OK')
    response.description = sentenceOf(status, media?.schema)
  const isRedirect = status >= 300 && status < 400
  if (isRedirect) delete response.content
  if (config.alsoProduces && response.content)
    response.content[config.alsoProduces] = {
      schema: { type: 'string' },
      example: EXAMPLES[config.alsoProduces],
    }
  response.headers = headers(
    'x-request-id',
    ...(config.skipGeneralLimits ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
    ...(operation.requestBody && !config.openBody ? (['x-svc-ignored-fields'] as const) : []),
    ...(config.idempotent ? (['Idempotency-Replayed'] as const) : []),
    ...(isRedirect && status !== 304 ? (['Location'] as const) : []),
    ...((config.responseHeaders ?? []) as HeaderName[]),
  )
}

function sentenceOf(status: number, schema: Schema | undefined): string {
  if (status === 204) return 'Success, without a body.'
  if (status === 304) return 'Not modified: the `If-None-Match` of the request names the current version.'
  if (status >= 300 && status < 400) return 'Redirect to the address in `Location`.'
  if (status >= 400) return STATUS_CODES[status] ?? 'Error'
  if (schema?.title) return `Success: \`${schema.title}\`.`
  return status === 201 ? 'Success: created.' : 'Success.'
}
