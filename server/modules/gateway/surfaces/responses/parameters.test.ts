import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf } from './request.ts'
import type { ResponsesBody } from './schema.ts'

const refused = (fields: object, message: RegExp) =>
  assert.throws(() => requestOf({ input: 'Hello', ...fields }), message)

test('what the gateway does not offer is refused by name', () => {
  const cases: [Partial<ResponsesBody>, RegExp][] = [
    [{ previous_response_id: 'resp_1' }, /whole conversation/],
    [{ conversation: 'conv_1' }, /whole conversation/],
    [{ prompt: { id: 'p' } }, /Stored prompts/],
    [{ background: true }, /background/],
    [{ top_logprobs: 2 }, /Log probabilities/],
    [{ include: ['reasoning.encrypted_content', 'message.output_text.logprobs'] }, /Log probabilities/],
    [{ truncation: 'auto' }, /send fewer items/],
    [{ context_management: [{ type: 'compaction' }] }, /not compacted/],
    [{ moderation: { model: 'omni-moderation-latest' } }, /not moderated/],
    [{ tools: [{ type: 'web_search' }] }, /web_search/],
    [{ tool_choice: { type: 'mcp' } }, /mcp/],
    [{ tool_choice: { type: 'allowed_tools', tools: [{ type: 'web_search' }] } }, /web_search/],
    [{ input: [{ type: 'item_reference' }] }, /store: false/],
    [{ input: [{ type: 'computer_call' }] }, /computer_call/],
    [{ input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, /input_file/],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, /image_url/],
  ]
  for (const [fields, message] of cases) refused(fields, message)
})

test('parameters of chat completions are refused with their name in this API', () => {
  refused({ max_tokens: 50 }, /Its name in this API is max_output_tokens/)
  refused({ response_format: { type: 'json_object' } }, /Its name in this API is text.format/)
  refused({ n: 2 }, /This API does not have it/)
  refused({ stop: ['END'] }, /This API does not have it/)
})

test('what changes nothing of an answer is accepted', () => {
  const hints = {
    include: ['reasoning.encrypted_content', 'message.input_image.image_url'],
    truncation: 'disabled',
    context_management: null,
    moderation: null,
    max_tool_calls: 3,
    stream_options: { include_obfuscation: false },
    prompt_cache_options: { mode: 'implicit' },
    max_tokens: null,
  }
  assert.deepEqual(requestOf({ input: 'Hello', ...hints }), {
    model: '',
    messages: [{ role: 'user', content: 'Hello' }],
  })
})

test('a choice of allowed tools takes the canonical form', () => {
  const tools = ['look', 'wait'].map(name => ({ type: 'function', name }))
  const request = requestOf({
    input: 'Hello',
    tools,
    tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] },
  })
  assert.deepEqual(request.tool_choice, {
    type: 'allowed_tools',
    allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'look' } }] },
  })
})
