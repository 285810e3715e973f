import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../test/support/gateway/funds.ts'
import { GatewayTrial, type UsageRow } from '../../../../test/support/gateway/gateway-trial.ts'
import { anthropicOf } from '../../../../test/support/gateway/surface-clients.ts'
import {
  ProgrammableUpstream,
  type Step,
  type UpstreamFault,
} from '../../../../test/support/gateway/upstream.ts'

const PROVIDERS = [
  'alibaba',
  'anthropic',
  'deepseek',
  'google',
  'mistral',
  'moonshot',
  'openai',
  'xai',
  'zai',
]
/** Long enough for a slow machine, and for the models that hang just long enough to hang. */
const HANG = '700/1500'

interface Case {
  fault: UpstreamFault
  /** A model of its own, so that its breaker stays closed. */
  model: string
  /** What the caller gets as JSON. */
  whole: { status: number; code?: string; outcome: string }
  /** What a stream is: refused before its first byte, complete, or broken off by an error event. */
  stream: { status: number; code?: string; outcome: string; isPaid: boolean }
}

const refusal = (status: number, code: string) => ({ status, code, outcome: 'failed', isPaid: false })
const COMPLETE = { status: 201, outcome: 'completed', isPaid: true }
const BROKEN = { status: 201, code: 'stream_broken', outcome: 'partial', isPaid: true }
const same = (fault: UpstreamFault, model: string, end: Case['stream']): Case => ({
  fault,
  model,
  whole: end,
  stream: end,
})

const CASES: readonly Case[] = [
  same('rate_limited', 'qwen3.7-flash', refusal(503, 'provider_rate_limited')),
  same('server_error', 'gpt-6-luna', refusal(502, 'provider_error')),
  same('unavailable', 'claude-haiku-5-5', refusal(502, 'provider_error')),
  same('hang_before_headers', 'deepseek-flash', refusal(504, 'provider_timeout')),
  same('hang_after_headers', 'mistral-small-2603', refusal(504, 'provider_timeout')),
  {
    fault: 'cut_mid_stream',
    model: 'kimi-k2.6',
    whole: refusal(502, 'provider_error'),
    stream: BROKEN,
  },
  {
    fault: 'malformed_chunk',
    model: 'glm-5',
    whole: refusal(502, 'provider_error'),
    stream: BROKEN,
  },
  same('empty', 'gpt-6.1-terra', refusal(502, 'provider_error')),
  same('slow_drip', 'grok-4.3', COMPLETE),
  same('wrong_content_type', 'claude-sonnet-5-5', refusal(502, 'provider_error')),
  same('reset', 'kimi-k3', refusal(502, 'provider_error')),
]

suite('faults of a provider', () => {
  let upstream: ProgrammableUpstream
  let service: TestService
  let trial: GatewayTrial
  let recorded = 0

  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService({
      ...upstream.settings(...PROVIDERS),
      GATEWAY_RETRIES: '1',
      GATEWAY_DEADLINES: ['deepseek-flash', 'mistral-small-2603'].map(model => `${model}=${HANG}`).join(','),
    })
    trial = await GatewayTrial.open(service)
    await creditRouting(service.services.db, trial.owner.id, 100_000_000n, false)
  })
  after(async () => {
    await service.close()
    await upstream.close()
  })

  const lastUsage = async (): Promise<UsageRow> => {
    recorded++
    const row = (await trial.usage(recorded)).at(-1)
    assert.ok(row)
    return row
  }
  const always = (step: Step) => {
    upstream.usual = step
  }

  for (const { fault, model, whole, stream } of CASES) {
    test(`${fault}: a whole answer is ${whole.code ?? 'complete'}`, async () => {
      always({ fault, text: 'one two three four', delayMs: 20 })
      const { status, body } = await trial.chat({ model }, { 'x-stainless-lang': 'js' })
      assert.deepEqual([status, body.error?.code], [whole.status, whole.code])
      const row = await lastUsage()
      assert.deepEqual([row.outcome, row.cost > 0n], [whole.outcome, whole.status === 201])
      assert.equal(row.attempts.length, whole.status === 201 || whole.status === 504 ? 1 : 2)
    })

    test(`${fault}: a stream is ${stream.code ?? 'complete'}`, async () => {
      always({ fault, text: 'one two three four', delayMs: 20 })
      const { status, text } = await trial.chat({ model, stream: true }, { 'x-stainless-lang': 'js' })
      assert.equal(status, stream.status)
      const row = await lastUsage()
      assert.deepEqual([row.outcome, row.cost > 0n], [stream.outcome, stream.isPaid])
      assert.equal(text.includes('data: [DONE]'), stream === COMPLETE)
      if (stream.code) assert.ok(text.includes(`"code":"${stream.code}"`), text)
      if (stream === BROKEN) assert.match(text, /"finish_reason":"error"\}\],"error":\{[^\n]+\n\n$/)
    })
  }

  test('a stream that breaks off before its text failed as any other: it counts no tokens', async () => {
    const choices = [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]
    upstream.next({
      status: 200,
      body: `data: ${JSON.stringify({ id: 'x', created: 1, choices })}\n\n`,
      headers: { 'content-type': 'text/event-stream' },
    })
    const begun = service.services.clock.now().toISOString()
    const { text } = await trial.chat({ model: 'gpt-6-astra', stream: true })
    assert.ok(text.includes('"finish_reason":"error"'), text)
    const { outcome, inputTokens, cost } = await lastUsage()
    assert.deepEqual([outcome, inputTokens, cost], ['failed', 0, 0n])
    // Nothing was saved by an answer that did not come.
    const { body } = await service.http<{ baselineUsd: string }>(
      'GET',
      `/v1/analytics/savings?from=${encodeURIComponent(begun)}`,
      { token: trial.owner.token },
    )
    assert.equal(body.baselineUsd, '0.00')
  })

  test('so did a stream of Anthropic, which counts a token at its start', async () => {
    const message = {
      id: 'msg_upstream',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 5000, output_tokens: 1 },
    }
    const events = [
      { type: 'message_start', message },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ]
    upstream.next({
      status: 200,
      body: events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      headers: { 'content-type': 'text/event-stream' },
    })
    const { text } = await trial.chat({ model: 'claude-opus-5', stream: true })
    assert.ok(text.includes('"finish_reason":"error"'), text)
    const { outcome, inputTokens, cost } = await lastUsage()
    assert.deepEqual([outcome, inputTokens, cost], ['failed', 0, 0n])
  })

  test('a provider that says when to come back is asked again then', async () => {
    always({})
    upstream.next({ fault: 'rate_limited_retry_after' })
    const { status, headers } = await trial.chat({ model: 'claude-opus-5' })
    assert.deepEqual([status, headers.get('x-svc-attempts')], [201, '2'])
    const row = await lastUsage()
    assert.deepEqual(
      row.attempts.map(({ result }) => result),
      ['rate_limited', 'ok'],
    )
  })

  test('another model answers for one that fails, at its own price', async () => {
    always({})
    const { body: usual } = await trial.chat({ model: 'svc/performance' })
    await lastUsage()
    upstream.decide = ({ body }) => (body.model === usual.model ? { fault: 'server_error' } : undefined)
    for (const stream of [false, true]) {
      const { status, headers } = await trial.chat({ model: 'svc/performance', stream })
      assert.equal(status, 201)
      const model = headers.get('x-svc-model')
      assert.notEqual(model, usual.model)
      const row = await lastUsage()
      assert.deepEqual(
        row.attempts.map(each => `${each.model} ${each.result}`),
        [`${usual.model} server_error`, `${usual.model} server_error`, `${model} ok`],
      )
      assert.equal(row.model, model)
    }
    upstream.decide = () => undefined
  })

  test('what the provider refuses is 400 with its text, and no other model is tried', async () => {
    upstream.next({
      status: 400,
      body: { error: { message: 'Invalid image', type: 'invalid_request_error' } },
    })
    const before = upstream.requests.length
    const { status, body } = await trial.chat({ model: 'auto' }, { 'x-stainless-lang': 'js' })
    assert.deepEqual([status, body.error.code], [400, 'provider_refused'])
    assert.match(body.error.message, /Invalid image/)
    assert.equal(upstream.requests.length, before + 1)
    assert.deepEqual([(await lastUsage()).outcome, (await trial.usage(0)).at(-1)?.cost], ['failed', 0n])
  })

  test('a prompt that the provider finds too long is context_length_exceeded on every surface', async () => {
    const TEXT = 'prompt is too long: 210000 tokens > 200000 maximum'
    upstream.decide = ({ path }) => ({
      status: 400,
      body: path.endsWith('/messages')
        ? { type: 'error', error: { type: 'invalid_request_error', message: TEXT } }
        : { error: { message: TEXT, type: 'invalid_request_error', code: 'context_length_exceeded' } },
    })
    const messages = [{ role: 'user' as const, content: 'Say hello' }]
    const openai = trial.openai()
    const anthropic = anthropicOf(trial)
    const max_tokens = 300
    const calls: ((model: string) => PromiseLike<unknown>)[] = [
      model => openai.chat.completions.create({ model, messages }),
      model => openai.chat.completions.create({ model, messages, stream: true }),
      model => openai.responses.create({ model, input: 'Say hello' }),
      model => openai.responses.create({ model, input: 'Say hello', stream: true }),
      model => anthropic.messages.create({ model, messages, max_tokens }),
      model => anthropic.messages.create({ model, messages, max_tokens, stream: true }),
    ]
    const sent = upstream.requests.length
    // With "auto" no other model is asked either: the request is at fault.
    for (const model of ['gpt-6-luna', 'claude-opus-5', 'auto'])
      for (const call of calls)
        await assert.rejects(Promise.resolve(call(model)), (error: unknown) => {
          assert.ok(error instanceof OpenAI.BadRequestError || error instanceof Anthropic.BadRequestError)
          // Clients of Anthropic look for the text, LangChain for the other one.
          assert.match(error.message, /prompt is too long.*maximum context length.*210000 tokens > 200000/)
          if (error instanceof OpenAI.BadRequestError) assert.equal(error.code, 'context_length_exceeded')
          else assert.equal(error.type, 'invalid_request_error')
          return true
        })
    upstream.decide = () => undefined
    assert.equal(upstream.requests.length, sent + 18)
    recorded += 18
    const rows = (await trial.usage(recorded)).slice(-18)
    assert.ok(
      rows.every(
        ({ outcome, cost, attempts }) => outcome === 'failed' && cost === 0n && attempts.length === 1,
      ),
    )
  })

  test('the books agree with what was recorded', async () => {
    const rows = await trial.usage(recorded)
    assert.equal(rows.length, recorded)
    const charged = rows.reduce((sum, { cost, fee }) => sum + cost + fee, 0n)
    assert.equal(await trial.balance(false), 100_000_000n - charged)
  })
})
