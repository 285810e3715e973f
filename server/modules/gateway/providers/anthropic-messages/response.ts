import type { ChatCompletion, FinishReason, ToolCall } from '../../core/chat.ts'
import type { TokenUsage } from '../../core/model.ts'
import type { UpstreamCall, UpstreamCompletion } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import { malformed } from '../body.ts'
import { completionUsage, countOf, recordOf, stringOf } from '../usage.ts'

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

export const finishOf = (reason: string): FinishReason => FINISH[reason] ?? 'stop'

export function messageCompletion(
  body: Record<string, unknown>,
  { model }: UpstreamCall,
): UpstreamCompletion {
  if (body.type !== 'message' || !Array.isArray(body.content)) throw malformed()
  const blocks = body.content.filter(isRecord)
  const usage = isRecord(body.usage) ? messageUsage(body.usage) : null
  const completion: ChatCompletion = {
    id: stringOf(body.id),
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: model.id,
    choices: [
      {
        index: 0,
        message: messageOf(blocks, body.stop_details),
        logprobs: null,
        finish_reason: finishOf(stringOf(body.stop_reason)),
      },
    ],
    usage: usage ? completionUsage(usage) : undefined,
    ...(typeof body.stop_sequence === 'string' ? { stop_sequence: body.stop_sequence } : {}),
  }
  return { completion, usage }
}

function messageOf(
  blocks: readonly Record<string, unknown>[],
  details: unknown,
): ChatCompletion['choices'][number]['message'] {
  const texts = blocks.filter(({ type }) => type === 'text')
  const thoughts = blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(toolCallOf)
  const thinking = thoughts.map(({ thinking }) => stringOf(thinking)).join('')
  const refusal = refusalOf(details)
  return {
    role: 'assistant',
    content: texts.length || !calls.length ? texts.map(({ text }) => stringOf(text)).join('') : null,
    refusal,
    ...(thinking ? { reasoning_content: thinking } : {}),
    ...(thoughts.length ? { thinking_blocks: thoughts } : {}),
    ...(calls.length ? { tool_calls: calls } : {}),
  }
}

/** Why the provider refused to answer, if it said so. */
export const refusalOf = (details: unknown): string | null => stringOf(recordOf(details).explanation) || null

const toolCallOf = (block: Record<string, unknown>): ToolCall => ({
  id: stringOf(block.id),
  type: 'function',
  function: { name: stringOf(block.name), arguments: JSON.stringify(block.input ?? {}) },
})

/** `input_tokens` are those that were neither read from the cache nor written to it. */
export function messageUsage(usage: Record<string, unknown>): TokenUsage {
  const cacheRead = countOf(usage.cache_read_input_tokens)
  const cacheWrite = countOf(usage.cache_creation_input_tokens)
  const output = countOf(usage.output_tokens)
  return {
    input: countOf(usage.input_tokens) + cacheRead + cacheWrite,
    output,
    cacheRead,
    cacheWrite,
    reasoning: Math.min(countOf(recordOf(usage.output_tokens_details).thinking_tokens), output),
  }
}
