import type { ChatChunk, FinishReason } from '../core/chat.ts'
import type { RoutingKey } from '../core/key.ts'

type Delta = ChatChunk['choices'][number]['delta']

/** A chunk of an answer, for tests. */
export const chunk = (delta: Delta, finish: FinishReason | null = null): ChatChunk => ({
  id: 'gen-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'model-1',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

/** A part of a tool call. */
export const callPart = (index: number, part: { id?: string; name?: string; json?: string }): Delta => ({
  tool_calls: [
    {
      index,
      ...(part.id ? { id: part.id, type: 'function' } : {}),
      function: {
        ...(part.name ? { name: part.name } : {}),
        ...(part.json === undefined ? {} : { arguments: part.json }),
      },
    },
  ],
})

export const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 5 },
  cost: 0.00162,
}

/** A key without limits. */
export const routingKey = (): RoutingKey => ({
  id: 'key-1',
  accountId: 'account-1',
  limits: {
    rpm: null,
    tpm: null,
    parallel: null,
    dailyUsd: null,
    weeklyUsd: null,
    monthlyUsd: null,
    endUserDailyUsd: null,
  },
  allowedModels: [],
  maxPriceUsd: null,
  errorFormat: 'envelope',
  cacheSeconds: 0,
  redactPii: false,
  expiresAt: null,
  config: {
    defaultModel: 'auto',
    thresholds: { mid: 0.3, premium: 0.7 },
    allow: [],
    deny: [],
    maxPriceUsd: null,
    lambda: 0,
    sticky: false,
    fallbacks: true,
  },
})
