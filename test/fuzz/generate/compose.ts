import type { Random } from '#test'
import { OPERATIONS, resolve, type Operation } from '../document/document.ts'
import { kindOfInput, kindOfPath, type Kind } from '../document/kinds.ts'
import { mutate } from './mutate.ts'
import { hardText } from './texts.ts'
import type { Credential, Draft } from '../replies/request.ts'
import { valueFor, type Making } from './values.ts'

/** Not called at random. */
const LEFT_OUT = new Map([
  ['GET /sandbox/pages/slow', 'answers after 15 s'],
  ['POST /admin/signing-keys/rotate', 'at most a few keys: ends the tokens of all scenarios'],
])
/** Operations that end the account or the session that calls them. */
export const LETHAL =
  /^(?:DELETE \/users\/me|POST \/auth\/(?:change-password|logout|reset-password)|DELETE \/auth\/sessions|POST \/mfa\/(?:enable|setup)|PATCH \/users\/me)$/

/** Changes what all scenarios do, or ends what other requests are about: rarely. */
const SELDOM =
  /^POST \/(?:sandbox\/(?:clock|providers|processor\/f)|admin\/(?:users|agents)\/\{id\}\/(?:suspend|role)|agents\/\{id\}\/revoke-key)/

export const CALLED = OPERATIONS.filter(({ name }) => !LEFT_OUT.has(name))

/** The operations that take an identifier of a kind, in the path or in a field of the body. */
const BY_KIND = Map.groupBy(
  CALLED.flatMap(operation => [...kindsOf(operation)].map(kind => ({ kind, operation }))),
  ({ kind }) => kind,
)

function kindsOf({ name, path, parameters, body }: Operation): Set<Kind> {
  const fields = Object.keys(body ? (resolve(body.schema).properties ?? {}) : {})
  const kinds = [
    ...parameters.map(parameter => (parameter.in === 'path' ? kindOfPath(path, parameter.name) : undefined)),
    ...fields.map(field => kindOfInput(name, field)),
  ]
  return new Set(kinds.filter(kind => kind !== undefined))
}

export interface Composer {
  random: Random
  /** Identifiers that the last successes showed. */
  recent: readonly Recent[]
  /** How often an operation succeeded so far. */
  successesOf(operation: Operation): number
  /** Whether a tenant knows an identifier of the kind. */
  knows(kind: Kind): boolean
  credentialFor(operation: Operation, focus: Focus): { tenant: number; credential: Credential }
  making(operation: Operation, tenant: number, focus: Focus): Making
}

/** What a request is about, by kind of identifier. */
export type Focus = ReadonlyMap<Kind, string>
const NO_FOCUS: Focus = new Map()

/** An identifier that a request showed, and the tenants that it may concern. */
export type Recent = readonly [kind: Kind, value: string]

const FOLLOW = 0.5
const CANDIDATES = 3
const INVALID = 0.25

/** The next request of a scenario. */
export function compose(composer: Composer, only?: readonly Operation[]): Draft {
  const { random } = composer
  const { operation, focus } = pickOperation(composer, only)
  const draft = draftOf(composer, operation, { focus, ...composer.credentialFor(operation, focus) })
  return random.chance(INVALID) ? mutate(random, draft) : draft
}

interface Candidate {
  operation: Operation
  /** What the request is about. */
  focus: Focus
}

/** Of a few random ones, the one that succeeded least often and whose object exists. */
function pickOperation(composer: Composer, only?: readonly Operation[]): Candidate {
  const { random } = composer
  if (only) return { operation: random.pick(only), focus: NO_FOCUS }
  const candidates = Array.from({ length: CANDIDATES }, () => pickCandidate(composer))
  const possible = candidates.filter(({ operation }) => isPossible(composer, operation))
  return (possible.length ? possible : candidates).reduce((best, each) =>
    composer.successesOf(each.operation) < composer.successesOf(best.operation) ? each : best,
  )
}

function pickCandidate({ random, recent }: Composer): Candidate {
  const focus = recent.length && random.chance(FOLLOW) ? random.pick(recent) : undefined
  const following = focus && BY_KIND.get(focus[0])
  return focus && following
    ? { operation: random.pick(following).operation, focus: new Map([focus]) }
    : { operation: pickAny(random), focus: NO_FOCUS }
}

const isPossible = (composer: Composer, { path, parameters }: Operation): boolean =>
  parameters.every(each => each.in !== 'path' || composer.knows(kindOfPath(path, each.name) ?? ''))

function pickAny(random: Random): Operation {
  const operation = random.pick(CALLED)
  return SELDOM.test(operation.name) && random.chance(0.85) ? random.pick(CALLED) : operation
}

export interface About {
  focus: Focus
  tenant: number
  credential: Credential
  /** Fields of the body that are not left to chance; undefined for none. */
  fixed?: Record<string, unknown>
}

/** A request of an operation that its schema accepts. */
export function draftOf(
  composer: Composer,
  operation: Operation,
  { focus, tenant, credential, fixed }: About,
): Draft {
  const { random } = composer
  const making = composer.making(operation, tenant, focus)
  const path: Record<string, string> = {}
  const query: [string, string][] = []
  const headers: Record<string, string> = {}
  for (const parameter of operation.parameters) {
    const { name, schema } = parameter
    if (parameter.in === 'path') {
      const kind = kindOfPath(operation.path, name)
      const value = kind === undefined ? undefined : making.identifier(kind)
      path[name] = typeof value === 'string' ? value : 'unknown'
    } else if (parameter.required || random.chance(0.25)) {
      const value = String(valueFor(making, schema, name))
      if (parameter.in === 'query') query.push([name, value])
      else headers[name.toLowerCase()] = `key-${random.below(1e9)}-fuzz`
    }
  }
  const body = bodyOf(making, operation, fixed)
  return { operation, tenant, credential, path, query, headers, ...(body ? { body } : {}) }
}

function bodyOf(making: Making, { body }: Operation, fixed?: Record<string, unknown>): Draft['body'] {
  if (!body) return undefined
  if (body.type !== 'application/json') return { text: hardText(making.random) }
  if (!fixed && !body.isRequired && making.random.chance(0.1)) return undefined
  const value = valueFor(making, body.schema, '')
  return { value: fixed && typeof value === 'object' ? withoutUndefined({ ...value, ...fixed }) : value }
}

const withoutUndefined = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
