import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PROVIDER_APIS, ProviderTrial, upstreamCall } from '#test'
import type { ChatMessage, ChatRequest } from '../core/chat.ts'

let trial: ProviderTrial

before(async () => {
  trial = await ProviderTrial.open('openai', 'anthropic', 'mistral', 'deepseek', 'zai', 'google')
})
after(() => trial.close())

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: true,
  },
}
const CONVERSATION: ChatMessage[] = [
  { role: 'system', content: 'Be brief' },
  { role: 'developer', content: 'Be kind' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
    ],
  },
  {
    role: 'assistant',
    content: 'Let me see',
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bonn"}' } },
      { id: 'call_2', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Ulm"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '20 degrees' },
  { role: 'tool', tool_call_id: 'call_2', content: '21 degrees' },
  { role: 'user', content: 'And now?' },
]
const FULL: Partial<ChatRequest> = {
  messages: CONVERSATION,
  tools: [WEATHER],
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
  parallel_tool_calls: false,
  stop: ['END'],
  user: 'end-user-1',
  reasoning_effort: 'high',
  max_tokens: 9999,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
  },
}

test('openai-chat: sends a conversation with tools, images and a schema', async () => {
  await trial.upstream.complete(upstreamCall(['openai', 'openai-chat'], FULL))
  const { max_tokens: _limit, ...rest } = FULL
  assert.deepEqual(trial.lastBody, { ...rest, model: 'model-of-openai', max_completion_tokens: 64 })
  assert.equal(trial.server.requests.at(-1)?.headers.authorization, 'Bearer key-of-openai-4f1c9a77')
  assert.match(trial.server.requests.at(-1)?.path ?? '', /\/v1\/chat\/completions$/)
  const streamed = await trial.sentStream(['openai', 'openai-chat'], { stream_options: null })
  assert.deepEqual([streamed.stream, streamed.stream_options], [true, { include_usage: true }])
})

test('anthropic-messages: sends a conversation with tools, images and a schema', async () => {
  assert.deepEqual(await trial.sent(['anthropic', 'anthropic-messages'], FULL), {
    model: 'model-of-anthropic',
    max_tokens: 64,
    system: [
      { type: 'text', text: 'Be brief' },
      { type: 'text', text: 'Be kind' },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see' },
          { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Bonn' } },
          { type: 'tool_use', id: 'call_2', name: 'get_weather', input: { city: 'Ulm' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: '20 degrees' },
          { type: 'tool_result', tool_use_id: 'call_2', content: '21 degrees' },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
    tools: [
      {
        name: 'get_weather',
        description: 'The weather',
        input_schema: WEATHER.function.parameters,
        strict: true,
      },
    ],
    tool_choice: { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'high' },
    stop_sequences: ['END'],
    metadata: { user_id: 'end-user-1' },
  })
  const { headers, path } = trial.server.requests.at(-1) ?? {}
  assert.equal(headers?.['x-api-key'], 'key-of-anthropic-4f1c9a77')
  assert.equal(headers['anthropic-version'], '2023-06-01')
  assert.match(path ?? '', /\/v1\/messages$/)
})

test('anthropic-messages: passes cache marks, thoughts and tool choices on', async () => {
  const cache_control = { type: 'ephemeral' }
  const thinking_blocks = [{ type: 'thinking', thinking: 'Hm', signature: 's' }]
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
  await trial.upstream.complete(
    upstreamCall(['anthropic', 'anthropic-messages'], {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Long', cache_control }] },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello', thinking_blocks },
        { role: 'user', content: 'Again' },
        { role: 'assistant', content: null, tool_calls: [{ ...call, cache_control }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Nothing', is_error: true, cache_control },
      ],
      tools: [WEATHER],
      tool_choice: 'required',
      response_format: { type: 'json_object' },
      reasoning_effort: 'none',
      temperature: 0.3,
    }),
  )
  const body = trial.lastBody
  assert.deepEqual(body.system, [
    { type: 'text', text: 'Long', cache_control },
    { type: 'text', text: 'Answer with one JSON object and nothing else.' },
  ])
  assert.deepEqual((body.messages as unknown[])[1], {
    role: 'assistant',
    content: [...thinking_blocks, { type: 'text', text: 'Hello' }],
  })
  assert.deepEqual((body.messages as unknown[]).slice(3), [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: {}, cache_control }],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'Nothing', is_error: true, cache_control },
      ],
    },
  ])
  assert.deepEqual(body.tool_choice, { type: 'any' })
  assert.deepEqual(body.thinking, { type: 'disabled' })
  assert.equal('temperature' in body, false)
})

test('anthropic-messages: sends instructions alone as the turn of a user', async () => {
  for (const role of ['system', 'developer'] as const) {
    const messages = [{ role, content: 'Make a joke' }]
    await trial.upstream.complete(upstreamCall(['anthropic', 'anthropic-messages'], { messages }))
    const body = trial.lastBody
    assert.equal('system' in body, false)
    assert.deepEqual(body.messages, [{ role: 'user', content: [{ type: 'text', text: 'Make a joke' }] }])
  }
})

test('openai-responses: sends a conversation with tools, images and a schema', async () => {
  assert.deepEqual(await trial.sent(['openai', 'openai-responses'], FULL), {
    model: 'model-of-openai',
    max_output_tokens: 64,
    store: false,
    input: [
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief' }] },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBO', detail: 'auto' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see' }] },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Bonn"}' },
      { type: 'function_call', call_id: 'call_2', name: 'get_weather', arguments: '{"city":"Ulm"}' },
      { type: 'function_call_output', call_id: 'call_1', output: '20 degrees' },
      { type: 'function_call_output', call_id: 'call_2', output: '21 degrees' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
    ],
    tools: [{ type: 'function', ...WEATHER.function }],
    tool_choice: { type: 'function', name: 'get_weather' },
    text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true } },
    reasoning: { effort: 'high' },
    parallel_tool_calls: false,
    user: 'end-user-1',
  })
  assert.match(trial.server.requests.at(-1)?.path ?? '', /\/v1\/responses$/)
})

test('openai-chat: adapts a request to what the provider accepts', async () => {
  const request: Partial<ChatRequest> = {
    messages: [{ role: 'developer', content: 'Be kind', name: 'boss' }],
    seed: 7,
    user: 'end-user-1',
    store: true,
    prompt_cache_key: 'k',
    max_completion_tokens: 5000,
    custom_key: 1,
  }
  assert.deepEqual(await trial.sent(['mistral', 'openai-chat'], request), {
    model: 'model-of-mistral',
    messages: [{ role: 'system', content: 'Be kind' }],
    max_tokens: 64,
    random_seed: 7,
  })
  assert.deepEqual(await trial.sent(['deepseek', 'openai-chat'], request), {
    model: 'model-of-deepseek',
    messages: [{ role: 'system', content: 'Be kind', name: 'boss' }],
    max_tokens: 64,
    user: 'end-user-1',
    custom_key: 1,
  })
  await trial.upstream.complete(upstreamCall(['zai', 'openai-chat'], request))
  assert.equal(trial.lastBody.user_id, 'end-user-1')
  assert.equal('stream_options' in (await trial.sentStream(['mistral', 'openai-chat'])), false)
})

test('refuses several choices where the API has one', async () => {
  for (const api of PROVIDER_APIS.slice(1))
    await assert.rejects(trial.upstream.complete(upstreamCall(api, { n: 2 })), {
      kind: 'refused',
      status: 400,
    })
})

test('embeds inputs', async () => {
  const { model } = upstreamCall(['openai', 'openai-embeddings'])
  const answer = await trial.upstream.embed({
    model,
    body: { model: 'text', input: ['a', 'b'], dimensions: 2 },
    signal: new AbortController().signal,
    totalMs: 30_000,
  })
  assert.equal((answer.body.data as unknown[]).length, 2)
  assert.equal(answer.usage?.input, 10)
  assert.deepEqual(trial.lastBody, { model: 'model-of-openai', input: ['a', 'b'], dimensions: 2 })
  await assert.rejects(trial.upstream.complete(upstreamCall(['openai', 'openai-embeddings'])), {
    kind: 'refused',
  })
})

test('names the end user of embeddings where the provider takes it', async () => {
  for (const [provider, user] of [
    ['openai', 'end-user-1'],
    ['google', undefined],
  ] as const) {
    const { model } = upstreamCall([provider, 'openai-embeddings'])
    await trial.upstream.embed({ model, body: { input: 'a', user: 'end-user-1' }, totalMs: 30_000 })
    assert.equal(trial.lastBody.user, user, provider)
  }
})
