import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProviderTrial, readStream, upstreamCall } from '#test'
import type { ChatMessage } from '../core/chat.ts'

let trial: ProviderTrial

before(async () => {
  trial = await ProviderTrial.open(
    'openai',
    'anthropic',
    'mistral',
    'deepseek',
    'moonshot',
    'zai',
    'google',
    'xai',
  )
})
after(() => trial.close())

test('anthropic-messages: the mark of a message goes to its last part', async () => {
  const cache_control = { type: 'ephemeral' }
  const text = (text: string, more: object = {}) => ({ type: 'text', text, ...more })
  const thought = { type: 'thinking', thinking: 'Hm', signature: 's' }
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Long', cache_control },
    { role: 'user', content: [text('One'), text('Two')], cache_control },
    { role: 'assistant', content: 'See', tool_calls: [call], cache_control },
    { role: 'tool', tool_call_id: 'call_1', content: 'Nothing' },
    { role: 'assistant', content: [text('End'), thought], cache_control },
    { role: 'user', content: [text('Again', { cache_control: { type: 'own' } })], cache_control },
    { role: 'assistant', content: '', cache_control },
  ]
  const { system, messages: turns } = await trial.sent(['anthropic', 'anthropic-messages'], { messages })
  assert.deepEqual(system, [text('Long', { cache_control })])
  assert.deepEqual(
    (turns as { content: unknown }[]).map(({ content }) => content),
    [
      [text('One'), text('Two', { cache_control })],
      [text('See'), { type: 'tool_use', id: 'call_1', name: 'look', input: {}, cache_control }],
      [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Nothing' }],
      [text('End', { cache_control }), thought],
      [text('Again', { cache_control: { type: 'own' } })],
    ],
  )
})

test('an answer that is sent back as it came has no keys that others than OpenAI refuse', async () => {
  const { completion } = await trial.upstream.complete(upstreamCall(['openai', 'openai-chat']))
  const message: ChatMessage = {
    ...completion.choices[0]?.message,
    role: 'assistant',
    annotations: [],
    audio: null,
    function_call: null,
    parsed: { city: 'Bonn' },
  }
  const refusal: ChatMessage = { role: 'assistant', content: null, refusal: 'No' }
  const sentTo = async (provider: 'google' | 'xai' | 'openai') =>
    (await trial.sent([provider, 'openai-chat'], { messages: [message, refusal] })).messages
  for (const provider of ['google', 'xai'] as const)
    assert.deepEqual(await sentTo(provider), [
      { role: 'assistant', content: 'Hello from model-of-openai' },
      { role: 'assistant', content: 'No' },
    ])
  assert.deepEqual(await sentTo('openai'), [message, refusal])
})

test('Google receives only the keys that it knows', async () => {
  const signature = { google: { thought_signature: 's' } }
  const foreign = { thinking: { type: 'disabled' }, enable_thinking: false, top_k: 5, min_p: 0.1 }
  const messages: ChatMessage[] = [
    { role: 'developer', content: 'Be brief' },
    { role: 'assistant', content: 'Hm', extra_content: signature, prefix: true },
  ]
  const own = { temperature: 0.2, stop: ['END'], extra_body: { google: {} } }
  const body = await trial.sent(['google', 'openai-chat'], { messages, ...own, ...foreign })
  assert.deepEqual(body, {
    model: 'model-of-google',
    max_tokens: 64,
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'assistant', content: 'Hm', extra_content: signature },
    ],
    ...own,
  })
})

test('anthropic-messages: texts without a visible character are left out', async () => {
  const text = (text: string) => ({ type: 'text', text })
  const messages: ChatMessage[] = [
    { role: 'system', content: ' ' },
    { role: 'user', content: [text('Hi'), text('\n')] },
    { role: 'assistant', content: '\n\n' },
    { role: 'user', content: 'Again' },
  ]
  const body = await trial.sent(['anthropic', 'anthropic-messages'], { messages })
  assert.deepEqual(
    [body.system, body.messages],
    [undefined, [{ role: 'user', content: [text('Hi'), text('Again')] }]],
  )
})

test('other providers receive no part that only Anthropic reads', async () => {
  const thoughts = [
    { type: 'thinking', thinking: 'Hm', signature: 's' },
    { type: 'redacted_thinking', data: 'x' },
  ]
  const text = { type: 'text', text: 'Hello' }
  const call = { id: 'aB3dE6gH9', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [...thoughts, text] },
    { role: 'assistant', content: thoughts, tool_calls: [call] },
  ]
  for (const provider of ['openai', 'mistral'] as const)
    assert.deepEqual(
      (await trial.sent([provider, 'openai-chat'], { messages })).messages,
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [text] },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
      provider,
    )
  assert.deepEqual((await trial.sent(['openai', 'openai-responses'], { messages })).input, [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    { type: 'function_call', call_id: 'aB3dE6gH9', name: 'look', arguments: '{}' },
  ])
  // A thought of Mistral in its own form.
  const own = [{ type: 'thinking', thinking: [text] }]
  const sent = await trial.sent(['mistral', 'openai-chat'], {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: own },
    ],
  })
  assert.deepEqual((sent.messages as unknown[])[1], { role: 'assistant', content: own })
})

const LOOK = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
/** Two turns with tools: the model thought before the first call, and what it thought before the second is not known. */
const AFTER_CALLS: ChatMessage[] = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: null, tool_calls: [LOOK], reasoning_content: 'Hm' },
  { role: 'tool', tool_call_id: 'call_1', content: 'Nothing' },
  { role: 'assistant', content: null, tool_calls: [LOOK] },
  { role: 'tool', tool_call_id: 'call_1', content: 'Nothing' },
  { role: 'assistant', content: 'No dog' },
  { role: 'user', content: 'And now?' },
]

test('thoughts go to the providers that read them, and no call is without where they are needed', async () => {
  const thoughtsAt = async (provider: 'deepseek' | 'moonshot' | 'zai' | 'openai' | 'google' | 'xai') => {
    const { messages } = await trial.sent([provider, 'openai-chat'], { messages: AFTER_CALLS })
    const turns = (messages as ChatMessage[]).filter(({ role }) => role === 'assistant')
    return turns.map(({ reasoning_content: thought }) => thought)
  }
  for (const provider of ['deepseek', 'moonshot'] as const)
    assert.deepEqual(await thoughtsAt(provider), ['Hm', ' ', undefined], provider)
  assert.deepEqual(await thoughtsAt('zai'), ['Hm', undefined, undefined])
  for (const provider of ['openai', 'google', 'xai'] as const)
    assert.deepEqual(await thoughtsAt(provider), [undefined, undefined, undefined], provider)
})

test('signed thoughts of Anthropic are no thoughts of another provider', async () => {
  const thinking_blocks = [{ type: 'thinking', thinking: 'Hm', signature: 's' }]
  const [question, turn, ...rest] = AFTER_CALLS
  assert.ok(question && turn)
  const { messages } = await trial.sent(['deepseek', 'openai-chat'], {
    messages: [question, { ...turn, thinking_blocks }, ...rest],
  })
  assert.deepEqual((messages as unknown[])[1], {
    role: 'assistant',
    content: null,
    tool_calls: [LOOK],
    reasoning_content: ' ',
  })
})

const SIGNATURE = { google: { thought_signature: 'c2lnbmVk' } }

test('the signature of a call comes back to Google, and an unknown one is replaced', async () => {
  const json = (body: object) => ({
    status: 200,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  const message = { role: 'assistant', content: null, tool_calls: [{ ...LOOK, extra_content: SIGNATURE }] }
  trial.server.next(json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
  const { completion } = await trial.upstream.complete(upstreamCall(['google', 'openai-chat']))
  const answered = completion.choices[0]?.message.tool_calls ?? []
  assert.deepEqual(answered, message.tool_calls)
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: answered },
    { role: 'assistant', content: null, tool_calls: [LOOK, LOOK] },
  ]
  const callsAt = async (provider: 'google' | 'openai') => {
    const sent = await trial.sent([provider, 'openai-chat'], { messages })
    return (sent.messages as ChatMessage[]).slice(1).map(({ tool_calls: calls }) => calls)
  }
  const skipped = { google: { thought_signature: 'skip_thought_signature_validator' } }
  assert.deepEqual(await callsAt('google'), [answered, [{ ...LOOK, extra_content: skipped }, LOOK]])
  assert.deepEqual(await callsAt('openai'), [[LOOK], [LOOK, LOOK]])
})

test('a stream has the signature of a call of Google', async () => {
  const delta = { tool_calls: [{ index: 0, ...LOOK, extra_content: SIGNATURE }] }
  const chunk = { id: 'x', created: 1, choices: [{ index: 0, delta, finish_reason: 'tool_calls' }] }
  const headers = { 'content-type': 'text/event-stream' }
  trial.server.next({ status: 200, body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, headers })
  const { chunks, error } = await readStream(trial.upstream, upstreamCall(['google', 'openai-chat']))
  assert.equal(error, null)
  assert.deepEqual(chunks[0]?.choices[0]?.delta.tool_calls, delta.tool_calls)
})

test('a mark for caches stays with Anthropic, wherever it is', async () => {
  const cache_control = { type: 'ephemeral' }
  const tool = { type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }
  const marked = { ...tool, cache_control, function: { ...tool.function, cache_control } }
  const request = { cache_control, tools: [marked] }
  const chat = await trial.sent(['openai', 'openai-chat'], request)
  assert.deepEqual([chat.tools, 'cache_control' in chat], [[tool], false])
  const responses = await trial.sent(['openai', 'openai-responses'], request)
  assert.deepEqual(responses.tools, [{ type: 'function', strict: false, ...tool.function }])
  const messages = await trial.sent(['anthropic', 'anthropic-messages'], request)
  assert.deepEqual(messages.cache_control, cache_control)
})
