import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHAT_MODELS } from '../../catalog/data/models.ts'
import { chatRequest } from '../../providers/openai-chat/request.ts'
import { requestOf } from './request.ts'

const cached = { cache_control: { type: 'ephemeral' } }

test('providers other than Anthropic receive nothing that only Anthropic reads', () => {
  const request = requestOf({
    model: 'auto',
    max_tokens: 10,
    system: [{ type: 'text', text: 'Rules', ...cached }],
    tools: [{ name: 'look', input_schema: {}, ...cached }],
    top_k: 5,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello', ...cached }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'text', text: 'Yes' },
          { type: 'tool_use', id: 't', name: 'look', input: {}, ...cached },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: 'No', is_error: true, ...cached }],
      },
    ],
  })
  const models = CHAT_MODELS.filter(({ api }) => api === 'openai-chat')
  assert.ok(models.length > 5)
  for (const model of models) {
    const body = chatRequest(
      {
        model,
        request,
        maxTokens: 10,
        signal: new AbortController().signal,
        firstByteMs: 1000,
        totalMs: 1000,
      },
      false,
    )
    // Alibaba's limit of thoughts is set for it.
    assert.doesNotMatch(JSON.stringify(body), /cache_control|is_error|thinking(?!_budget)|top_k/, model.id)
  }
})
