import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../test/support/gateway/funds.ts'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { postTo } from '../../../../test/support/gateway/surface-clients.ts'
import { ProgrammableUpstream } from '../../../../test/support/gateway/upstream.ts'

const MODEL = 'gpt-6-luna'

const CACHED_FOR_LONG = {
  type: 'text',
  text: 'Hi',
  prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' },
}

suite('settings of a routing key', () => {
  let upstream: ProgrammableUpstream
  let service: TestService
  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService(upstream.settings('openai'))
  })
  after(async () => {
    await service.close()
    await upstream.close()
  })
  async function openTrial(settings: object): Promise<GatewayTrial> {
    const trial = await GatewayTrial.open(service, settings)
    await creditRouting(service.services.db, trial.owner.id, 50_000_000n, false)
    return trial
  }
  const sentText = () => JSON.stringify(upstream.requests.at(-1)?.body.messages)

  test('personal data leaves prompts only where the key asks for it', async () => {
    const content = 'Write to ada@example.com or +49 30 901820, card 4111 1111 1111 1111'
    const messages = [{ role: 'user', content: [{ type: 'text', text: content }] }]
    await (await openTrial({})).chat({ model: MODEL, messages })
    assert.ok(sentText().includes('ada@example.com'))
    await (await openTrial({ redactPii: true })).chat({ model: MODEL, messages })
    assert.ok(sentText().includes('Write to [EMAIL] or [PHONE], card [CARD]'), sentText())
  })

  test('a tool without its function is a 400', async () => {
    const { status, text } = await (await openTrial({})).chat({ model: MODEL, tools: [{ type: 'function' }] })
    assert.equal(status, 400, text)
    assert.match(text, /tools\.0\.function is required/)
  })

  test('a key uses the models that it allows', async () => {
    const trial = await openTrial({ allowedModels: [MODEL] })
    assert.equal((await trial.chat({ model: 'auto' })).body.model, MODEL)
    const { status, body } = await trial.chat({ model: 'gpt-6-astra' })
    assert.deepEqual([status, body.message], [403, 'Model not allowed'])
  })

  test('an answer that was cut at a limit of the gateway is not answered from the cache', async () => {
    const trial = await openTrial({ cacheSeconds: 600 })
    const cacheOf = async (body: object) =>
      (await trial.chat({ model: MODEL, ...body })).headers.get('x-svc-cache')
    for (const stream of [false, true]) {
      const messages = [{ role: 'user', content: `Write a book, ${String(stream)}` }]
      upstream.next({ finish: 'length' }, {})
      assert.equal(await cacheOf({ messages, stream }), 'miss')
      assert.equal(await cacheOf({ messages }), 'miss')
      assert.equal(await cacheOf({ messages }), 'hit')
      upstream.next({ finish: 'length' })
      assert.equal(await cacheOf({ messages, stream, max_tokens: 50 }), 'miss')
      assert.equal(await cacheOf({ messages, max_tokens: 50 }), 'hit')
    }
  })

  test('identical requests are answered from the cache where the key asks for it', async () => {
    const trial = await openTrial({ cacheSeconds: 600 })
    const first = await trial.chat({ model: MODEL })
    assert.equal(first.headers.get('x-svc-cache'), 'miss')
    const before = upstream.requests.length
    const second = await trial.chat({ model: MODEL, user: 'someone' })
    assert.deepEqual(
      [second.headers.get('x-svc-cache'), second.body.usage.cost, second.headers.get('x-svc-cost-usd')],
      ['hit', 0, '0.00'],
    )
    assert.deepEqual(second.body.choices, first.body.choices)
    assert.notEqual(second.body.id, first.body.id)
    const stream = await trial.chat({ model: MODEL, stream: true })
    assert.equal(stream.headers.get('x-svc-cache'), 'hit')
    assert.match(stream.text, /Hello from gpt-6-luna.*data: \[DONE\]/s)
    assert.equal(upstream.requests.length, before)
    const rows = await trial.usage(3)
    assert.deepEqual(
      rows.map(({ outcome, cost }) => [outcome, cost > 0n]),
      [
        ['completed', true],
        ['cached', false],
        ['cached', false],
      ],
    )
    assert.equal((await trial.chat({ model: MODEL, max_tokens: 9 })).headers.get('x-svc-cache'), 'miss')
    const other = await GatewayTrial.withKey(service, trial.owner, { cacheSeconds: 600 })
    assert.equal((await other.chat({ model: MODEL })).headers.get('x-svc-cache'), 'miss')
  })

  test('a model that the account excludes now does not answer from the cache', async () => {
    const trial = await openTrial({ cacheSeconds: 600 })
    const stored = await trial.chat({ model: 'auto' })
    assert.equal((await trial.chat({ model: 'auto' })).headers.get('x-svc-cache'), 'hit')
    const path = '/v1/routing/config'
    const { token } = trial.owner
    const denied = await service.http('POST', path, { token, body: { deny: [stored.body.model] } })
    assert.equal(denied.status, 201, denied.text)
    const answered = await trial.chat({ model: 'auto' })
    assert.equal(answered.headers.get('x-svc-cache'), 'miss', answered.text)
    assert.notEqual(answered.body.model, stored.body.model)
  })

  test('errors have the form of OpenAI where the key asks for it', async () => {
    const openai = await openTrial({ errorFormat: 'openai' })
    const { body } = await openai.chat({ model: 'gpt-0' })
    assert.deepEqual(Object.keys(body), ['statusCode', 'message', 'error'])
    assert.equal(body.error.code, 'model_not_found')
    const envelope = await openTrial({ errorFormat: 'envelope' })
    assert.equal((await envelope.chat({ model: 'gpt-0' })).body.error, 'Not Found')
    const vercel = await envelope.chat({ model: 'gpt-0' }, { 'user-agent': 'ai/7 ai-sdk/openai-compatible' })
    assert.equal(vercel.body.error.type, 'invalid_request_error')
  })

  test('refuses what costs extra, and content without a price', async () => {
    const trial = await openTrial({})
    for (const [param, body] of [
      ['service_tier', { service_tier: 'priority' }],
      ['modalities', { modalities: ['text', 'audio'] }],
      ['search_parameters', { search_parameters: { mode: 'on' } }],
      ['deferred', { deferred: true }],
      ['enable_code_interpreter', { enable_code_interpreter: true }],
      ['tools', { tools: [{ type: 'web_search' }] }],
      ['prompt_cache_options', { prompt_cache_options: { ttl: '12h' } }],
      ['prompt_cache_options', { prompt_cache_options: { prewarm: true } }],
      ['messages.0.content', { messages: [{ role: 'user', content: [CACHED_FOR_LONG] }] }],
      [
        'messages.0.content',
        { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      ],
    ] as const) {
      const { status, body: answer } = await trial.chat(
        { model: 'auto', ...body },
        { 'x-stainless-lang': 'js' },
      )
      assert.deepEqual([status, answer.error.code, answer.error.param], [400, 'unsupported_parameter', param])
    }
  })

  test('refuses the routing of other gateways, which would be ignored', async () => {
    const trial = await openTrial({})
    for (const [param, value] of [
      ['provider', { order: ['Mistral'], data_collection: 'deny' }],
      ['models', ['gpt-6-luna', 'mistral-small-2603']],
      ['route', 'fallback'],
      ['transforms', ['middle-out']],
      ['fallbacks', ['gpt-6-luna']],
    ] as const) {
      const { status, body } = await trial.chat({ [param]: value }, { 'x-stainless-lang': 'js' })
      assert.deepEqual([status, body.error.code, body.error.param], [400, 'unsupported_parameter', param])
      assert.match(body.error.message, /allowedModels of the key/)
    }
  })

  test("takes OpenRouter's reasoning as the effort, and leaves its hints out", async () => {
    const trial = await openTrial({})
    const received = async (body: object) => {
      const { status, text } = await trial.chat({ model: MODEL, ...body })
      assert.equal(status, 201, text)
      return upstream.requests.at(-1)?.body ?? {}
    }
    const sent = await received({
      reasoning: { effort: 'high', exclude: true },
      include_reasoning: true,
      usage: { include: true },
    })
    assert.deepEqual(Object.keys(sent).toSorted(), [
      'max_completion_tokens',
      'messages',
      'model',
      'reasoning_effort',
    ])
    assert.equal(sent.reasoning_effort, 'high')
    assert.equal((await received({ reasoning: { enabled: false } })).reasoning_effort, 'none')
    const both = { reasoning: { effort: 'high' }, reasoning_effort: 'low' }
    assert.equal((await received(both)).reasoning_effort, 'low')
    const { status, body } = await trial.chat(
      { reasoning: { max_tokens: 2000 } },
      { 'x-stainless-lang': 'js' },
    )
    assert.deepEqual([status, body.error.param], [400, 'reasoning.max_tokens'])
  })

  test('a limit below the lowest one of the Responses API is raised to it', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const { status } = await (await openTrial({})).chat({ model: MODEL, tools, max_tokens: 1 })
    const { path, body } = upstream.requests.at(-1) ?? {}
    assert.deepEqual([status, path, body?.max_output_tokens], [201, '/v1/responses', 16])
  })

  test('names the type of a tool that is not offered', async () => {
    const tools = [{ type: 'custom', custom: { name: 'look' } }]
    const { status, body } = await (await openTrial({})).chat({ model: MODEL, tools })
    assert.deepEqual([status, body.code], [400, 'UNSUPPORTED_PARAMETER'])
    assert.equal(body.hint, 'Tools of the type custom are not offered: declare functions')
  })

  test('refuses functions in the form that tools replaced', async () => {
    const trial = await openTrial({})
    for (const [param, body] of [
      ['functions', { functions: [{ name: 'look', parameters: { type: 'object' } }] }],
      ['function_call', { function_call: { name: 'look' } }],
    ] as const)
      for (const model of ['auto', 'claude-haiku-5-5', 'gpt-5.2-pro']) {
        const headers = { 'x-stainless-lang': 'js' }
        const { status, body: answer } = await trial.chat({ model, ...body }, headers)
        assert.deepEqual([status, answer.error?.param], [400, param], model)
        assert.match(answer.error.message, /send tools and tool_choice/)
      }
    const empty = await trial.chat({ model: 'auto', functions: [], function_call: null })
    assert.equal(empty.status, 201, empty.text)
  })

  test('refuses caches of an hour wherever a request may ask for one', async () => {
    const trial = await openTrial({})
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const look = { name: 'look', parameters: { type: 'object' } }
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'Found' }
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const thought = { type: 'thinking', thinking: 'Hm', signature: 's' }
    for (const [param, body] of [
      ['cache_control', hour],
      ['tools.0.cache_control', { tools: [{ type: 'function', function: look, ...hour }] }],
      ['tools.0.cache_control', { tools: [{ type: 'function', function: { ...look, ...hour } }] }],
      [
        'messages.0.content',
        { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ...hour }] }] },
      ],
      ['messages.0.cache_control', { messages: [{ ...result, ...hour }] }],
      [
        'messages.0.tool_calls',
        { messages: [{ role: 'assistant', content: null, tool_calls: [{ ...call, ...hour }] }] },
      ],
      [
        'messages.0.thinking_blocks',
        { messages: [{ role: 'assistant', content: 'x', thinking_blocks: [{ ...thought, ...hour }] }] },
      ],
    ] as const) {
      const { status, body: answer } = await trial.chat(
        { model: 'auto', ...body },
        { 'x-stainless-lang': 'js' },
      )
      assert.deepEqual([status, answer.error.param], [400, param])
    }
    const short = { cache_control: { type: 'ephemeral', ttl: '5m' } }
    const { status } = await trial.chat({
      model: MODEL,
      tools: [{ type: 'function', function: look, ...short }],
      messages: [{ ...result, ...short }],
    })
    assert.equal(status, 201)
    const tools = [{ name: 'look', input_schema: { type: 'object' }, ...hour }]
    const messages = [{ role: 'user', content: 'Hello' }]
    const refused = await postTo(trial, '/v1/messages', { model: 'auto', max_tokens: 9, messages, tools })
    assert.equal(refused.status, 400)
    const content = [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Found', ...hour }]
    const marked = { model: 'auto', max_tokens: 9, messages: [{ role: 'user', content }] }
    assert.equal((await postTo(trial, '/v1/messages', marked)).status, 400)
  })

  test('a request without a model takes the default model of the account', async () => {
    const trial = await openTrial({})
    const { status } = await service.http('POST', '/v1/routing/config', {
      token: trial.owner.token,
      body: { defaultModel: MODEL },
    })
    assert.equal(status, 201)
    const deadline = Date.now() + 20_000
    for (;;) {
      const { body } = await trial.chat({ model: undefined })
      if (body.model === MODEL) break
      assert.ok(Date.now() < deadline, body.model)
    }
  })
})
