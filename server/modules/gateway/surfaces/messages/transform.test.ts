import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import type { ChatCompletion } from '../../core/chat.ts'
import { usage } from '../chunks.fixture.ts'
import { messageOf } from './answer.ts'
import { messagesError } from './error.ts'
import { requestOf } from './request.ts'
import type { MessagesBody } from './schema.ts'

const body = (fields: Partial<MessagesBody>): MessagesBody => ({
  model: 'auto',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  ...fields,
})

test('a plain request keeps its texts as strings', () => {
  const request = requestOf(
    body({
      system: 'Be brief',
      stop_sequences: ['END'],
      temperature: 0.5,
      stream: true,
      metadata: { user_id: 'user-7' },
    }),
  )
  assert.deepEqual(request, {
    model: 'auto',
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hello' },
    ],
    max_tokens: 100,
    stream: true,
    stop: ['END'],
    temperature: 0.5,
    user: 'user-7',
  })
})

test('a conversation with tools and images takes the canonical form', () => {
  const { messages } = requestOf(
    body({
      system: [{ type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            { type: 'text', text: 'Compare', cache_control: { type: 'ephemeral' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 's' },
            { type: 'text', text: 'Looking' },
            { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Go on' },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'a dog' },
                { type: 'image', source: { type: 'url', url: 'https://example.com/b.png' } },
                { type: 'text', text: 'a cat' },
              ],
            },
          ],
        },
      ],
    }),
  )
  assert.deepEqual(messages, [
    { role: 'system', content: [{ type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'text', text: 'Compare', cache_control: { type: 'ephemeral' } },
      ],
    },
    {
      role: 'assistant',
      content: 'Looking',
      tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }],
    },
    { role: 'tool', tool_call_id: 'toolu_1', content: 'a dog\na cat' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Go on' },
        { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
      ],
    },
  ])
})

test('cache marks and failures of tools come with their calls and results', () => {
  const cache_control = { type: 'ephemeral' }
  const marked = { type: 'text', text: 'a dog', cache_control }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1' }
  const { messages } = requestOf(
    body({
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, cache_control }],
        },
        {
          role: 'user',
          content: [
            { ...result, content: 'no dog', is_error: true },
            { ...result, content: 'a dog', cache_control },
            // The parts become one text, so that the message has the mark of a part.
            { ...result, content: [marked, { type: 'text', text: 'a cat' }], is_error: false },
          ],
        },
      ],
    }),
  )
  const call = { id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const message = { role: 'tool', tool_call_id: 'toolu_1' }
  assert.deepEqual(messages, [
    { role: 'assistant', content: null, tool_calls: [{ ...call, cache_control }] },
    { ...message, content: 'no dog', is_error: true },
    { ...message, content: 'a dog', cache_control },
    { ...message, content: 'a dog\na cat', cache_control },
  ])
})

test('thoughts without a signature are those of another provider', () => {
  const [, turn] = requestOf(
    body({
      messages: [
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: '' },
            { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
          ],
        },
      ],
    }),
  ).messages
  assert.deepEqual(turn, {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    reasoning_content: 'Hm',
  })
})

test('a named model of Anthropic gets the effort and the mark for caches as they are', () => {
  const output_config = { effort: 'max' }
  const cache_control = { type: 'ephemeral' }
  const named = requestOf(body({ model: 'claude-opus-5', output_config, cache_control }))
  assert.deepEqual([named['reasoning_effort'], named['cache_control']], ['max', cache_control])
  assert.equal(requestOf(body({ output_config }))['reasoning_effort'], 'high')
})

test('tools, their choice, thinking and a schema take the canonical form', () => {
  const schema = { type: 'object', properties: { at: { type: 'integer' } } }
  const request = requestOf(
    body({
      tools: [{ name: 'look', description: 'Looks', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 8000 },
      output_config: { format: { type: 'json_schema', schema } },
    }),
  )
  assert.deepEqual(request.tools, [
    { type: 'function', function: { name: 'look', description: 'Looks', parameters: schema } },
  ])
  assert.deepEqual(request.tool_choice, { type: 'function', function: { name: 'look' } })
  assert.equal(request['parallel_tool_calls'], false)
  assert.equal(request['reasoning_effort'], 'medium')
  const thinking = { type: 'enabled', budget_tokens: 8000 }
  const named = requestOf(body({ model: 'claude-opus-5', thinking }))
  assert.deepEqual([named['thinking'], named['reasoning_effort']], [thinking, undefined])
  assert.deepEqual(request.response_format, {
    type: 'json_schema',
    json_schema: { name: 'answer', schema, strict: true },
  })
  for (const [type, choice] of [
    ['any', 'required'],
    ['auto', 'auto'],
    ['none', 'none'],
  ] as const)
    assert.equal(requestOf(body({ tool_choice: { type } })).tool_choice, choice)
})

test('what the gateway does not offer is refused by name', () => {
  const refused = (fields: Partial<MessagesBody>, message: RegExp) =>
    assert.throws(() => requestOf(body(fields)), message)
  refused({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, /web_search_20250305/)
  refused({ mcp_servers: [{ name: 'x' }] }, /MCP servers/)
  refused({ fallbacks: [{ model: 'claude-opus-5' }] }, /routing settings/)
  refused({ compaction: { type: 'summarize' } }, /summarize/)
  refused({ container: 'c' }, /Containers/)
  refused({ messages: [{ role: 'user', content: [{ type: 'search_result' }] }] }, /search_result/)
  refused(
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file' } }] }] },
    /base64 or url/,
  )
  refused({ output_config: { format: { type: 'xml' } } }, /json_schema/)
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
        reasoning_content: 'Hm',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 'call_2', type: 'function', function: { name: 'wait', arguments: '' } },
        ],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage,
  svc_meta: { simulated: true },
}

test('an answer becomes a message whose input tokens exclude cached ones', () => {
  assert.deepEqual(messageOf(completion), {
    id: 'gen-1',
    type: 'message',
    role: 'assistant',
    model: 'model-1',
    content: [
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'text', text: 'Looking', citations: null },
      { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 'call_2', name: 'wait', input: {} },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 5 },
      cost: 0.00162,
    },
    svc_meta: { simulated: true },
  })
})

test('every reason to stop has its name in the form of Anthropic', () => {
  const names = (['stop', 'length', 'tool_calls', 'content_filter'] as const).map(finish_reason => {
    const choices = [{ index: 0, message: { role: 'assistant' as const, content: 'x' }, finish_reason }]
    return messageOf({ ...completion, choices }).stop_reason
  })
  assert.deepEqual(names, ['end_turn', 'max_tokens', 'tool_use', 'refusal'])
  const stopped = messageOf({ ...completion, stop_sequence: 'END' })
  assert.deepEqual([stopped.stop_reason, stopped.stop_sequence], ['stop_sequence', 'END'])
  const refused = { role: 'assistant' as const, content: null, refusal: 'No' }
  const answer = messageOf({
    ...completion,
    choices: [{ index: 0, message: refused, finish_reason: 'stop' }],
  })
  assert.equal(answer.stop_reason, 'refusal')
  assert.deepEqual(answer.content, [{ type: 'text', text: 'No', citations: null }])
})

test('an error keeps the envelope beside the form of Anthropic', () => {
  const error = apiError(COMMON.RATE_LIMITED, { hint: 'Wait a minute' })
  assert.deepEqual(messagesError(error, 'req-1'), {
    statusCode: 429,
    message: 'Rate limit exceeded: Wait a minute',
    code: 'RATE_LIMITED',
    hint: 'Wait a minute',
    type: 'error',
    error: { type: 'rate_limit_error', message: 'Rate limit exceeded: Wait a minute', details: null },
    request_id: 'req-1',
  })
  assert.equal(messagesError(invalid('a', 'b'), 'req-1').error.message, 'a; b')
  assert.equal(messagesError(apiError(COMMON.INTERNAL_ERROR), 'req-1').error.type, 'api_error')
})
