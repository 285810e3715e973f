import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProviderTrial, upstreamCall } from '#test'
import { CHAT_MODELS } from '../catalog/data/models.ts'
import type { ChatRequest, ToolDefinition } from '../core/chat.ts'
import { missingParameter } from './index.ts'

let trial: ProviderTrial

before(async () => {
  trial = await ProviderTrial.open(
    ...(['openai', 'deepseek', 'moonshot', 'mistral', 'alibaba', 'zai', 'xai', 'google'] as const),
  )
})
after(() => trial.close())

const TOOL: ToolDefinition = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }
const LOOK = { type: 'function', function: { name: 'look' } }

/** A call of a model of the catalog. */
function callOf(id: string, request: Partial<ChatRequest>) {
  const model = CHAT_MODELS.find(each => each.id === id)
  assert.ok(model)
  return upstreamCall([model.provider, model.api], request, { model })
}

/** What its provider receives, and where. */
async function sent(id: string, request: Partial<ChatRequest>) {
  await trial.upstream.complete(callOf(id, request))
  const { path = '', body = {} } = trial.server.requests.at(-1) ?? {}
  return { path: path.replace('/v1/', ''), body }
}

const missing = (id: string, fields: Partial<ChatRequest>): string | undefined => {
  const { model, request } = callOf(id, fields)
  return missingParameter(model, request)
}

test('the models of OpenAI call functions by the Responses API', async () => {
  for (const id of ['gpt-6-luna', 'gpt-6.1-terra', 'gpt-6-astra', 'gpt-5.2-pro']) {
    const { path, body } = await sent(id, { tools: [TOOL], tool_choice: LOOK })
    assert.equal(path, 'responses', id)
    assert.deepEqual(body.tools, [{ type: 'function', strict: false, ...TOOL.function }])
    assert.deepEqual(body.tool_choice, { type: 'function', name: 'look' })
  }
  for (const tools of [undefined, []])
    assert.equal((await sent('gpt-6-luna', tools ? { tools } : {})).path, 'chat/completions')
  // What the other API lacks counts with tools only.
  assert.equal(missing('gpt-6-luna', { stop: ['END'], n: 2 }), undefined)
  assert.equal(missing('gpt-6-luna', { stop: ['END'], tools: [TOOL] }), 'stop')
  assert.equal(missing('gpt-6-luna', { n: 2, tools: [TOOL] }), 'n')
  assert.equal(missing('gpt-6-astra', { stop: ['END'] }), 'stop')
})

test('parameters of sampling are left out where a model that reasons refuses them', async () => {
  const sampling = { temperature: 0.2, top_p: 0.9 }
  const received = async (id: string, request: Partial<ChatRequest> = {}) => {
    const { temperature, top_p } = (await sent(id, { ...sampling, ...request })).body
    return { ...(temperature ? { temperature } : {}), ...(top_p ? { top_p } : {}) }
  }
  for (const id of ['gpt-6-luna', 'gpt-6-astra', 'gpt-5.2-pro', 'kimi-k2.6', 'kimi-k3'])
    assert.deepEqual(await received(id), {}, id)
  for (const id of ['deepseek-flash', 'mistral-small-2603'])
    assert.deepEqual(await received(id), sampling, id)
  const unreasoned = { reasoning_effort: 'none' }
  assert.deepEqual(await received('gpt-6-luna', unreasoned), sampling)
  assert.deepEqual(await received('gpt-6-luna', { ...unreasoned, tools: [TOOL] }), sampling)
  assert.equal(missing('gpt-6-luna', { logprobs: true }), 'logprobs')
  assert.equal(missing('gpt-6-luna', { logprobs: true, ...unreasoned }), undefined)
  assert.equal(missing('kimi-k2.6', { presence_penalty: 0.5 }), 'presence_penalty')
})

test('the lowest effort has the name that OpenAI knows', async () => {
  const minimal = { reasoning_effort: 'minimal' }
  assert.equal((await sent('gpt-6-luna', minimal)).body.reasoning_effort, 'low')
  assert.deepEqual((await sent('gpt-6-luna', { ...minimal, tools: [TOOL] })).body.reasoning, {
    effort: 'low',
  })
})

test('an effort that a model lacks becomes the next higher one that it has', async () => {
  const effortOf = async (id: string, reasoning_effort: string) =>
    (await sent(id, { reasoning_effort })).body.reasoning_effort
  for (const [id, asked, received] of [
    ['mistral-small-2603', 'low', 'high'],
    ['mistral-small-2603', 'none', 'none'],
    ['grok-4.3', 'none', 'none'],
    ['grok-4.3', 'minimal', 'low'],
    ['grok-4.3', 'xhigh', 'high'],
    ['gemini-3.1-pro-preview', 'max', 'high'],
    ['kimi-k3', 'medium', 'high'],
    ['kimi-k3', 'xhigh', 'max'],
    // A name that a later version of its API may have.
    ['grok-4.3', 'extreme', 'extreme'],
    // These always think.
    ['gemini-3.1-pro-preview', 'none', 'low'],
    ['kimi-k3', 'none', 'low'],
  ] as const)
    assert.equal(await effortOf(id, asked), received, `${id} ${asked}`)
  const { body } = await sent('gpt-5.2-pro', { reasoning_effort: 'none', temperature: 0.2 })
  assert.deepEqual([body.reasoning, body.temperature], [{ effort: 'medium' }, undefined])
  assert.equal(missing('gpt-5.2-pro', { reasoning_effort: 'none', logprobs: true }), 'logprobs')
})

test('no effort turns thinking off where another key does that', async () => {
  const none = { reasoning_effort: 'none' }
  const keysOf = async (id: string, request: object) => {
    const { thinking, enable_thinking, reasoning_effort } = (await sent(id, request)).body
    return [thinking, enable_thinking, reasoning_effort]
  }
  for (const id of ['deepseek-flash', 'kimi-k2.6', 'glm-5'])
    assert.deepEqual(await keysOf(id, none), [{ type: 'disabled' }, undefined, undefined], id)
  assert.deepEqual(await keysOf('qwen3.7-flash', none), [undefined, false, undefined])
  // The key of the provider comes first.
  const both = { ...none, enable_thinking: true }
  assert.deepEqual(await keysOf('qwen3.7-flash', both), [undefined, true, undefined])
})

test('a summary of the thoughts is asked for where an API has one', async () => {
  const asked = { reasoning: { summary: 'auto' }, reasoning_effort: 'high' }
  assert.deepEqual((await sent('gpt-5.2-pro', asked)).body.reasoning, { summary: 'auto', effort: 'high' })
  for (const id of ['gpt-6-luna', 'deepseek-flash']) {
    const { body } = await sent(id, asked)
    assert.deepEqual([body.reasoning, body.reasoning_effort], [undefined, 'high'], id)
  }
})

test('labels of an answer that is not stored are left out where they are refused', async () => {
  const metadata = { team: 'support' }
  const received = async (id: string, request: Partial<ChatRequest>) =>
    (await sent(id, request)).body.metadata
  assert.equal(await received('gpt-6-luna', { metadata }), undefined)
  assert.deepEqual(await received('gpt-6-luna', { metadata, store: true }), metadata)
  assert.deepEqual(await received('gpt-6-luna', { metadata, tools: [TOOL] }), metadata)
  assert.deepEqual(await received('mistral-small-2603', { metadata }), metadata)
})

test('marks of the cache of OpenAI reach OpenAI alone', async () => {
  const mark = { prompt_cache_breakpoint: { mode: 'explicit' } }
  const messages: ChatRequest['messages'] = [
    { role: 'user', content: [{ type: 'text', text: 'Hi', ...mark }] },
  ]
  const request = { messages, prompt_cache_options: { mode: 'explicit' } }
  const { body } = await sent('gpt-6-luna', request)
  assert.deepEqual([body.messages, body.prompt_cache_options], [messages, request.prompt_cache_options])
  const other = (await sent('kimi-k2.6', request)).body
  assert.deepEqual(other.messages, [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }])
  assert.equal(other.prompt_cache_options, undefined)
})

test('thoughts that the limit of the answer does not include have a limit of their own', async () => {
  const budgetOf = async (request: Partial<ChatRequest> & Record<string, unknown>) =>
    (await sent('qwen3.7-flash', request)).body.thinking_budget
  const { maxTokens } = callOf('qwen3.7-flash', {})
  assert.equal(await budgetOf({}), maxTokens)
  assert.equal(await budgetOf({ thinking_budget: 10 }), 10)
  assert.equal(await budgetOf({ thinking_budget: 10 * maxTokens }), maxTokens)
  assert.equal('thinking_budget' in (await sent('kimi-k2.6', {})).body, false)
  const beyond = (id: string, request: object) => {
    const call = callOf(id, request)
    return trial.upstream.thinksBeyondLimit(call.model.provider, call.request)
  }
  assert.deepEqual(
    [
      beyond('qwen3.7-flash', {}),
      beyond('qwen3.7-flash', { reasoning_effort: 'none', enable_thinking: true }),
      beyond('qwen3.7-flash', { enable_thinking: false }),
      beyond('qwen3.7-flash', { reasoning_effort: 'none' }),
      beyond('kimi-k2.6', {}),
    ],
    [true, true, false, false, false],
  )
  assert.equal(missing('qwen3.7-flash', { vl_high_resolution_images: true }), 'vl_high_resolution_images')
})

test('an image is read in no more tokens than are reserved for it', async () => {
  const url = 'https://example.com/a.png'
  const image = { type: 'image_url', image_url: { url }, min_pixels: 4096, max_pixels: 16_777_216 }
  const { body } = await sent('qwen3.7-flash', { messages: [{ role: 'user', content: [image] }] })
  assert.deepEqual(body.messages, [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }])
})

test('a forced call is one without thinking where both are refused', async () => {
  for (const id of ['deepseek-flash', 'kimi-k2.6'])
    for (const tool_choice of ['required', LOOK]) {
      const { body } = await sent(id, { tools: [TOOL], tool_choice, reasoning_effort: 'high' })
      assert.deepEqual(
        [body.thinking, body.reasoning_effort, body.tool_choice],
        [{ type: 'disabled' }, undefined, tool_choice],
        id,
      )
    }
  const qwen = await sent('qwen3.7-flash', { tools: [TOOL], tool_choice: 'required' })
  assert.equal(qwen.body.enable_thinking, false)
  const { body } = await sent('deepseek-flash', { tools: [TOOL], tool_choice: 'auto' })
  assert.equal('thinking' in body, false)
  for (const id of ['kimi-k3', 'glm-5']) {
    assert.equal(missing(id, { tools: [], tool_choice: 'required' }), undefined, id)
    assert.equal(missing(id, { tools: [TOOL], tool_choice: 'required' }), 'tool_choice', id)
    assert.equal(missing(id, { tools: [TOOL], tool_choice: 'auto' }), undefined, id)
  }
})

test('without tools no provider receives what says how to call them', async () => {
  for (const id of ['gpt-6-luna', 'gpt-5.2-pro', 'deepseek-flash', 'mistral-small-2603', 'kimi-k2.6'])
    for (const tools of [undefined, []])
      for (const tool_choice of ['auto', 'none', 'required']) {
        const { body } = await sent(id, {
          ...(tools ? { tools } : {}),
          tool_choice,
          parallel_tool_calls: true,
        })
        const { tools: received, tool_choice: choice, parallel_tool_calls: parallel, thinking } = body
        assert.deepEqual(
          [received, choice, parallel, thinking],
          [undefined, undefined, undefined, undefined],
          id,
        )
      }
})

test('texts in parts are one text where a provider takes no parts', async () => {
  const text = (content: string) => ({ type: 'text', text: content })
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: [text('Be brief'), text('Be kind')] },
    { role: 'user', content: [text('Look'), image] },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: [text('A'), text('B')] },
  ]
  const contents = async (id: string) => {
    const { body } = await sent(id, { messages })
    return (body.messages as { content: unknown }[]).map(({ content }) => content)
  }
  for (const id of ['deepseek-flash', 'glm-5'])
    assert.deepEqual(await contents(id), ['Be brief\nBe kind', [text('Look'), image], null, 'A\nB'], id)
  assert.deepEqual(
    await contents('gpt-6-luna'),
    messages.map(({ content }) => content),
  )
})

test('an image of a tool result reaches the Responses API', async () => {
  const url = 'https://example.com/a.png'
  const content = [
    { type: 'text', text: 'Seen' },
    { type: 'image_url', image_url: { url } },
  ]
  const messages: ChatRequest['messages'] = [{ role: 'tool', tool_call_id: 'call_1', content }]
  const outputs = async () =>
    ((await sent('gpt-6-luna', { messages, tools: [TOOL] })).body.input as object[])[0]
  const item = { type: 'function_call_output', call_id: 'call_1' }
  const output = [
    { type: 'input_text', text: 'Seen' },
    { type: 'input_image', image_url: url, detail: 'auto' },
  ]
  assert.deepEqual(await outputs(), { ...item, output })
  content.pop()
  assert.deepEqual(await outputs(), { ...item, output: 'Seen' })
})

test('glm-5, which takes no tool_choice, offers only tools that may be called', async () => {
  const { body } = await sent('glm-5', { tools: [TOOL], tool_choice: 'none', parallel_tool_calls: false })
  assert.deepEqual(
    [body.tools, body.tool_choice, body.parallel_tool_calls],
    [undefined, undefined, undefined],
  )
  assert.equal(
    (await sent('mistral-small-2603', { tools: [TOOL], tool_choice: 'none' })).body.tool_choice,
    'none',
  )
  const some = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [LOOK] } }
  assert.equal(missing('glm-5', { tools: [TOOL], tool_choice: some }), 'tool_choice')
})
