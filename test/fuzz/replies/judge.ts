import { isRecord } from '#platform/kernel/unknown'
import { canariesIn } from '../tenants/canaries.ts'
import { validatorAt } from '../document/document.ts'
import { textOf, urlOf, type Draft, type Reply } from './request.ts'
import { mayTravel } from './visibility.ts'

/** Something that a reply must not be. */
export interface Finding {
  /** Findings of one key are the same defect. */
  key: string
  detail: string
}

/** Who reads a reply: tenants by their tag; admins read everything. */
export interface Reader {
  tag: string
  isAdmin: boolean
  isAnonymous: boolean
  isRelatedTo(tag: string): boolean
}

const SLOW_MS = 30_000
const SLOW_BY_NATURE = new Map([
  ['POST /sandbox/clock/advance', 'answers when everything that fell due has run, in all scenarios'],
])
/** Errors above 499 that other requests bring about, or that the interface names. */
const EXPECTED_5XX: readonly (readonly [operation: RegExp, code: RegExp])[] = [
  // Providers of models are made to fail by POST /sandbox/providers/{provider}/faults.
  [/^POST \/v1\//, /^(?:502|503|504) /],
  // The processor is made to fail by POST /sandbox/processor/faults.
  [
    /^POST \/(?:admin|payouts|payments|wallets|subscriptions|webhooks)\//,
    /^503 PROCESSOR_(?:UNAVAILABLE|SILENT)$/,
  ],
  // The interface answers 500 while the outcome of a charge is not known.
  [/^POST \/payments\/stripe\/create$/, /^500 PROCESSING_FAILED$/],
]

/** What is wrong with a reply. */
export function judge(draft: Draft, reply: Reply, reader: Reader): Finding[] {
  return [
    ...judgeStatus(draft, reply),
    ...judgeBody(draft, reply),
    ...judgeAcceptance(draft, reply),
    ...judgeLeaks(draft, reply, reader),
  ]
}

function* judgeStatus({ operation }: Draft, { status, headers, text, ms }: Reply): Generator<Finding> {
  const { name } = operation
  const code = `${status} ${/"code":"(\w+)"/.exec(text)?.[1]}`
  const isExpected = EXPECTED_5XX.some(([operation, pattern]) => operation.test(name) && pattern.test(code))
  if (status >= 500 && !isExpected) yield { key: `${name} answers ${status}`, detail: text.slice(0, 500) }
  else if (!operation.responses.has(status))
    yield { key: `${name} answers ${status}, which is not documented`, detail: text.slice(0, 500) }
  if (!headers['x-request-id']) yield { key: `${name} sends no x-request-id`, detail: `status ${status}` }
  if ((status === 429 || status === 503) && !headers['retry-after'])
    yield { key: `${name} sends ${status} without Retry-After`, detail: text.slice(0, 200) }
  if (ms > SLOW_MS && !SLOW_BY_NATURE.has(name))
    yield { key: `${name} is slow`, detail: `${Math.round(ms)} ms` }
}

function* judgeBody({ operation }: Draft, { status, headers, text }: Reply): Generator<Finding> {
  const types = operation.responses.get(status)
  if (!types) return
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
  const key = `${operation.name} ${status}`
  if (!types.size) {
    if (text !== '') yield { key: `${key} has a body, none is documented`, detail: text.slice(0, 300) }
    return
  }
  const at = types.get(type)
  if (at === undefined) {
    yield {
      key: `${key} is ${type || 'without a type'}, which is not documented`,
      detail: text.slice(0, 300),
    }
    return
  }
  if (!type.endsWith('json') || !at) return
  const check = validatorAt(at)
  const body = parse(text)
  if (body === undefined) yield { key: `${key} is not JSON`, detail: text.slice(0, 300) }
  else if (!check(body)) {
    const [error] = check.errors ?? []
    const where = error?.instancePath.replaceAll(/\/\d+/g, '/0') ?? ''
    yield { key: `${key} does not fit its schema: ${where} ${error?.message}`, detail: text.slice(0, 1000) }
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An error of JSON-RPC, which A2A sends with the status 200. */
const isRpcError = (text: string): boolean => {
  const reply = parse(text)
  return isRecord(reply) && reply.jsonrpc === '2.0' && isRecord(reply.error)
}

/** A success for a body that the document refuses. */
function* judgeAcceptance(draft: Draft, { status, text }: Reply): Generator<Finding> {
  const { operation, body, headers } = draft
  if (status >= 300 || operation.body?.type !== 'application/json' || headers['content-type']) return
  if (!body || 'text' in body) {
    if (!body && operation.body.isRequired)
      yield { key: `${operation.name} answers ${status} without its body`, detail: text.slice(0, 300) }
    return
  }
  const { check } = operation.body
  if (check(body.value) || isRpcError(text)) return
  const [error] = check.errors ?? []
  yield {
    key: `${operation.name} accepts a body that its schema refuses: ${error?.instancePath.replaceAll(/\/\d+/g, '/0')} ${error?.message}`,
    detail: JSON.stringify(body.value).slice(0, 500),
  }
}

/** Text of a tenant that the reader may not see. */
function* judgeLeaks(draft: Draft, reply: Reply, reader: Reader): Generator<Finding> {
  if (reader.isAdmin || !reply.text.includes('zq')) return
  const sent = `${urlOf(draft)} ${textOf(draft) ?? ''}`
  for (const { text, tag, field } of canariesIn(reply.text)) {
    if (tag === reader.tag && !reader.isAnonymous) continue
    if (
      sent.includes(text) ||
      mayTravel({
        field,
        operation: draft.operation.name,
        isRelated: reader.isRelatedTo(tag) && !reader.isAnonymous,
      })
    )
      continue
    const whom = reader.isAnonymous ? 'anybody' : 'another tenant'
    yield {
      key: `${draft.operation.name} shows "${field}" of a tenant to ${whom}`,
      detail: reply.text.slice(Math.max(0, reply.text.indexOf(text) - 200), reply.text.indexOf(text) + 100),
    }
  }
}
