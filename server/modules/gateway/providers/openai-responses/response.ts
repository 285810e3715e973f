import type { ChatCompletion, FinishReason, ToolCall } from '../../core/chat.ts'
import type { TokenUsage } from '../../core/model.ts'
import { UpstreamFailure, type UpstreamCall, type UpstreamCompletion } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import { malformed } from '../body.ts'
import { exceedsContext } from '../transport/index.ts'
import { completionUsage, countOf, listOf, recordOf, stringOf } from '../usage.ts'

export function responseCompletion(
  body: Record<string, unknown>,
  { model }: UpstreamCall,
): UpstreamCompletion {
  if (!Array.isArray(body.output)) throw malformed()
  const usage = isRecord(body.usage) ? responseUsage(body.usage) : null
  if (body.status === 'failed' || body.status === 'cancelled') throw failed(body, usage)
  const items = body.output.filter(isRecord)
  const calls = items.filter(({ type }) => type === 'function_call').map(toolCallOf)
  const completion: ChatCompletion = {
    id: stringOf(body.id),
    object: 'chat.completion',
    created: countOf(body.created_at),
    model: model.id,
    choices: [
      {
        index: 0,
        message: messageOf(items, calls),
        logprobs: null,
        finish_reason: finishOf(body, calls.length > 0),
      },
    ],
    usage: usage ? completionUsage(usage) : undefined,
  }
  return { completion, usage }
}

function messageOf(
  items: readonly Record<string, unknown>[],
  calls: ToolCall[],
): ChatCompletion['choices'][number]['message'] {
  const parts = items
    .flatMap(({ type, content }) => (type === 'message' ? listOf(content) : []))
    .filter(isRecord)
  const texts = parts.filter(({ type }) => type === 'output_text')
  const refusals = parts.filter(({ type }) => type === 'refusal')
  const thoughts = items
    .flatMap(({ type, summary }) => (type === 'reasoning' ? listOf(summary) : []))
    .map(part => stringOf(recordOf(part).text))
    .join('\n')
  return {
    role: 'assistant',
    content: texts.length || !(calls.length || refusals.length) ? joined(texts, 'text') : null,
    refusal: refusals.length ? joined(refusals, 'refusal') : null,
    ...(thoughts ? { reasoning_content: thoughts } : {}),
    ...(calls.length ? { tool_calls: calls } : {}),
  }
}

const joined = (parts: readonly Record<string, unknown>[], key: 'text' | 'refusal'): string =>
  parts.map(part => stringOf(part[key])).join('')

const toolCallOf = (item: Record<string, unknown>): ToolCall => ({
  id: stringOf(item.call_id),
  type: 'function',
  function: { name: stringOf(item.name), arguments: stringOf(item.arguments) },
})

export function finishOf(body: Record<string, unknown>, callsTools: boolean): FinishReason {
  if (body.status !== 'incomplete') return callsTools ? 'tool_calls' : 'stop'
  return recordOf(body.incomplete_details).reason === 'content_filter' ? 'content_filter' : 'length'
}

const KINDS: Readonly<Record<string, UpstreamFailure['kind']>> = {
  rate_limit_exceeded: 'rate_limited',
  context_length_exceeded: 'refused',
  invalid_prompt: 'refused',
  invalid_image: 'refused',
  invalid_image_url: 'refused',
  invalid_base64_image: 'refused',
  image_too_large: 'refused',
  image_content_policy_violation: 'refused',
}

/** A response that ended in an error, although its status was 200. */
export function failed(body: Record<string, unknown>, usage: TokenUsage | null): UpstreamFailure {
  const { code, message } = recordOf(body.error)
  const kind = KINDS[stringOf(code)] ?? 'server_error'
  const text = kind === 'refused' && stringOf(message) ? stringOf(message) : 'The provider failed to answer'
  const isTooLong = kind === 'refused' && exceedsContext(code, text)
  return new UpstreamFailure(kind, text, { status: 200, usage, exceedsContext: isTooLong })
}

export function responseUsage(usage: Record<string, unknown>): TokenUsage {
  const input = countOf(usage.input_tokens)
  const output = countOf(usage.output_tokens)
  const { cached_tokens: cached, cache_write_tokens: written } = recordOf(usage.input_tokens_details)
  const cacheRead = Math.min(countOf(cached), input)
  return {
    input,
    output,
    cacheRead,
    cacheWrite: Math.min(countOf(written), input - cacheRead),
    reasoning: Math.min(countOf(recordOf(usage.output_tokens_details).reasoning_tokens), output),
  }
}
