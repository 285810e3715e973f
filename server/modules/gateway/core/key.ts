import type { PromptSize } from './call.ts'
import type { Tier } from './model.ts'

/** What a routing key may use. Null is no limit. Amounts are micro-USD. */
export interface KeyLimits {
  /** Requests in a minute. */
  rpm: number | null
  /** Tokens in a minute. */
  tpm: number | null
  /** Requests at the same time. */
  parallel: number | null
  dailyUsd: bigint | null
  weeklyUsd: bigint | null
  monthlyUsd: bigint | null
  /** For each end user that the caller names in `user`. */
  endUserDailyUsd: bigint | null
}

/** How an account wants its requests routed: `GET /v1/routing/config`. */
export interface RoutingConfig {
  /** The model of a request without one. */
  defaultModel: string
  /** A score from here on takes this tier. */
  thresholds: { mid: number; premium: number }
  /** Models that may be selected; empty for all. */
  allow: readonly string[]
  deny: readonly string[]
  /** Highest cost of one request with fee, in micro-USD. */
  maxPriceUsd: bigint | null
  /** Weight of the cost against the quality of a model. */
  lambda: number
  /** A conversation stays on its model for an hour. */
  sticky: boolean
  /** Another model may answer where the first one fails. */
  fallbacks: boolean
}

/** Of an account that has set nothing. */
export const DEFAULT_CONFIG: RoutingConfig = {
  defaultModel: 'auto',
  thresholds: { mid: 0.35, premium: 0.7 },
  allow: [],
  deny: [],
  maxPriceUsd: null,
  lambda: 1,
  sticky: true,
  fallbacks: true,
}

/** A usable routing key with the settings of its account, in memory. */
export interface RoutingKey {
  id: string
  accountId: string
  limits: KeyLimits
  /** Models that the key may use; empty for all. */
  allowedModels: readonly string[]
  /** Highest cost of one request with fee, in micro-USD. */
  maxPriceUsd: bigint | null
  errorFormat: 'envelope' | 'openai'
  /** How long identical requests are answered from the response cache, in seconds; 0 for never. */
  cacheSeconds: number
  /** Replace personal data in prompts before they leave. */
  redactPii: boolean
  expiresAt: Date | null
  config: RoutingConfig
}

/** The keys that were proved a short while ago. */
export interface KeyRing {
  /** The key of a principal of this request. */
  keyOf(keyId: string): RoutingKey
}

/** Limits per minute and at the same time. */
export interface KeyLimiter {
  /** Counts a request that begins. ApiError 429 with Retry-After above a limit. */
  enter(key: RoutingKey, prompt: Pick<PromptSize, 'tokens'>): Admission
}

export interface Admission {
  /** `x-ratelimit-*`. */
  headers: Readonly<Record<string, string>>
  /** The request has ended; `tokens` is what it used. Must be called once. */
  leave(tokens: number): void
}

/** The tier that a virtual model forces, if any. */
export const FORCED_TIER: Readonly<Record<string, Tier | undefined>> = {
  'svc/budget': 'economy',
  'svc/performance': 'premium',
}
