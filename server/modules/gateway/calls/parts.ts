import type { Clock } from '#platform/kernel/clock'
import type { Log } from '#platform/adapters/log/log'
import type { CallObserver } from '../core/call.ts'
import type { ChatRequest } from '../core/chat.ts'
import type { Funds } from '../core/funds.ts'
import type { ModelHealth } from '../core/health.ts'
import type { KeyLimiter } from '../core/key.ts'
import type { Catalog } from '../core/model.ts'
import type { Router } from '../core/routing.ts'
import type { Upstream } from '../core/upstream.ts'
import type { ResponseCache } from './response-cache.ts'
import type { CallSettings } from './settings.ts'

/** Counts tokens before a call; what is billed is what the provider reports. */
export interface TokenCounter {
  /** Of the prompt, with tools and images. */
  ofPrompt(request: ChatRequest): number
  /** The most that the tokenizer of any model may count for the prompt. */
  boundOfPrompt(request: ChatRequest): number
  ofText(text: string): number
  /** Of all together, in the time of one. */
  ofTexts(texts: readonly string[]): number
}

/** What the pipeline is composed of. */
export interface CallParts {
  catalog: Catalog
  tokens: TokenCounter
  limiter: KeyLimiter
  router: Router
  funds: Funds
  upstream: Upstream
  health: ModelHealth
  cache: ResponseCache
  settings: CallSettings
  clock: Clock
  log: Log
  observer?: CallObserver
}
