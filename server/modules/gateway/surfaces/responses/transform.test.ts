import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { ChatChunk, ChatCompletion } from '../../core/chat.ts'
import { callPart, chunk, usage } from '../chunks.fixture.ts'
import { responseOf } from './answer.ts'
import { requestOf } from './request.ts'
import { ResponseStream } from './stream.ts'

const schema = { type: 'object', properties: { at: { type: 'integer' } } }

test('a text with instructions takes the canonical form', () => {
  const request = requestOf({
    input: 'Hello',
    instructions: 'Be brief',
    max_output_tokens: 50,
    temperature: 0,
    reasoning: { effort: 'low' },
    safety_identifier: 'user-7',
    stream: true,
    store: true,
    metadata: { a: 'b' },
  })
  assert.deepEqual(request, {
    model: '',
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hello' },
    ],
    max_completion_tokens: 50,
    stream: true,
    temperature: 0,
    user: 'user-7',
    reasoning_effort: 'low',
  })
})

test('items of a conversation become messages, the calls of one turn together', () => {
  const { messages } = requestOf({
    model: 'auto',
    input: [
      { role: 'developer', content: 'Rules' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Compare' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
        ],
      },
      { type: 'reasoning' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking' }] },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
      { type: 'function_call', call_id: 'call_2', name: 'wait', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'a dog' },
      {
        type: 'function_call_output',
        call_id: 'call_2',
        output: [
          { type: 'input_text', text: 'done' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
    ],
  })
  assert.deepEqual(messages, [
    { role: 'developer', content: 'Rules' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Compare' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: 'Looking',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        { id: 'call_2', type: 'function', function: { name: 'wait', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'a dog' },
    { role: 'tool', tool_call_id: 'call_2', content: 'done' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
  ])
})

test('tools, their choice and a schema take the canonical form', () => {
  const place = { name: 'place', description: 'Where it is', schema, strict: true }
  const request = requestOf({
    input: 'Hello',
    tools: [{ type: 'function', name: 'look', parameters: schema, strict: true }],
    tool_choice: { type: 'function', name: 'look' },
    parallel_tool_calls: false,
    text: { format: { type: 'json_schema', ...place }, verbosity: 'low' },
  })
  assert.deepEqual(request.tools, [
    { type: 'function', function: { name: 'look', parameters: schema, strict: true } },
  ])
  assert.deepEqual(request.tool_choice, { type: 'function', function: { name: 'look' } })
  assert.equal(request['parallel_tool_calls'], false)
  assert.equal(request['verbosity'], 'low')
  assert.deepEqual(request.response_format, {
    type: 'json_schema',
    json_schema: place,
  })
})

const completion: ChatCompletion = {
  id: 'gen-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'model-1',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Looking',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage,
}
const output = [
  {
    id: 'msg_1_0',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Looking', annotations: [], logprobs: [] }],
  },
  {
    id: 'fc_1_0',
    type: 'function_call',
    call_id: 'call_1',
    name: 'look',
    arguments: '{"at":1}',
    status: 'completed',
  },
]

test('an answer becomes a response that says it is not stored', () => {
  const response = responseOf({ input: 'Hello', store: true, max_output_tokens: 50 }, completion)
  assert.deepEqual(response, {
    id: 'gen-1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    incomplete_details: null,
    error: null,
    model: 'model-1',
    output,
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
      cost: 0.00162,
    },
    instructions: null,
    max_output_tokens: 50,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
  })
})

test('an answer that was cut short is incomplete and says why', () => {
  const [choice] = completion.choices
  assert.ok(choice)
  const reasons = (['length', 'content_filter'] as const).map(finish_reason => {
    const cut = responseOf({ input: 'Hello' }, { ...completion, choices: [{ ...choice, finish_reason }] })
    assert.equal(cut.status, 'incomplete')
    return cut.incomplete_details?.reason
  })
  assert.deepEqual(reasons, ['max_output_tokens', 'content_filter'])
})

function eventsOf(chunks: ChatChunk[]) {
  const stream = new ResponseStream({ input: 'Hello' }, { id: 'gen-1', created: 1, model: 'model-1' })
  return { stream, events: [...stream.begin(), ...chunks.flatMap(chunk => stream.push(chunk))] }
}

test('a stream of text and calls becomes numbered events of items', () => {
  const { stream, events } = eventsOf([
    chunk({ role: 'assistant', content: 'Look' }),
    chunk({ content: 'ing' }),
    chunk(callPart(0, { id: 'call_1', name: 'look', json: '{"at"' })),
    chunk(callPart(0, { json: ':1}' })),
    chunk({}, 'tool_calls'),
  ])
  const all = [...events, ...stream.end(usage)]
  assert.deepEqual(
    all.map(({ type }) => type),
    [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ],
  )
  assert.deepEqual(
    all.map(event => event.sequence_number),
    all.map((_, at) => at),
  )
  const [text, call] = output
  const done = all.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
  assert.deepEqual(done, [text, { ...call, id: 'fc_1_1' }])
  assert.deepEqual(all.at(-1)?.['response'], {
    ...responseOf({ input: 'Hello' }, { ...completion, created: 1 }),
    output: done,
  })
})

test('thoughts are an item of their own before the message', () => {
  const { stream, events } = eventsOf([
    chunk({ reasoning_content: 'H' }),
    chunk({ reasoning_content: 'm' }),
    chunk({ content: 'Yes' }),
    chunk({}, 'length'),
  ])
  const all = [...events, ...stream.end(usage)]
  const done = all.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
  assert.deepEqual(done[0], {
    id: 'rs_1_0',
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: 'Hm' }],
    status: 'completed',
  })
  assert.equal(all.at(-1)?.type, 'response.incomplete')
})

test('a stream that breaks off ends as failed, with what was sent', () => {
  const { stream } = eventsOf([chunk({ content: 'Look' })])
  const [event, ...more] = stream.fail(apiError(COMMON.UNAVAILABLE, { hint: 'Try again' }))
  assert.deepEqual(more, [])
  assert.ok(event)
  assert.equal(event.type, 'response.failed')
  const { status, error, output } = event['response'] as Record<string, unknown>
  assert.equal(status, 'failed')
  assert.deepEqual(error, { code: 'server_error', message: 'Service unavailable: Try again' })
  assert.deepEqual(output, [
    {
      id: 'msg_1_0',
      type: 'message',
      role: 'assistant',
      status: 'incomplete',
      content: [{ type: 'output_text', text: 'Look', annotations: [], logprobs: [] }],
    },
  ])
})
