import type { Capability, Model, ProviderId, Tier } from '../../core/model.ts'

/** Capabilities by one letter each: v(ision), t(ools), j(son_schema), r(easoning). */
const capabilities = (letters: string): Readonly<Record<Capability, boolean>> => ({
  vision: letters.includes('v'),
  tools: letters.includes('t'),
  json_schema: letters.includes('j'),
  reasoning: letters.includes('r'),
})

/** Where a vendor states no limit of the answer, it is the context: this much is accepted by all of them. */
const NO_OWN_LIMIT = 131_072

const model = (
  tier: Tier,
  provider: ProviderId,
  id: string,
  properties: { context: number; maxOutput: number; can: string } & Partial<
    Pick<Model, 'api' | 'toolsApi' | 'lacks' | 'efforts'>
  >,
): Model => ({
  id,
  provider,
  tier,
  context: properties.context,
  maxOutput: properties.maxOutput,
  capabilities: capabilities(properties.can),
  api: properties.api ?? 'openai-chat',
  ...(properties.toolsApi ? { toolsApi: properties.toolsApi } : {}),
  ...(properties.lacks ? { lacks: properties.lacks } : {}),
  ...(properties.efforts ? { efforts: properties.efforts } : {}),
})

/** OpenAI refuses functions in chat completions of models that reason. */
const CALLS_FUNCTIONS = { toolsApi: 'openai-responses' } as const

/** The 15 chat models, cheapest first, as their vendors described them in November 2026. */
export const CHAT_MODELS: readonly Model[] = [
  // JSON mode only: no schemas.
  model('economy', 'alibaba', 'qwen3.7-flash', { context: 1_000_000, maxOutput: 65_536, can: 'vtr' }),
  model('economy', 'openai', 'gpt-6-luna', {
    context: 1_050_000,
    maxOutput: 128_000,
    can: 'vtjr',
    ...CALLS_FUNCTIONS,
  }),
  model('economy', 'anthropic', 'claude-haiku-5-5', {
    context: 1_000_000,
    maxOutput: 128_000,
    can: 'vtjr',
    api: 'anthropic-messages',
  }),
  // JSON mode; schemas are not confirmed by the vendor.
  model('economy', 'deepseek', 'deepseek-flash', { context: 1_000_000, maxOutput: 384_000, can: 'vtr' }),
  model('economy', 'mistral', 'mistral-small-2603', {
    context: 262_144,
    maxOutput: NO_OWN_LIMIT,
    can: 'vtjr',
    efforts: ['none', 'high'],
  }),
  model('economy', 'moonshot', 'kimi-k2.6', { context: 262_144, maxOutput: 262_144, can: 'vtjr' }),
  model('mid', 'zai', 'glm-5', { context: 200_000, maxOutput: 128_000, can: 'tr' }),
  model('mid', 'openai', 'gpt-6.1-terra', {
    context: 1_050_000,
    maxOutput: 128_000,
    can: 'vtjr',
    ...CALLS_FUNCTIONS,
  }),
  model('mid', 'xai', 'grok-4.3', {
    context: 1_000_000,
    maxOutput: NO_OWN_LIMIT,
    can: 'vtjr',
    efforts: ['none', 'low', 'medium', 'high'],
  }),
  model('mid', 'anthropic', 'claude-sonnet-5-5', {
    context: 1_000_000,
    maxOutput: 128_000,
    can: 'vtjr',
    api: 'anthropic-messages',
  }),
  model('mid', 'google', 'gemini-3.1-pro-preview', {
    context: 1_048_576,
    maxOutput: 65_536,
    can: 'vtjr',
    efforts: ['low', 'medium', 'high'],
  }),
  // It always thinks, and Moonshot refuses forced calls then.
  model('mid', 'moonshot', 'kimi-k3', {
    context: 1_048_576,
    maxOutput: NO_OWN_LIMIT,
    can: 'vtjr',
    lacks: ['tool_choice'],
    efforts: ['low', 'high', 'max'],
  }),
  model('premium', 'anthropic', 'claude-opus-5', {
    context: 1_000_000,
    maxOutput: 128_000,
    can: 'vtjr',
    api: 'anthropic-messages',
  }),
  model('premium', 'openai', 'gpt-6-astra', {
    context: 1_050_000,
    maxOutput: 128_000,
    can: 'vtjr',
    ...CALLS_FUNCTIONS,
    lacks: ['stop'],
  }),
  model('premium', 'openai', 'gpt-5.2-pro', {
    context: 272_000,
    maxOutput: 128_000,
    can: 'vtjr',
    api: 'openai-responses',
    efforts: ['medium', 'high', 'xhigh'],
  }),
]

const embedding = (provider: ProviderId, id: string, context: number): Model =>
  model('economy', provider, id, { context, maxOutput: 0, can: '', api: 'openai-embeddings' })

/** Embedding models: beside the 15, and outside the price bands of the tiers. */
export const EMBEDDING_MODELS: readonly Model[] = [
  embedding('openai', 'text-embedding-3-small', 8191),
  embedding('openai', 'text-embedding-3-large', 8191),
  embedding('google', 'gemini-embedding-001', 2048),
]
