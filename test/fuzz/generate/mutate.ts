import type { Random } from '#test'
import type { Draft } from '../replies/request.ts'
import { hardText, junk } from './texts.ts'

/** Fields that a caller must not set. */
const READ_ONLY = {
  trustTier: 'TRUSTED',
  balance: '1000000.00',
  role: 'ADMIN',
  ownerId: 'x',
  status: 'TRUSTED',
  id: 'x',
}

const QUERY_VALUES = [
  '-1',
  '0',
  '1e3',
  '9'.repeat(30),
  'NaN',
  '',
  ' ',
  'null',
  '[]',
  'true',
  'a,b,,c',
  '2031-02-30T00:00:00Z',
]
const HEADERS: readonly Record<string, string>[] = [
  { accept: 'text/html' },
  { accept: 'application/xml;q=1, */*;q=0' },
  { accept: 'text/event-stream' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'caf\u00e9' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'nonsense' },
  { 'content-encoding': 'gzip' },
  { 'x-forwarded-for': '10.0.0.1, nonsense' },
  { 'x-request-id': 'x'.repeat(500) },
  { traceparent: '00-nonsense' },
  { 'if-none-match': '*' },
  { range: 'bytes=5-1' },
  { 'last-event-id': '-1' },
  { cookie: 'svc_access=nonsense; ; =; svc_click=%zz' },
  { 'x-svc-session': 'cookie' },
  { origin: 'null' },
  { 'accept-language': 'xx-\u00ff' },
  { 'a2a-version': '9.9' },
  { 'payment-signature': 'nonsense' },
  { 'x-payment': Buffer.from('{"x402Version":1,"payload":{}}').toString('base64') },
]

type Change = (random: Random, draft: Draft) => Draft

const changeBody: Change = (random, draft) => {
  if (!draft.body || 'text' in draft.body) return draft
  const { value } = draft.body
  if (random.chance(0.1)) return { ...draft, body: { value: junk(random) } }
  const changed = structuredClone(value)
  const places = [...placesIn(changed)]
  for (let count = 1 + random.below(2); count > 0 && places.length; count--) {
    const { parent, key } = random.pick(places)
    if (random.chance(0.2)) Reflect.deleteProperty(parent, key)
    else if (random.chance(0.3) && typeof parent[key] === 'string')
      parent[key] = `${parent[key]}${hardText(random)}`
    else parent[key] = junk(random)
  }
  if (random.chance(0.15) && isRecord(changed)) {
    const [name, wrong] = random.pick(Object.entries(READ_ONLY))
    changed[name] = wrong
  }
  return { ...draft, body: { value: changed } }
}

const breakText: Change = (random, draft) => {
  if (!draft.body || 'text' in draft.body) return draft
  const text = JSON.stringify(draft.body.value)
  const broken = random.pick([
    '',
    'null',
    '[]',
    '"x"',
    '{',
    text.slice(0, random.below(text.length + 1)),
    `${text}${text}`,
    text.replace('{', '{"__proto__":{"x":1},'),
    text.replace('{', '{"a":1,"a":2,'),
    `${'['.repeat(70)}${']'.repeat(70)}`,
    `\ufeff${text}`,
    text.replaceAll('"', "'"),
  ])
  return { ...draft, body: { text: broken } }
}

const changePath: Change = (random, draft) => {
  const names = Object.keys(draft.path)
  if (!names.length) return changeQuery(random, draft)
  const text = hardText(random).slice(0, 3000)
  return { ...draft, path: { ...draft.path, [random.pick(names)]: /^\.*$/.test(text) ? 'x' : text } }
}

const changeQuery: Change = (random, draft) => {
  const names = draft.operation.parameters.flatMap(each => (each.in === 'query' ? [each.name] : []))
  const name =
    names.length && random.chance(0.9) ? random.pick(names) : random.pick(['unknown', 'limit[]', '__proto__'])
  const value = random.chance(0.5) ? random.pick(QUERY_VALUES) : hardText(random).slice(0, 3000)
  return { ...draft, query: [...draft.query, [name, value]] }
}

const changeHeaders: Change = (random, draft) => ({
  ...draft,
  headers: { ...draft.headers, ...random.pick(HEADERS) },
})

const CHANGES: readonly (readonly [weight: number, change: Change])[] = [
  [6, changeBody],
  [1, breakText],
  [2, changePath],
  [2, changeQuery],
  [2, changeHeaders],
]
const WEIGHTED = CHANGES.flatMap(([weight, change]) => Array.from({ length: weight }, () => change))

/** A request with one or two things wrong in it. */
export function mutate(random: Random, draft: Draft): Draft {
  const once = random.pick(WEIGHTED)(random, draft)
  return random.chance(0.2) ? random.pick(WEIGHTED)(random, once) : once
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Place {
  parent: Record<string, unknown>
  key: string
}

/** Every property and item of a value. */
export function* placesIn(value: unknown): Generator<Place> {
  if (typeof value !== 'object' || value === null) return
  const parent = value as Record<string, unknown>
  for (const key of Object.keys(parent)) {
    yield { parent, key }
    yield* placesIn(parent[key])
  }
}
