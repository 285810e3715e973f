import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { readConfig } from '#platform/kernel/config'
import { ProgrammableUpstream, type UpstreamFault } from '#test'
import type { ChatChunk, ChatRequest } from '../core/chat.ts'
import type { Model, ProviderApi, ProviderId } from '../core/model.ts'
import { UpstreamFailure, type FailureKind, type Upstream, type UpstreamCall } from '../core/upstream.ts'
import { createUpstream, providerFaults } from './index.ts'

const APIS: [ProviderId, ProviderApi][] = [
  ['openai', 'openai-chat'],
  ['anthropic', 'anthropic-messages'],
  ['openai', 'openai-responses'],
]
const PATIENT_MS = 30_000
const HASTY_MS = 300

let server: ProgrammableUpstream
let upstream: Upstream & { stop(): Promise<void> }

before(async () => {
  server = await ProgrammableUpstream.open()
  upstream = createUpstream(parts(server.settings('openai', 'anthropic', 'google')))
})
after(async () => {
  await upstream.stop()
  await server.close()
})

const parts = (env: Record<string, string>) => ({ config: readConfig(env), memo: new Map() })

const modelOf = (provider: ProviderId, api: ProviderApi): Model => ({
  id: `model-of-${provider}`,
  provider,
  tier: 'economy',
  context: 1000,
  maxOutput: 1000,
  capabilities: { vision: true, tools: true, json_schema: true, reasoning: true },
  api,
})

const callOf = (
  [provider, api]: [ProviderId, ProviderApi],
  request: Partial<ChatRequest> = {},
  more: Partial<UpstreamCall> = {},
): UpstreamCall => ({
  model: modelOf(provider, api),
  request: { model: 'auto', messages: [{ role: 'user', content: 'Hi' }], ...request },
  maxTokens: 64,
  signal: new AbortController().signal,
  firstByteMs: PATIENT_MS,
  totalMs: PATIENT_MS,
  ...more,
})

async function collect(call: UpstreamCall): Promise<{ chunks: ChatChunk[]; error: unknown }> {
  const chunks: ChatChunk[] = []
  try {
    for await (const batch of (await upstream.stream(call)).chunks) chunks.push(...batch)
    return { chunks, error: null }
  } catch (error) {
    return { chunks, error }
  }
}

async function failureOf(run: Promise<unknown>): Promise<UpstreamFailure> {
  const error: unknown = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof UpstreamFailure, String(error))
  return error
}

/** Fault -> what it is for a whole answer, what it is for a stream, and whether chunks come before it. */
const FAULTS: [UpstreamFault, FailureKind | null, FailureKind | null, boolean][] = [
  ['rate_limited', 'rate_limited', 'rate_limited', false],
  ['rate_limited_retry_after', 'rate_limited', 'rate_limited', false],
  ['server_error', 'server_error', 'server_error', false],
  ['unavailable', 'server_error', 'server_error', false],
  ['hang_before_headers', 'timeout', 'timeout', false],
  ['hang_after_headers', 'timeout', 'timeout', false],
  ['cut_mid_stream', 'cut', 'cut', true],
  ['malformed_chunk', 'malformed', 'malformed', true],
  ['empty', 'empty', 'empty', false],
  ['slow_drip', null, null, true],
  ['wrong_content_type', 'malformed', 'malformed', false],
  ['reset', 'connection', 'connection', false],
]

for (const api of APIS)
  for (const [fault, whole, streamed, hasChunks] of FAULTS)
    test(`${api[1]}: classifies the fault ${fault}`, async () => {
      const isHanging = fault.startsWith('hang')
      const more = isHanging ? { firstByteMs: HASTY_MS } : {}
      server.next({ fault })
      const answer = upstream.complete(callOf(api, {}, more))
      if (whole) {
        const failure = await failureOf(answer)
        // The headers of the whole answer came with another type than that of a stream.
        assert.equal(failure.kind, whole)
        assert.equal(failure.retryAfterMs, fault === 'rate_limited_retry_after' ? 1000 : null)
      } else assert.equal((await answer).completion.choices[0]?.finish_reason, 'stop')
      server.next({ fault, text: 'one two three four five six', delayMs: 5 })
      const { chunks, error } = await collect(callOf(api, { stream: true }, more))
      assert.equal(error instanceof UpstreamFailure ? error.kind : error, streamed)
      assert.equal(chunks.length > 0, hasChunks)
    })

test('ends a slow answer at its deadline, in both forms', async () => {
  for (const api of APIS) {
    server.next({ fault: 'slow_drip', delayMs: 20_000 }, { fault: 'slow_drip', delayMs: 20_000 })
    const late = { totalMs: HASTY_MS }
    assert.equal((await failureOf(upstream.complete(callOf(api, {}, late)))).kind, 'timeout')
    const { chunks, error } = await collect(callOf(api, { stream: true }, late))
    assert.equal(error instanceof UpstreamFailure && error.kind, 'timeout')
    assert.ok(chunks.length > 0)
  }
})

test('closes the connection to the provider when the caller cancels', async () => {
  for (const api of APIS) {
    const controller = new AbortController()
    const hold = new Promise(() => {})
    server.next({ hold, text: 'one two three four' })
    const stream = await upstream.stream(callOf(api, { stream: true }, { signal: controller.signal }))
    const read = async () => {
      for await (const _ of stream.chunks) controller.abort()
    }
    await assert.rejects(read(), { name: 'AbortError' })
    assert.equal(await server.requests.at(-1)?.closed, true)
  }
})

test('closes the connection to the provider when the reader leaves the stream', async () => {
  server.next({ hold: new Promise(() => {}), text: 'one two three four' })
  const stream = await upstream.stream(callOf(['openai', 'openai-chat'], { stream: true }))
  for await (const _ of stream.chunks) break
  assert.equal(await server.requests.at(-1)?.closed, true)
  server.next({ hold: new Promise(() => {}), text: 'one two three four' })
  const unread = await upstream.stream(callOf(['openai', 'openai-chat'], { stream: true }))
  await unread.chunks[Symbol.asyncIterator]().return?.()
  assert.equal(await server.requests.at(-1)?.closed, true)
})

test('cancels a call that waits for headers, and one that was canceled before', async () => {
  const controller = new AbortController()
  server.next({ fault: 'hang_before_headers' })
  const count = server.requests.length
  const pending = upstream.complete(callOf(['openai', 'openai-chat'], {}, { signal: controller.signal }))
  while (server.requests.length === count) await new Promise(resolve => setTimeout(resolve, 10))
  controller.abort()
  await assert.rejects(pending, { name: 'AbortError' })
  assert.equal(await server.requests.at(-1)?.closed, true)
  const gone = callOf(['openai', 'openai-chat'], {}, { signal: AbortSignal.abort() })
  await assert.rejects(upstream.complete(gone), { name: 'AbortError' })
  assert.equal(server.requests.length, count + 1)
})

test('uses a connection again after a stream', async () => {
  const sockets = new Set<unknown>()
  for (let at = 0; at < 8; at += 1) {
    const { error } = await collect(callOf(['google', 'openai-chat'], { stream: true }))
    assert.equal(error, null)
    assert.equal(await server.requests.at(-1)?.closed, false)
    sockets.add(server.requests.at(-1)?.port)
  }
  // The end of one answer may come while the next request is sent.
  assert.ok(sockets.size < 4, String(sockets.size))
})

const STATUSES: [number, unknown, FailureKind][] = [
  [400, { error: { message: 'messages: too short' } }, 'refused'],
  [422, { detail: [{ msg: 'wrong' }] }, 'refused'],
  [413, '<html>', 'refused'],
  [
    400,
    [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }],
    'credentials',
  ],
  [401, { error: { message: 'Incorrect API key provided: sk-abcdef1234567890' } }, 'credentials'],
  [402, { error: { message: 'Insufficient Balance' } }, 'credentials'],
  [403, {}, 'credentials'],
  [404, { error: { message: 'The model does not exist' } }, 'credentials'],
  [408, {}, 'timeout'],
  [429, { error: { code: 'insufficient_quota' } }, 'credentials'],
  [429, 'slow down', 'rate_limited'],
  [500, '', 'server_error'],
  [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'server_error'],
  [302, '', 'malformed'],
]

for (const [status, body, kind] of STATUSES)
  test(`takes status ${status} with ${JSON.stringify(body).slice(0, 40)} as ${kind}`, async () => {
    server.next({ status, body, headers: { location: 'http://127.0.0.1:1/' } })
    const failure = await failureOf(upstream.complete(callOf(['openai', 'openai-chat'])))
    assert.deepEqual([failure.kind, failure.status], [kind, status])
    assert.doesNotMatch(failure.message, /sk-|127\.0\.0\.1/)
  })

test('passes the reason of a refused request on, without the key', async () => {
  const key = 'key-of-openai-4f1c9a77'
  server.next({ status: 400, body: { error: { message: `Unknown field x, sent with ${key}` } } })
  const failure = await failureOf(upstream.complete(callOf(['openai', 'openai-chat'])))
  assert.match(failure.message, /^Unknown field x, sent with \*\*\*$/)
  assert.doesNotMatch(inspect(failure, { depth: 10 }), new RegExp(key))
})

test('reads Retry-After in seconds, as a date and in milliseconds', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
  const headers: [Record<string, string>, (ms: number | null) => boolean][] = [
    [{ 'retry-after': '7' }, ms => ms === 7000],
    [{ 'retry-after': inAnHour }, ms => ms !== null && ms > 3_000_000 && ms <= 3_600_000],
    [{ 'retry-after': '7', 'retry-after-ms': '250' }, ms => ms === 250],
    [{ 'retry-after': 'soon' }, ms => ms === null],
  ]
  for (const [header, isRight] of headers) {
    server.next({ status: 503, headers: header })
    const { retryAfterMs } = await failureOf(upstream.complete(callOf(['openai', 'openai-chat'])))
    assert.ok(isRight(retryAfterMs), `${JSON.stringify(header)}: ${retryAfterMs}`)
  }
})

test('takes an error inside of a stream as a failure', async () => {
  const headers = { 'content-type': 'text/event-stream' }
  const cases: [ProviderApi, ProviderId, string, FailureKind][] = [
    ['openai-chat', 'openai', 'data: {"error":{"message":"overloaded","code":503}}\n\n', 'server_error'],
    [
      'openai-chat',
      'openai',
      'data: {"error":{"type":"rate_limit_error","message":"x"}}\n\n',
      'rate_limited',
    ],
    [
      'anthropic-messages',
      'anthropic',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      'server_error',
    ],
    [
      'openai-responses',
      'openai',
      'data: {"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"x"}}}\n\n',
      'rate_limited',
    ],
    [
      'openai-responses',
      'openai',
      'data: {"type":"error","code":"server_error","message":"x"}\n\n',
      'server_error',
    ],
  ]
  for (const [api, provider, body, kind] of cases) {
    server.next({ status: 200, body, headers })
    const { error } = await collect(callOf([provider, api], { stream: true }))
    assert.equal(error instanceof UpstreamFailure ? error.kind : error, kind)
  }
})

test('a stream without a finish reason, or without its end, is cut', async () => {
  const headers = { 'content-type': 'text/event-stream' }
  const chunk = (finish: string | null) =>
    `data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":${JSON.stringify(finish)}}]}\n\n`
  for (const body of [`${chunk(null)}data: [DONE]\n\n`, chunk('stop')]) {
    server.next({ status: 200, body, headers })
    const { chunks, error } = await collect(callOf(['openai', 'openai-chat'], { stream: true }))
    assert.equal(error instanceof UpstreamFailure ? error.kind : error, 'cut')
    assert.equal(chunks.length, 1)
  }
})

test('refuses an unreachable provider without naming its address', async () => {
  const lost = createUpstream(parts({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }))
  const failure = await failureOf(lost.complete(callOf(['openai', 'openai-chat'])))
  assert.equal(failure.kind, 'connection')
  assert.doesNotMatch(failure.message, /127/)
  await lost.stop()
})

test('is simulated until a provider has a key', async () => {
  const simulated = createUpstream(parts({}))
  assert.equal(simulated.simulated, true)
  assert.equal(simulated.isConfigured('zai'), true)
  assert.equal(upstream.simulated, false)
  assert.deepEqual([upstream.isConfigured('openai'), upstream.isConfigured('zai')], [true, false])
  assert.deepEqual([upstream.stopsOnCancel('openai'), upstream.stopsOnCancel('google')], [true, false])
  const failure = await failureOf(upstream.complete(callOf(['zai', 'openai-chat'])))
  assert.equal(failure.kind, 'credentials')
})

test('injects each fault into the simulator, as often as asked', async () => {
  const services = parts({})
  const simulated = createUpstream(services)
  const real = upstream
  upstream = simulated
  try {
    for (const [kind, whole, streamed, hasChunks] of FAULTS) {
      providerFaults(services).inject('openai', { kind, delayMs: 1 }, 2)
      const more = kind.startsWith('hang') ? { firstByteMs: HASTY_MS } : {}
      const call = callOf(['openai', 'openai-chat'], {}, more)
      if (whole) assert.equal((await failureOf(simulated.complete(call))).kind, whole)
      else assert.ok((await simulated.complete(call)).usage)
      const { chunks, error } = await collect(call)
      assert.equal(error instanceof UpstreamFailure ? error.kind : error, streamed)
      assert.equal(chunks.length > 0, hasChunks)
      assert.equal((await collect(call)).error, null)
    }
  } finally {
    upstream = real
  }
})
