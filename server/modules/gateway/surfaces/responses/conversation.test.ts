import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf } from './request.ts'

test('images of results follow all results of the turn', () => {
  const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' })
  const image = (name: string) => ({ type: 'input_image', image_url: `https://example.com/${name}.png` })
  const { messages } = requestOf({
    input: [
      call('call_1'),
      call('call_2'),
      { type: 'function_call_output', call_id: 'call_1', output: [image('a')] },
      { type: 'function_call_output', call_id: 'call_2', output: [image('b')] },
      { role: 'user', content: 'Which is a dog?' },
    ],
  })
  const part = (name: string) => ({
    type: 'image_url',
    image_url: { url: `https://example.com/${name}.png` },
  })
  assert.deepEqual(messages.slice(1), [
    { role: 'tool', tool_call_id: 'call_1', content: '' },
    { role: 'tool', tool_call_id: 'call_2', content: '' },
    { role: 'user', content: [part('a'), part('b')] },
    { role: 'user', content: 'Which is a dog?' },
  ])
})

test('what the model thought before a message or a call comes with it', () => {
  const thought = (text: string) => ({ type: 'reasoning', content: [{ type: 'reasoning_text', text }] })
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
  const { messages } = requestOf({
    input: [
      thought('One'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking' }] },
      thought(', two'),
      call,
      { type: 'function_call_output', call_id: 'call_1', output: 'a dog' },
      thought('Three'),
      { ...call, call_id: 'call_2' },
      { type: 'function_call_output', call_id: 'call_2', output: 'a cat' },
      thought('of nothing'),
      { role: 'user', content: 'Go on' },
    ],
  })
  assert.deepEqual(
    messages.map(message => message['reasoning_content']),
    ['One, two', undefined, 'Three', undefined, undefined],
  )
})

test('without tools it does not matter how they may be called', () => {
  assert.deepEqual(requestOf({ input: 'Hello', tools: [], tool_choice: 'auto', parallel_tool_calls: true }), {
    model: '',
    messages: [{ role: 'user', content: 'Hello' }],
  })
})
