import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProviderTrial } from '#test'
import type { ChatMessage } from '../core/chat.ts'

let trial: ProviderTrial

before(async () => {
  trial = await ProviderTrial.open('openai', 'anthropic', 'mistral')
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

test('other providers receive no part that only Anthropic reads', async () => {
  const thoughts = [
    { type: 'thinking', thinking: 'Hm', signature: 's' },
    { type: 'redacted_thinking', data: 'x' },
  ]
  const text = { type: 'text', text: 'Hello' }
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
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
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
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
