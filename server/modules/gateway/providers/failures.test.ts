import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { ProviderTrial, readStream, upstreamCall, upstreamFailure, upstreamParts } from '#test'
import type { ProviderApi, ProviderId } from '../core/model.ts'
import type { FailureKind } from '../core/upstream.ts'
import { createUpstream } from './index.ts'

let trial: ProviderTrial
let upstream: ProviderTrial['upstream']

before(async () => {
  trial = await ProviderTrial.open('openai', 'anthropic')
  upstream = trial.upstream
})
after(() => trial.close())

const STATUSES: [number, unknown, FailureKind][] = [
  [400, { error: { message: 'messages: too short' } }, 'refused'],
  [422, { detail: [{ msg: 'wrong' }] }, 'refused'],
  [413, '<html>', 'refused'],
  [400, { error: { message: 'Unknown parameter: "authentication" (api_key, unauthorized)' } }, 'refused'],
  [400, { error: { message: 'x', type: 'invalid_request_error', code: 'invalid_api_key' } }, 'credentials'],
  [
    400,
    [{ error: { code: 400, message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] } }],
    'credentials',
  ],
  [400, { code: 'invalid-argument', error: 'Incorrect API key provided: xa***bc.' }, 'credentials'],
  [400, { error: { message: 'Unknown field: "Incorrect API key provided"' } }, 'refused'],
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
    trial.server.next({ status, body, headers: { location: 'http://127.0.0.1:1/' } })
    const failure = await upstreamFailure(upstream.complete(upstreamCall(['openai', 'openai-chat'])))
    assert.deepEqual([failure.kind, failure.status], [kind, status])
    assert.doesNotMatch(failure.message, /sk-|127\.0\.0\.1/)
  })

const TOO_LONG: [number, unknown, boolean][] = [
  [400, { error: { message: 'x', type: 'invalid_request_error', code: 'context_length_exceeded' } }, true],
  [400, { type: 'error', error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } }, true],
  [
    400,
    { error: { message: 'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000' } },
    true,
  ],
  [
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    true,
  ],
  [
    400,
    { message: 'Prompt contains 66385 tokens, too large for model with 32768 maximum context length' },
    true,
  ],
  [
    400,
    {
      code: 'invalid-argument',
      error: "This model's maximum prompt length is 131072 but the request contains",
    },
    true,
  ],
  [400, { error: { message: 'Invalid request: Your request exceeded model token limit: 262144' } }, true],
  [400, { error: { message: '<400> InternalError.Algo: Range of input length should be [1, 98304]' } }, true],
  [400, { error: { code: '1261', message: 'Prompt exceeds max length' } }, true],
  [400, { error: { message: 'messages: too short' } }, false],
  // The provider is at fault, or our key, whatever its text says.
  [429, { error: { message: 'Reduce the prompt: maximum context length' } }, false],
  [401, { error: { code: 'context_length_exceeded' } }, false],
]

test('knows what providers say of a prompt that is too long', async () => {
  for (const [status, body, expected] of TOO_LONG) {
    trial.server.next({ status, body })
    const failure = await upstreamFailure(upstream.complete(upstreamCall(['openai', 'openai-chat'])))
    assert.equal(failure.exceedsContext, expected, JSON.stringify(body))
  }
})

test('passes the reason of a refused request on, without the key', async () => {
  const key = 'key-of-openai-4f1c9a77'
  trial.server.next({ status: 400, body: { error: { message: `Unknown field x, sent with ${key}` } } })
  const failure = await upstreamFailure(upstream.complete(upstreamCall(['openai', 'openai-chat'])))
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
    trial.server.next({ status: 503, headers: header })
    const { retryAfterMs } = await upstreamFailure(upstream.complete(upstreamCall(['openai', 'openai-chat'])))
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
    [
      'openai-responses',
      'openai',
      'data: {"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"x"}}}\n\n',
      'refused',
    ],
    [
      'openai-chat',
      'openai',
      'data: {"error":{"code":"context_length_exceeded","message":"x"}}\n\n',
      'refused',
    ],
  ]
  for (const [api, provider, body, expected] of cases) {
    trial.server.next({ status: 200, body, headers })
    const { kind } = await readStream(upstream, upstreamCall([provider, api], { stream: true }))
    assert.equal(kind, expected)
  }
})

test('a stream without a finish reason, or without its end, is cut', async () => {
  const headers = { 'content-type': 'text/event-stream' }
  const chunk = (finish: string | null) =>
    `data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":${JSON.stringify(finish)}}]}\n\n`
  for (const body of [`${chunk(null)}data: [DONE]\n\n`, chunk('stop')]) {
    trial.server.next({ status: 200, body, headers })
    const { chunks, kind } = await readStream(
      upstream,
      upstreamCall(['openai', 'openai-chat'], { stream: true }),
    )
    assert.equal(kind, 'cut')
    assert.equal(chunks.length, 1)
  }
})

test('refuses an unreachable provider without naming its address', async () => {
  const lost = createUpstream(
    upstreamParts({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }),
  )
  const failure = await upstreamFailure(lost.complete(upstreamCall(['openai', 'openai-chat'])))
  assert.equal(failure.kind, 'connection')
  assert.doesNotMatch(failure.message, /127/)
  await lost.stop()
})
