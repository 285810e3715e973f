import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRecord } from '#platform/kernel/unknown'
import { upstreamCall } from '#test'
import { CHAT_MODELS } from '../catalog/data/models.ts'
import { upperBoundTokens } from '../catalog/tokens.ts'
import type { ChatMessage, ChatRequest, ContentPart } from '../core/chat.ts'
import { anthropicMessages } from './anthropic-messages/index.ts'
import { openAiChat } from './openai-chat/index.ts'
import { openAiResponses } from './openai-responses/index.ts'

const REQUEST_OF = {
  'openai-chat': openAiChat.request,
  'anthropic-messages': anthropicMessages.request,
  'openai-responses': openAiResponses.request,
}

// Long enough to show what a bound leaves out beside its allowances.
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.nat(3000).map(length => 'ü'.repeat(length)),
)
const anyPart: fc.Arbitrary<ContentPart> = fc
  .record(
    {
      type: fc.constantFrom('text', 'refusal', 'thinking', 'redacted_thinking'),
      text: anyText,
      refusal: anyText,
      thinking: anyText,
      signature: anyText,
      data: anyText,
    },
    { requiredKeys: ['type'] },
  )
  .map(part => ({ ...part }))
const anyMessage: fc.Arbitrary<ChatMessage> = fc.record({
  role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'),
  content: fc.oneof(anyText, fc.constant(null), fc.array(anyPart, { maxLength: 4 })),
  tool_call_id: anyText,
  tool_calls: fc.array(
    anyText.map(text => ({
      id: text,
      type: 'function' as const,
      function: { name: 'look', arguments: JSON.stringify({ text }) },
    })),
    { maxLength: 2 },
  ),
  thinking_blocks: fc.array(anyPart, { maxLength: 2 }),
})
const anyTool = anyText.map(description => ({
  type: 'function' as const,
  function: { name: 'look', description, parameters: { type: 'object', description } },
}))
const anyRequest: fc.Arbitrary<ChatRequest> = fc.record({
  model: fc.constant('auto'),
  messages: fc.array(anyMessage, { minLength: 1, maxLength: 4 }),
  tools: fc.array(anyTool, { maxLength: 2 }),
  response_format: anyText.map(description => ({
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { type: 'object', description } },
  })),
})

/** Bytes of all texts of a body but the names of kinds and roles, which are in the allowances. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + textBytes(each), 0)
  if (!isRecord(value)) return 0
  const { type: _type, role: _role, ...texts } = value
  return textBytes(Object.values(texts))
}

for (const model of CHAT_MODELS.filter(
  ({ provider, api }, at, all) =>
    all.findIndex(other => other.provider === provider && other.api === api) === at,
)) {
  const { api, provider } = model
  const build = api === 'openai-embeddings' ? undefined : REQUEST_OF[api]
  test(`the bound of a prompt covers all that ${provider} gets by ${api}`, () => {
    assert.ok(build)
    const covers = (request: ChatRequest): void => {
      const { model: _model, ...sent } = build({ ...upstreamCall([provider, api], request), model }, false)
      assert.ok(textBytes(sent) <= upperBoundTokens(request), JSON.stringify(sent).slice(0, 500))
    }
    fc.assert(fc.property(anyRequest, covers))
    covers({
      model: 'auto',
      messages: [{ role: 'tool', content: Array.from({ length: 5000 }, () => ({ type: 'text', text: '' })) }],
    })
    const text = 'x'.repeat(5000)
    const schema = { type: 'object', description: text }
    covers({
      model: 'auto',
      messages: [{ role: 'user', content: [{ type: 'refusal', text: '', refusal: text }] }],
      output_config: { format: { type: 'json_schema', schema } },
    })
  })
}
