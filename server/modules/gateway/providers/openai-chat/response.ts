import type { ChatCompletion, FinishReason } from '../../core/chat.ts'
import type { ProviderId, TokenUsage } from '../../core/model.ts'
import { UpstreamFailure, type UpstreamCall, type UpstreamCompletion } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import { malformed } from '../body.ts'
import { completionUsage, countOf, listOf, recordOf, stringOf } from '../usage.ts'
import { dialectOf } from './dialects.ts'

/** Reasons of the providers that are not those of OpenAI. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
  model_length: 'length',
  max_tokens: 'length',
  sensitive: 'content_filter',
  safety: 'content_filter',
  error: 'error',
  network_error: 'error',
  insufficient_system_resource: 'error',
}

/** The reason in our form; one that is not known is `stop`. An error of the provider throws. */
export function finishOf(reason: string): FinishReason {
  const finish = FINISH[reason] ?? 'stop'
  if (finish === 'error')
    throw new UpstreamFailure('cut', 'The provider ended the answer with an error', { status: 200 })
  return finish
}

export function chatCompletion(body: Record<string, unknown>, { model }: UpstreamCall): UpstreamCompletion {
  if (!Array.isArray(body.choices)) throw malformed()
  if (!body.choices.length)
    throw new UpstreamFailure('empty', 'The provider answered without a choice', { status: 200 })
  const usage = isRecord(body.usage) ? chatUsage(body.usage, model.provider) : null
  const completion: ChatCompletion = {
    ...body,
    id: stringOf(body.id),
    object: 'chat.completion',
    created: countOf(body.created),
    model: model.id,
    choices: body.choices.map(choiceOf),
    usage: usage ? completionUsage(usage) : undefined,
  }
  return { completion, usage }
}

function choiceOf(choice: unknown, index: number): ChatCompletion['choices'][number] {
  if (!isRecord(choice) || !isRecord(choice.message)) throw malformed()
  const { content, tool_calls, role: _role, ...rest } = choice.message
  const calls = listOf(tool_calls).filter(isRecord).map(toolCallOf)
  return {
    index: typeof choice.index === 'number' ? choice.index : index,
    message: {
      role: 'assistant',
      ...rest,
      ...contentOf(content),
      ...(calls.length ? { tool_calls: calls } : {}),
    },
    logprobs: choice.logprobs ?? null,
    // Some providers say "stop" although a tool is called.
    finish_reason: finishWith(stringOf(choice.finish_reason), calls.length > 0),
  }
}

export function finishWith(reason: string, callsTools: boolean): FinishReason {
  const finish = finishOf(reason)
  return callsTools && finish === 'stop' ? 'tool_calls' : finish
}

/** Mistral's reasoning models answer with parts; the text and the thoughts are separated. */
export function contentOf(content: unknown): { content: string | null; reasoning_content?: string } {
  if (!Array.isArray(content)) return { content: typeof content === 'string' ? content : null }
  const parts = content.filter(isRecord)
  const text = parts.map(part => stringOf(part.text)).join('')
  const thoughts = parts
    .flatMap(part => (part.type === 'thinking' ? listOf(part.thinking) : []))
    .map(part => stringOf(recordOf(part).text))
    .join('')
  return thoughts ? { content: text, reasoning_content: thoughts } : { content: text }
}

function toolCallOf(call: Record<string, unknown>, index: number) {
  const { name, arguments: args } = recordOf(call.function)
  return {
    id: stringOf(call.id) || `call_${index}`,
    type: 'function' as const,
    function: {
      name: stringOf(name),
      arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    },
    ...signatureOf(call),
  }
}

/** Google refuses a call that comes back without it. */
export const signatureOf = ({ extra_content: signature }: Record<string, unknown>) =>
  isRecord(signature) ? { extra_content: signature } : {}

/** Cached tokens have three names: of OpenAI, of DeepSeek and of Moonshot. */
export function chatUsage(usage: Record<string, unknown>, provider: ProviderId): TokenUsage {
  const input = countOf(usage.prompt_tokens)
  const completion = countOf(usage.completion_tokens)
  const prompt = recordOf(usage.prompt_tokens_details)
  const total = countOf(usage.total_tokens)
  const output = dialectOf(provider).reasoningApart ? Math.max(completion, total - input) : completion
  const reported = countOf(recordOf(usage.completion_tokens_details).reasoning_tokens)
  const cached =
    countOf(prompt.cached_tokens) || countOf(usage.prompt_cache_hit_tokens) || countOf(usage.cached_tokens)
  const cacheRead = Math.min(cached, input)
  return {
    input,
    output,
    cacheRead,
    cacheWrite: Math.min(countOf(prompt.cache_write_tokens), input - cacheRead),
    reasoning: Math.min(reported || output - completion, output),
  }
}
