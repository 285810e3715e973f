import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { FastifyRequest } from 'fastify'
import { isDisplayName } from '#platform/http/display-name'
import { isStorable } from '#platform/kernel/clock'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import { hook } from '#platform/http/hook'
import type { App } from '#platform/http/operation'
import { isRecord } from '#platform/kernel/unknown'

// A body says what it means: null is not 0 and 5 is not "5". Query, path and header values are text, so they are coerced.
const BODY = {
  strict: false,
  useDefaults: true,
  removeAdditional: false,
  coerceTypes: false,
  // Optimizing takes half of the time of compiling a schema, and the code runs no faster.
  code: { optimize: false },
} satisfies Options
const OTHER = { ...BODY, coerceTypes: true } satisfies Options
/**
 * All errors are collected only for inputs up to this size, in values and in characters; for a larger one the first error
 * alone. Ajv's `allErrors` evaluates patterns and formats on text that `maxLength` has already refused.
 */
const LISTED = { values: 1000, characters: 8192 }
/** No text in a format of ours is longer (a URL is the longest); a format is not evaluated beyond it. */
const LONGEST_FORMATTED = 2048

type Check = (text: string) => boolean

const OWN_FORMATS: Record<string, Check> = {
  // RFC 3339 knows leap seconds, a Date does not.
  'date-time': text => checkOf(fullFormats['date-time'])?.(text) === true && isStorable(new Date(text)),
  // Blank names are reported by `pattern`; avoid a second message.
  'display-name': text => text.trim() === '' || isDisplayName(text),
}

function validator(options: Options): Ajv {
  const ajv = new Ajv(options)
  for (const [name, format] of Object.entries<unknown>({ ...fullFormats, ...OWN_FORMATS })) {
    const isValid = checkOf(format)
    if (isValid) ajv.addFormat(name, text => text.length <= LONGEST_FORMATTED && isValid(text))
  }
  return ajv
}

/** The check of a text format; nothing for a format of numbers. */
function checkOf(format: unknown): Check | undefined {
  if (format instanceof RegExp) return text => format.test(text)
  if (typeof format === 'function') return text => format(text) === true
  if (!isRecord(format)) return undefined
  return format.validate && format.type !== 'number' ? checkOf(format.validate) : undefined
}

const [bodies, bodiesThroughout, others, othersThroughout] = [
  validator(BODY),
  validator({ ...BODY, allErrors: true }),
  validator(OTHER),
  validator({ ...OTHER, allErrors: true }),
]

/** Read-only fields of every operation: a body that contains one is rejected. */
const RESERVED = new Set([
  'trustTier',
  'trustScore',
  'balance',
  'role',
  'verificationStatus',
  'verified',
  'ownerId',
  'claimedById',
  'isAdmin',
  'feeBps',
  'held',
  'released',
  'refunded',
  'withdrawable',
  'testBalance',
  'createdAt',
  'updatedAt',
  'emailVerified',
  'suspended',
  'stats',
])
/** Fields of older clients that name the caller: they must match the credential. */
const IDENTITY = new Set(['creatorId', 'initiatorId', 'reviewerId', 'buyerId', 'userId', 'requesterId'])

export function installValidation(app: App): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === 'body'
      ? inTwoSteps(schema as object, bodies, bodiesThroughout)
      : inTwoSteps(schema as object, others, othersThroughout),
  )
  app.addHook(
    'preValidation',
    hook((request, reply) => {
      dropEmptyQuery(request)
      if (!request.routeOptions.schema?.body) return
      request.body ??= {}
      if (request.routeOptions.config.openBody) return
      const extra = strayFields(request)
      if (extra.length && request.routeOptions.config.strictBody)
        throw invalid(...extra.slice(0, 20).map(name => `unknown field ${name.toWellFormed().slice(0, 100)}`))
      dropStray(request, extra)
      if (extra.length)
        void reply.header(
          'x-svc-ignored-fields',
          extra
            .map(name => encodeURIComponent(name.toWellFormed()))
            .join(', ')
            .slice(0, 1000),
        )
    }),
  )
}

// Validate fail-fast first; re-run with allErrors only for small invalid inputs. Validators are compiled on first use:
// compiling all of them would add a quarter of a second to every start.
function inTwoSteps(schema: object, first: Ajv, throughout: Ajv): ValidateFunction {
  let quick: ValidateFunction | undefined
  let full: ValidateFunction | undefined
  const validate = (data: unknown): boolean => {
    quick ??= first.compile(schema)
    if (quick(data)) return true
    const found = isListed(data) ? (full ??= throughout.compile(schema)) : quick
    if (found === full) full(data)
    validate.errors = found.errors
    return false
  }
  validate.errors = undefined as ValidateFunction['errors']
  return validate as unknown as ValidateFunction
}

function isListed(data: unknown): boolean {
  const open = [data]
  let characters = 0
  for (let seen = 0; open.length; seen++) {
    const value = open.pop()
    if (typeof value === 'string') characters += value.length
    if (seen + open.length > LISTED.values || characters > LISTED.characters) return false
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) open.push(each)
  }
  return true
}

// An empty query value counts as absent.
function dropEmptyQuery(request: FastifyRequest): void {
  const { query } = request
  if (!isRecord(query)) return
  for (const name of Object.keys(query)) if (query[name] === '') delete query[name]
}

/** Names the body's unknown fields; refuses reserved ones (400) and a foreign identity (403). */
function strayFields(request: FastifyRequest): string[] {
  const { body } = request
  if (!isRecord(body)) return []
  const { fields, readOnly = [] } = request.routeOptions.config
  const known = new Set(fields)
  const { principal } = request
  const caller = principal.via === 'anonymous' ? undefined : principal.accountId
  const stray = Object.keys(body).filter(name => !known.has(name))
  const reserved = stray.filter(name => RESERVED.has(name) || readOnly.includes(name))
  if (reserved.length) throw invalid(...reserved.map(name => `${name} cannot be set here`))
  for (const name of stray.filter(each => IDENTITY.has(each))) {
    if (body[name] !== caller) throw apiError(COMMON.FORBIDDEN, { hint: `${name} must name the caller` })
  }
  return stray
}

/** Removes unknown fields, so that a command that forwards the body receives only the fields of its schema. */
function dropStray(
  { body, routeOptions: { schema, config } }: FastifyRequest,
  extra: readonly string[],
): void {
  const isOpen = isRecord(schema?.body) && schema.body.additionalProperties === true
  if (!config.fields?.length || isOpen || !isRecord(body)) return
  for (const name of extra) delete body[name]
}
