/** Price class of a model, by its input list price: 0.03-0.95, 1-3 and 5-21 USD per million tokens (interface, "Limits"). */
export const TIERS = ['economy', 'mid', 'premium'] as const
export type Tier = (typeof TIERS)[number]

/** The virtual model names (interface 7): each stands for a selection instead of one model. */
export const VIRTUAL_MODELS = ['auto', 'svc/budget', 'svc/balanced', 'svc/performance'] as const
export type VirtualModel = (typeof VIRTUAL_MODELS)[number]

export const PROVIDERS = [
  'alibaba',
  'anthropic',
  'deepseek',
  'google',
  'mistral',
  'moonshot',
  'openai',
  'xai',
  'zai',
] as const
export type ProviderId = (typeof PROVIDERS)[number]

export const CAPABILITIES = ['vision', 'tools', 'json_schema', 'reasoning'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** The API of the provider that a model is called by. */
export type ProviderApi = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'openai-embeddings'

export interface Model {
  id: string
  provider: ProviderId
  tier: Tier
  /** Tokens of prompt and answer together. */
  context: number
  /** Tokens of an answer. */
  maxOutput: number
  capabilities: Readonly<Record<Capability, boolean>>
  api: ProviderApi
  /** The API for requests with tools, where it is another one. */
  toolsApi?: ProviderApi
  /** Parameters that it lacks beside those of its API and provider. */
  lacks?: readonly string[]
  /** The only efforts of reasoning that it has, the lowest first; one that always thinks lacks `none`. */
  efforts?: readonly string[]
}

/** Prices of one token in nano-USD, as integers: 3 USD per million tokens are 3,000. */
export interface Rates {
  input: number
  output: number
  /** For prompt tokens that the provider read from its cache. */
  cacheRead: number
  /** For prompt tokens that the provider wrote to its cache. */
  cacheWrite: number
}

/** The price of a model from a moment on. */
export interface Price {
  model: string
  validFrom: Date
  base: Rates
  /** Rates of the whole request for a prompt of more tokens than `above`; the highest `above` first. */
  lengthTiers: readonly { above: number; rates: Rates }[]
  /** Rates at some hours of UTC on some weekdays (0 is Sunday), half-open. */
  peak: {
    days: readonly number[]
    hours: readonly (readonly [from: number, to: number])[]
    rates: Rates
  } | null
}

/** The tokens of one request, as its provider reports them. */
export interface TokenUsage {
  /** All tokens of the prompt, cached ones included. */
  input: number
  /** All tokens of the answer, reasoning included. */
  output: number
  /** Part of `input`. */
  cacheRead: number
  /** Part of `input`. */
  cacheWrite: number
  /** Part of `output`. */
  reasoning: number
}

/** The models on offer and their prices, in memory. */
export interface Catalog {
  /** The 15 chat models, cheapest first. */
  models(): readonly Model[]
  /** The embedding models, which are not part of the 15. */
  embeddingModels(): readonly Model[]
  /** A chat or embedding model by its id. */
  find(id: string): Model | undefined
  /** The price of a model at a moment of business time. */
  priceOf(model: Model, at: Date): Price
}
