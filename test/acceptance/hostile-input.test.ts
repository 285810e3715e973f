import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { startTestService, type TestService } from '#test'
import { bodyFields, pathValues, textParameters, type Field } from '../support/openapi/fields.ts'
import { matrix } from './authorization/matrix.ts'
import type { Row } from './authorization/row.ts'
import { resetLimits } from './authorization/snapshot.ts'
import { openFixtures, type Fixtures } from './authorization/fixtures.ts'

const SECRET = 'hostile-input-secret-of-32-characters'
const LARGE = 250 * 1024
/** Small enough for the list of all errors, for which each schema is looked through to its end. */
const SMALL = 7 * 1024
/** Small enough for the fields that store any JSON. */
const STORED = 60 * 1024
/** The most processor time of the event loop for one request, as a multiple of parsing a large array of JSON: 50 ms where that takes 8. */
const MOST_PARSINGS = 6
const ATTEMPTS = 3

const filled = (unit: string, bytes: number): string =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(JSON.stringify(unit).slice(1, -1))))
type Make = (bytes: number) => string
const TEXTS: Record<string, Make> = {
  'a flag of tags': bytes => `\u{1F3F4}${filled('\u{E0061}', bytes)}`,
  // In the opposite of their canonical order, so that normalization has to sort them.
  'combining marks': bytes => `a${filled('\u0315', bytes / 2)}${filled('\u0300', bytes / 2)}`,
  'opening brackets': bytes => filled('<', bytes),
}
const nested = (depth: number, inner: string): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`
/** JSON, as text. */
const ARRAY: Record<string, Make> = {
  'an array of distinct arrays': bytes =>
    `[${Array.from({ length: bytes / 9 }, (_, index) => `["${index.toString(36).padStart(4, '0')}"]`).join()}]`,
}
/** For fields that take any JSON. */
const FREE: Record<string, Make> = {
  'an object of many keys': bytes =>
    `{${Array.from({ length: bytes / 12 }, (_, index) => `"${index.toString(36).padStart(6, '0')}":1`).join()}}`,
  'nested as deep as allowed': bytes =>
    `[${Array.from({ length: bytes / 101 }, () => nested(50, '')).join()}]`,
}
/** For fields that take a JSON Schema, or any JSON with a schema inside. */
const SCHEMAS: Record<string, Make> = {
  'a schema of a long enum': bytes => `{"enum":${ARRAY['an array of distinct arrays']?.(bytes)}}`,
  'a deal with a schema of a long enum': bytes =>
    `{"outputSchema":{"enum":${ARRAY['an array of distinct arrays']?.(bytes)}}}`,
  'a schema of a costly pattern': () => '{"outputSchema":{"pattern":"^(a+)+$"},"pattern":"^(a+)+$"}',
}

/** The last name in the path of a field. */
const nameOf = ({ path }: Field): string => path.split('.').findLast(each => !/^\d+$/.test(each)) ?? ''

/** The JSON of each class in each size, made once. */
const made = new Map<string, string>()
function jsonOf(kind: string, bytes: number): string {
  const key = `${kind} ${bytes}`
  const known =
    made.get(key) ??
    (TEXTS[kind]
      ? JSON.stringify(TEXTS[kind](bytes))
      : ({ ...ARRAY, ...FREE, ...SCHEMAS }[kind]?.(bytes) ?? ''))
  made.set(key, known)
  return known
}

/** Milliseconds of processor time of this thread since `started`. */
function msSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1000
}

/** What parsing a large array takes at this moment: a slow or busy machine takes longer for it and for a request alike. */
function parsingMs(): number {
  const text = jsonOf('an array of distinct arrays', LARGE)
  const times = [1, 2, 3].map(() => {
    const started = process.threadCpuUsage()
    JSON.parse(text)
    return msSince(started)
  })
  return times.toSorted((a, b) => a - b)[1] ?? 0
}

const agent = new Agent({ keepAlive: true })

suite('hostile input', () => {
  let service: TestService
  let fixtures: Fixtures
  before(async () => {
    service = await startTestService({ INTERNAL_SECRET: SECRET, PROCESSOR_WEBHOOK_SECRET: SECRET })
    fixtures = await openFixtures(service)
  })
  after(async () => {
    agent.destroy()
    await service.close()
  })

  interface Sent {
    status: number
    text: string
    ms: number
  }

  /** One request, with the processor time that this thread spent on it, a little of it in this client. */
  async function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Buffer,
  ): Promise<Sent> {
    const started = process.threadCpuUsage()
    const answer = await new Promise<Omit<Sent, 'ms'>>((resolve, reject) => {
      const sent = request(
        service.baseUrl + path,
        { method, agent, headers: { ...headers, ...(body ? { 'content-length': body.length } : {}) } },
        received => {
          let text = ''
          received
            .setEncoding('utf8')
            .on('data', chunk => {
              text += chunk
            })
            .on('end', () => resolve({ status: received.statusCode ?? 0, text }))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
    return { ...answer, ms: msSince(started) }
  }

  const rowOf = (operation: string): Row =>
    matrix.find(row => row.operation === operation) ?? assert.fail(`no row for ${operation}`)

  function headersFor({ word }: Row, body: Buffer): Record<string, string> {
    const json = { 'content-type': 'application/json' }
    if (word === 'secret') return { ...json, 'x-internal-secret': SECRET }
    if (word === 'signature') {
      const at = Math.floor(Date.now() / 1000)
      return {
        ...json,
        'payment-processor-signature': `t=${at},v1=${createHmac('sha256', SECRET).update(`${at}.`).update(body).digest('hex')}`,
      }
    }
    if (word.startsWith('agent-key')) return { ...json, 'x-agent-api-key': fixtures.tenants[0].agent.apiKey }
    return { ...json, authorization: `Bearer ${bearerOf(word)}` }
  }

  function bearerOf(word: Row['word']): string {
    const [{ token, routingKey }] = fixtures.tenants
    if (word === 'routing') return routingKey
    return word === 'admin' ? fixtures.admin : token
  }

  /** What was found at the start; measured again beside what took long. */
  let parsing = 0
  before(() => {
    parsing = parsingMs()
  })
  const isLong = ({ ms }: Sent): boolean => ms > MOST_PARSINGS * parsing && ms > MOST_PARSINGS * parsingMs()
  const slow: string[] = []
  const missed: string[] = []

  /** Sends again what took long: the first time may pay for compilation or a collection of garbage. */
  async function measure(what: string, call: () => Promise<Sent>): Promise<Sent> {
    let sent = await call()
    let takesLong = isLong(sent)
    for (let attempt = 1; attempt < ATTEMPTS && (takesLong || sent.status === 429); attempt++) {
      if (sent.status === 429) await resetLimits(service)
      sent = await call()
      takesLong = isLong(sent)
    }
    if (takesLong) slow.push(`${what}: ${Math.round(sent.ms)} ms, ${sent.status}`)
    if (sent.status >= 500 && sent.status !== 503) missed.push(`${what}: ${sent.status} ${sent.text}`)
    return sent
  }

  /** Sends the value in the field, `bytes` of it. */
  async function tryField(field: Field, kind: string, bytes: number, ids: string[]): Promise<void> {
    const row = rowOf(field.operation)
    const [method = '', template = ''] = field.operation.split(' ')
    const unused = [...ids]
    const path = template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(unused.shift() ?? 'unknown'))
    const base = row.body?.(ids, fixtures, fixtures.tenants[0]) as object | undefined
    const body = Buffer.from(
      JSON.stringify(field.bodyWith('%value%', base)).replace('"%value%"', () => jsonOf(kind, bytes)),
    )
    const headers = headersFor(row, body)
    const what = `${field.operation} ${field.path}, ${kind}, ${bytes} bytes`
    const { status, text } = await measure(what, () => send(method, path, headers, body))
    // A request that is refused before validation, or for another field, would prove nothing. Prompts may be large.
    const name = nameOf(field)
    const isReached =
      field.isFree || bytes < LARGE || row.word === 'routing'
        ? ![403, 413, 429].includes(status) && !text.includes('UNAUTHORIZED')
        : text.includes(name)
    if (!isReached) missed.push(`${what}: ${status} ${text.slice(0, 200)}`)
  }

  /**
   * Every kind and size for the first field of a schema that takes such values, the `at`th kind of each size for other free fields.
   * Of other fields only the first of an operation has a large text: before its validation an operation looks at the body as a whole.
   */
  async function tryKinds(field: Field, at: number, isFirst: boolean, isOfNew: boolean): Promise<void> {
    const { target } = rowOf(field.operation)
    const ids =
      field.isFree && target
        ? (await target(fixtures, fixtures.tenants[0])).ids
        : [...pathValues(field.operation), 'unknown', 'unknown']
    const chosen = (kinds: object) =>
      Object.keys(kinds).filter((_, index, all) => isFirst || index === at % all.length)
    const takes = (type: string) => field.isFree || JSON.stringify(field.schema).includes(`"${type}"`)
    const taken = { ...TEXTS, ...(takes('array') ? ARRAY : {}), ...(field.isFree ? FREE : {}) }
    if ((isFirst && takes('string')) || field.isFree)
      for (const kind of chosen(taken)) await tryField(field, kind, LARGE, ids)
    else if (isOfNew) await tryField(field, chosen(TEXTS)[0] ?? '', LARGE, ids)
    await tryField(field, 'a flag of tags', SMALL, ids)
    if (field.isFree)
      for (const kind of chosen({ ...ARRAY, ...FREE, ...SCHEMAS })) await tryField(field, kind, STORED, ids)
  }

  test('no field of a body keeps the event loop busy for long', async () => {
    const fields = bodyFields()
    assert.ok(fields.length > 200, `${fields.length} fields`)
    const seen = new Set<string>()
    for (const [at, field] of fields.entries()) {
      // A schema takes the same time in each field. What a free field does with its value depends on its name too.
      const schema = JSON.stringify({ ...field.schema, description: '', examples: [] })
      const name = field.isFree ? nameOf(field) : ''
      const isFirst = !seen.has(`${name} ${schema}`)
      seen.add(`${name} ${schema}`)
      await tryKinds(field, at, isFirst, field.operation !== fields[at - 1]?.operation)
    }
    assert.deepEqual([slow, missed], [[], []])
  })

  test('nor does deep JSON', async () => {
    for (const json of [
      '['.repeat(LARGE),
      '{"a":'.repeat(LARGE / 5),
      `{"email":${nested(LARGE / 2, '1')}}`,
    ]) {
      const body = Buffer.from(json)
      const { status } = await measure('deep JSON', () =>
        send('POST', '/auth/login', headersFor(rowOf('POST /auth/login'), body), body),
      )
      assert.equal(status, 400)
    }
    assert.deepEqual([slow, missed], [[], []])
  })

  test('nor does a path, a query or a header', async () => {
    for (const [kind, text] of Object.entries(TEXTS)) {
      for (const { operation, in: place, name } of textParameters()) {
        const [method = '', template = ''] = operation.split(' ')
        if (!['GET', 'HEAD'].includes(method) && place !== 'path') continue
        const value = encodeURIComponent(text(place === 'path' ? 500 : 4000))
        const path = (place === 'path' ? template.replace(`{${name}}`, value) : template).replaceAll(
          /\{\w+\}/g,
          'unknown',
        )
        const headers = { authorization: `Bearer ${bearerOf(rowOf(operation).word)}` }
        await measure(`${operation} ${place} ${name}, ${kind}`, () =>
          send(method, place === 'query' ? `${path}?${name}=${value}` : path, headers),
        )
      }
    }
    const spaces = {
      spaces: `Bearer a${' '.repeat(12_000)}b`,
      brackets: '<'.repeat(12_000),
      separators: ',;=, '.repeat(3000),
    }
    for (const name of [
      'authorization',
      'x-api-key',
      'x-agent-api-key',
      'idempotency-key',
      'cookie',
      'accept',
      'accept-encoding',
      'accept-language',
      'user-agent',
      'origin',
      'x-forwarded-for',
      'if-none-match',
      'x-request-id',
      'traceparent',
      'content-type',
      'payment-processor-signature',
      'last-event-id',
      'host',
    ]) {
      for (const [kind, value] of Object.entries(spaces))
        await measure(`header ${name} of ${kind}`, () => send('GET', '/agents', { [name]: value }))
    }
    assert.deepEqual([slow, missed], [[], []])
  })
})
