import { invalid } from '#platform/kernel/errors'
import { limitJsonSize } from '../deal/json-size.ts'
import type { Side } from '../deal/rows.ts'
import { FieldReader } from './field-reader.ts'

interface Common {
  key: string
  /** Share in a split by criteria, relative to the other weights. */
  weight: number
  /** The milestone whose deliveries it is about; all without one. */
  milestoneKey?: string
}

/** Bytes of a file. */
export interface SizeRange {
  min?: number
  max?: number
}

/** A condition of acceptance that was agreed before the money was held. */
export type Criterion = Common &
  (
    | { kind: 'json-schema'; schema: object }
    | { kind: 'url'; url?: string; status?: number; text?: string; selector?: string }
    | { kind: 'file'; name?: string; type?: string; size?: SizeRange; sha256?: string }
    | { kind: 'checker'; url: string; timeoutSeconds: number; sealedSecret: string }
    | { kind: 'rubric'; text: string }
  )
export type Kind = Criterion['kind']
export type Checker = Extract<Criterion, { kind: 'checker' }>

export const KINDS: readonly Kind[] = ['json-schema', 'url', 'file', 'checker', 'rubric']
export const CRITERIA_MAX = 20
/** Each of them is a request of this service to an address that the buyer names. */
const CHECKERS_MAX = 5
const TIMEOUT_SECONDS = 60
const TIMEOUT_SECONDS_MAX = 3600

/** Who proposes criteria, and what they are added to. */
export interface Proposal {
  side: Side
  /** The criteria that were proposed before: a checker keeps the secret that the buyer set. */
  earlier: readonly Criterion[]
  milestoneKeys: readonly string[]
  seal: (secret: string) => string
}

/** The criteria of `requirements.acceptance` or of a counter-offer; null if there are none. 400 for anything else. */
export function parseCriteria(given: unknown, field: string, proposal: Proposal): Criterion[] | null {
  if (given === undefined || given === null) return null
  if (!Array.isArray(given)) throw invalid(`${field} must be a list of criteria`)
  if (given.length > CRITERIA_MAX) throw invalid(`${field} must have at most ${CRITERIA_MAX} criteria`)
  limitJsonSize(given, field)
  const criteria = given.map((each, index) => parseCriterion(each, `${field}[${index}]`, proposal))
  if (new Set(criteria.map(each => each.key)).size < criteria.length)
    throw invalid(`${field} must have different keys`)
  if (criteria.filter(each => each.kind === 'checker').length > CHECKERS_MAX)
    throw invalid(`${field} must have at most ${CHECKERS_MAX} checkers`)
  return criteria.length ? criteria : null
}

function parseCriterion(given: unknown, field: string, proposal: Proposal): Criterion {
  const reader = new FieldReader(given, field)
  const key = reader.requiredText('key', 50)
  if (!/^[\w-]+$/.test(key)) throw invalid(`${field}.key must have letters, digits, "_" and "-" only`)
  const kind = reader.requiredText('kind', 20)
  const milestoneKey = reader.text('milestoneKey', 50)
  if (milestoneKey !== undefined && !proposal.milestoneKeys.includes(milestoneKey))
    throw invalid(`${field}.milestoneKey must be the key of a milestone`)
  const weight = reader.integer('weight', 1, 1000) ?? 1
  const common = { key, weight, ...(milestoneKey === undefined ? {} : { milestoneKey }) }
  const criterion = { ...common, ...conditionOf(kind, reader, { key, ...proposal }) }
  reader.requireNoOther()
  return criterion
}

type Condition = Criterion extends infer Each
  ? Each extends Common
    ? Omit<Each, keyof Common>
    : never
  : never

function conditionOf(kind: string, reader: FieldReader, proposal: Proposal & { key: string }): Condition {
  if (kind === 'json-schema') return { kind, schema: reader.requiredObject('schema') }
  if (kind === 'url') return urlOf(reader)
  if (kind === 'file') return fileOf(reader)
  if (kind === 'checker') return checkerOf(reader, proposal)
  if (kind === 'rubric') return { kind, text: reader.requiredText('text', 2000) }
  throw invalid(`${reader.path}.kind must be one of ${KINDS.join(', ')}`)
}

function urlOf(reader: FieldReader): Condition {
  const url = reader.webUrl('url')
  const status = reader.integer('status', 200, 599)
  if (status !== undefined && status >= 300 && status <= 399)
    throw invalid(`${reader.path}.status must not be a redirect: redirects are followed`)
  return { kind: 'url', url, status, text: reader.text('text', 500), selector: reader.text('selector', 500) }
}

function fileOf(reader: FieldReader): Condition {
  const condition = {
    kind: 'file' as const,
    name: reader.text('name', 200),
    type: reader.text('type', 100)?.toLowerCase(),
    size: sizeOf(reader),
    sha256: reader.text('sha256', 64)?.toLowerCase(),
  }
  const { type, size, sha256 } = condition
  if (type === undefined && size === undefined && sha256 === undefined)
    throw invalid(`${reader.path} must have a type, a size or a sha256`)
  if (type !== undefined && !/^[\w.+-]+\/(?:[\w.+-]+|\*)$/.test(type))
    throw invalid(`${reader.path}.type must be a media type such as application/pdf or image/*`)
  if (sha256 !== undefined && !/^[\da-f]{64}$/.test(sha256))
    throw invalid(`${reader.path}.sha256 must have 64 hexadecimal digits`)
  return condition
}

/** A number of bytes, or a range. */
function sizeOf(reader: FieldReader): SizeRange | undefined {
  if (!reader.isObject('size')) {
    const bytes = reader.integer('size', 0, Number.MAX_SAFE_INTEGER)
    return bytes === undefined ? undefined : { min: bytes, max: bytes }
  }
  const range = new FieldReader(reader.requiredObject('size'), `${reader.path}.size`)
  const [min, max] = [
    range.integer('min', 0, Number.MAX_SAFE_INTEGER),
    range.integer('max', 0, Number.MAX_SAFE_INTEGER),
  ]
  range.requireNoOther()
  if ((min === undefined && max === undefined) || (min ?? 0) > (max ?? Infinity))
    throw invalid(`${reader.path}.size must be a number of bytes, or a range with min or max`)
  return { min, max }
}

// The seller must not name an address that this service asks, and never learns the secret.
function checkerOf(reader: FieldReader, { side, earlier, key, seal }: Proposal & { key: string }): Condition {
  const url = reader.webUrl('url')
  if (url === undefined) throw invalid(`${reader.path}.url is required`)
  const timeoutSeconds = reader.integer('timeoutSeconds', 1, TIMEOUT_SECONDS_MAX) ?? TIMEOUT_SECONDS
  const secret = reader.text('secret', 200)
  const known = earlier.find(each => each.key === key && each.kind === 'checker' && each.url === url)
  const knownSecret = known?.kind === 'checker' ? known.sealedSecret : undefined
  if (side === 'seller') {
    if (secret !== undefined || knownSecret === undefined)
      throw invalid(`${reader.path}: only the buyer sets a checker`)
    return { kind: 'checker', url, timeoutSeconds, sealedSecret: knownSecret }
  }
  if (secret === undefined && knownSecret !== undefined)
    return { kind: 'checker', url, timeoutSeconds, sealedSecret: knownSecret }
  if (secret === undefined || !isStrong(secret))
    throw invalid(
      `${reader.path}.secret is required: 24 to 200 characters, or whsec_ and at least 24 base64 bytes`,
    )
  return { kind: 'checker', url, timeoutSeconds, sealedSecret: seal(secret) }
}

const isStrong = (secret: string): boolean =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64').length >= 24 : secret.length >= 24

/** A criterion without the secret of its checker. */
export function criterionView(criterion: Criterion) {
  const { key, kind, weight, ...rest } = criterion
  return { key, kind, weight, ...rest, sealedSecret: undefined }
}

/** The criteria that deliveries of a milestone must meet. A deal in one piece has no key. */
export const criteriaFor = (criteria: readonly Criterion[] | null, milestoneKey: string): Criterion[] =>
  (criteria ?? []).filter(each => each.milestoneKey === undefined || each.milestoneKey === milestoneKey)
