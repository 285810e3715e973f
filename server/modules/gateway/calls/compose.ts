import type { Services } from '#platform/kernel/services'
import { MINUTE } from '#platform/kernel/clock'
import { countText, countTexts, countTokens, upperBoundTokens } from '../catalog/index.ts'
import type { Calls } from '../core/call.ts'
import { createCalls } from './calls.ts'
import { withIdempotency } from './idempotent.ts'
import type { CallParts, TokenCounter } from './parts.ts'
import { ResponseCache } from './response-cache.ts'
import { callSettings } from './settings.ts'

const tokens: TokenCounter = {
  ofPrompt: countTokens,
  boundOfPrompt: upperBoundTokens,
  ofText: countText,
  ofTexts: countTexts,
}

export interface ComposedCalls {
  calls: Calls
  /** For surfaces that do not call a chat model. */
  parts: CallParts
}

/** The path of requests of a running service. */
export function composeCalls(
  { config, clock, log, db }: Pick<Services, 'config' | 'clock' | 'log' | 'db'>,
  given: Omit<CallParts, 'tokens' | 'cache' | 'settings' | 'clock' | 'log'>,
): ComposedCalls {
  const settings = callSettings(config)
  const models = settings.named.filter(name => !given.catalog.find(name))
  // No reason not to start: a later version may lack a model.
  if (models.length) log.warn({ models }, 'GATEWAY_DEADLINES names models that the catalog lacks')
  const cache = new ResponseCache(settings.cacheBytes)
  const parts = { ...given, tokens, cache, settings, clock, log }
  const calls = withIdempotency(createCalls(parts), { db, longestMs: settings.longestMs + MINUTE })
  return { calls, parts }
}
