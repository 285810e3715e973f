import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  PROVIDER_APIS,
  ProviderTrial,
  readStream,
  upstreamCall,
  upstreamFailure,
  upstreamParts,
  type UpstreamFault,
} from '#test'
import type { FailureKind } from '../core/upstream.ts'
import { createUpstream, providerFaults } from './index.ts'

const HASTY_MS = 300

let trial: ProviderTrial
let upstream: ProviderTrial['upstream']

before(async () => {
  trial = await ProviderTrial.open('openai', 'anthropic', 'google')
  upstream = trial.upstream
})
after(() => trial.close())

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

for (const api of PROVIDER_APIS)
  for (const [fault, whole, streamed, hasChunks] of FAULTS)
    test(`${api[1]}: classifies the fault ${fault}`, async () => {
      const isHanging = fault.startsWith('hang')
      const more = isHanging ? { firstByteMs: HASTY_MS } : {}
      trial.server.next({ fault })
      const answer = upstream.complete(upstreamCall(api, {}, more))
      if (whole) {
        const failure = await upstreamFailure(answer)
        // The headers of the whole answer came with another type than that of a stream.
        assert.equal(failure.kind, whole)
        assert.equal(failure.retryAfterMs, fault === 'rate_limited_retry_after' ? 1000 : null)
      } else assert.equal((await answer).completion.choices[0]?.finish_reason, 'stop')
      trial.server.next({ fault, text: 'one two three four five six', delayMs: 5 })
      const { chunks, kind } = await readStream(upstream, upstreamCall(api, { stream: true }, more))
      assert.equal(kind, streamed)
      assert.equal(chunks.length > 0, hasChunks)
    })

test('ends a slow answer at its deadline, in both forms', async () => {
  for (const api of PROVIDER_APIS) {
    trial.server.next({ fault: 'slow_drip', delayMs: 20_000 }, { fault: 'slow_drip', delayMs: 20_000 })
    const late = { totalMs: HASTY_MS }
    assert.equal((await upstreamFailure(upstream.complete(upstreamCall(api, {}, late)))).kind, 'timeout')
    const { chunks, kind } = await readStream(upstream, upstreamCall(api, { stream: true }, late))
    assert.equal(kind, 'timeout')
    assert.ok(chunks.length > 0)
  }
})

/** The first chunk must come within it, also beside other tests. */
const TOTAL_MS = 4000

test('knows an answer that was late because nobody read it from one that came late', async () => {
  // Longer than what waits for its reader in this process and in the connection.
  const text = 'word '.repeat(200_000)
  for (const isRead of [false, true]) {
    trial.server.next(isRead ? { fault: 'slow_drip', delayMs: 20_000 } : { text })
    const call = upstreamCall(['openai', 'openai-chat'], { stream: true }, { totalMs: TOTAL_MS })
    const chunks = (await upstream.stream(call)).chunks[Symbol.asyncIterator]()
    await chunks.next()
    if (!isRead) await new Promise(resolve => setTimeout(resolve, TOTAL_MS + 100))
    const rest = async () => {
      while (!(await chunks.next()).done);
    }
    const failure = await upstreamFailure(rest())
    assert.deepEqual([failure.kind, failure.isOfReader], ['timeout', !isRead])
  }
})

test('closes the connection to the provider when the caller cancels', async () => {
  for (const api of PROVIDER_APIS) {
    const controller = new AbortController()
    const hold = new Promise(() => {})
    trial.server.next({ hold, text: 'one two three four' })
    const stream = await upstream.stream(upstreamCall(api, { stream: true }, { signal: controller.signal }))
    const read = async () => {
      for await (const _ of stream.chunks) controller.abort()
    }
    await assert.rejects(read(), { name: 'AbortError' })
    assert.equal(await trial.server.requests.at(-1)?.closed, true)
  }
})

test('closes the connection to the provider when the reader leaves the stream', async () => {
  trial.server.next({ hold: new Promise(() => {}), text: 'one two three four' })
  const stream = await upstream.stream(upstreamCall(['openai', 'openai-chat'], { stream: true }))
  for await (const _ of stream.chunks) break
  assert.equal(await trial.server.requests.at(-1)?.closed, true)
  trial.server.next({ hold: new Promise(() => {}), text: 'one two three four' })
  const unread = await upstream.stream(upstreamCall(['openai', 'openai-chat'], { stream: true }))
  await unread.chunks[Symbol.asyncIterator]().return?.()
  assert.equal(await trial.server.requests.at(-1)?.closed, true)
})

test('cancels a call that waits for headers, and one that was canceled before', async () => {
  const controller = new AbortController()
  trial.server.next({ fault: 'hang_before_headers' })
  const count = trial.server.requests.length
  const pending = upstream.complete(
    upstreamCall(['openai', 'openai-chat'], {}, { signal: controller.signal }),
  )
  while (trial.server.requests.length === count) await new Promise(resolve => setTimeout(resolve, 10))
  controller.abort()
  await assert.rejects(pending, { name: 'AbortError' })
  assert.equal(await trial.server.requests.at(-1)?.closed, true)
  const gone = upstreamCall(['openai', 'openai-chat'], {}, { signal: AbortSignal.abort() })
  await assert.rejects(upstream.complete(gone), { name: 'AbortError' })
  assert.equal(trial.server.requests.length, count + 1)
})

test('uses a connection again after a stream', async () => {
  const sockets = new Set<unknown>()
  for (let at = 0; at < 8; at += 1) {
    const { error } = await readStream(upstream, upstreamCall(['google', 'openai-chat'], { stream: true }))
    assert.equal(error, null)
    assert.equal(await trial.server.requests.at(-1)?.closed, false)
    sockets.add(trial.server.requests.at(-1)?.port)
  }
  // The end of one answer may come while the next request is sent.
  assert.ok(sockets.size < 4, String(sockets.size))
})

test('is simulated until a provider has a key', async () => {
  const simulated = createUpstream(upstreamParts({}))
  assert.equal(simulated.simulated, true)
  assert.equal(simulated.isConfigured('zai'), true)
  assert.equal(upstream.simulated, false)
  assert.deepEqual([upstream.isConfigured('openai'), upstream.isConfigured('zai')], [true, false])
  assert.deepEqual([upstream.stopsOnCancel('openai'), upstream.stopsOnCancel('google')], [true, false])
  const failure = await upstreamFailure(upstream.complete(upstreamCall(['zai', 'openai-chat'])))
  assert.equal(failure.kind, 'credentials')
})

test('injects each fault into the simulator, as often as asked', async () => {
  const services = upstreamParts({})
  const simulated = createUpstream(services)
  for (const [fault, whole, streamed, hasChunks] of FAULTS) {
    providerFaults(services).inject('openai', { kind: fault, delayMs: 1 }, 2)
    const more = fault.startsWith('hang') ? { firstByteMs: HASTY_MS } : {}
    const call = upstreamCall(['openai', 'openai-chat'], {}, more)
    if (whole) assert.equal((await upstreamFailure(simulated.complete(call))).kind, whole)
    else assert.ok((await simulated.complete(call)).usage)
    const { chunks, kind } = await readStream(simulated, call)
    assert.equal(kind, streamed)
    assert.equal(chunks.length > 0, hasChunks)
    assert.equal((await readStream(simulated, call)).error, null)
  }
})

test('a deadline does not depend on the clock of the machine', async t => {
  trial.server.decide = () => {
    // It goes back by an hour before the first byte.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
    return { text: 'one two', hold: new Promise(() => undefined) }
  }
  const deadlines = { firstByteMs: HASTY_MS, totalMs: HASTY_MS + 1 }
  const { kind } = await readStream(
    upstream,
    upstreamCall(['openai', 'openai-chat'], { stream: true }, deadlines),
  )
  trial.server.decide = () => undefined
  assert.equal(kind, 'timeout')
})
