import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatChunk } from '../../core/chat.ts'
import { callPart, chunk, usage } from '../chunks.fixture.ts'
import { MessageStream } from './stream.ts'

function eventsOf(chunks: ChatChunk[]) {
  const stream = new MessageStream({ id: 'gen-1', model: 'model-1' })
  return [...stream.begin(), ...chunks.flatMap(chunk => stream.push(chunk)), ...stream.end(usage)]
}

test('a stream of thoughts, text and calls becomes one block after another', () => {
  const events = eventsOf([
    chunk({ role: 'assistant', reasoning_content: 'Hm' }),
    chunk({ content: 'Look' }),
    chunk({ content: 'ing' }),
    chunk(callPart(0, { id: 'call_1', name: 'look' })),
    chunk(callPart(0, { json: '{"at"' })),
    chunk(callPart(0, { json: ':1}' })),
    chunk(callPart(1, { id: 'call_2', name: 'wait' })),
    chunk({}, 'tool_calls'),
  ])
  assert.deepEqual(events.slice(2), [
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '', citations: null } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Look' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'ing' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"at"' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':1}' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'tool_use', id: 'call_2', name: 'wait', input: {} },
    },
    { type: 'content_block_stop', index: 3 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 30,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 5 },
        cost: 0.00162,
      },
    },
    { type: 'message_stop' },
  ])
  const [start, ping] = events
  assert.equal(start?.type, 'message_start')
  assert.deepEqual(ping, { type: 'ping' })
})

test('mixed parts of two calls lose nothing', () => {
  const events = eventsOf([
    chunk(callPart(0, { id: 'call_1', name: 'look', json: '{"a":' })),
    chunk(callPart(1, { id: 'call_2', name: 'wait', json: '{"b":' })),
    chunk(callPart(0, { json: '1}' })),
    chunk(callPart(1, { json: '2}' })),
    chunk(callPart(2, { id: 'call_3', name: 'stop', json: '{"c"' })),
    chunk({}, 'tool_calls'),
  ])
  const texts = new Map<unknown, string>()
  for (const { index, delta } of events as { index?: number; delta?: { partial_json?: string } }[])
    if (delta?.partial_json) texts.set(index, (texts.get(index) ?? '') + delta.partial_json)
  assert.deepEqual(
    [...texts],
    [
      [0, '{"a":1}'],
      [1, '{"b":2}'],
      [2, '{"c"'],
    ],
  )
})

test('thoughts keep their signatures, and redacted ones are blocks of their own', () => {
  const events = eventsOf([
    chunk({ reasoning_content: 'Hm' }),
    chunk({ thinking_blocks: [{ type: 'thinking', signature: 'signed' }] }),
    chunk({ thinking_blocks: [{ type: 'redacted_thinking', data: 'sealed' }] }),
    chunk({ content: 'Yes' }),
    chunk({}, 'stop'),
  ])
  const starts = events.filter(({ type }) => type === 'content_block_start')
  assert.deepEqual(
    starts.map(event => event['content_block']),
    [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'text', text: '', citations: null },
    ],
  )
  assert.ok(
    events.some(({ delta }) => JSON.stringify(delta) === '{"type":"signature_delta","signature":"signed"}'),
  )
})
