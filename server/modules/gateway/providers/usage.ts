import { isRecord } from '#platform/kernel/unknown'
import type { CompletionUsage } from '../core/chat.ts'
import type { TokenUsage } from '../core/model.ts'

/** A count of tokens as a provider reports it; anything else is 0. */
export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.ceil(value) : 0

export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The usage of an answer in the form of chat completions. */
export const completionUsage = (usage: TokenUsage): CompletionUsage => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
})
