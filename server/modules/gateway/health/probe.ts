import { SECOND } from '#platform/kernel/clock'
import type { Catalog, Model } from '../core/model.ts'
import { UpstreamFailure, type Upstream } from '../core/upstream.ts'
import type { ObservedHealth } from './breaker.ts'

const DEADLINE_MS = 30 * SECOND
const MAX_TOKENS = 16
const PROMPT = 'Answer with the word ok.'

export interface ProbeParts {
  catalog: Catalog
  health: ObservedHealth
  upstream: Upstream
}

export interface Probe {
  model: Model
  failure: string | null
  latencyMs: number
}

/**
 * Sends a tiny request to every configured model, whatever its breaker says: what answers is available from then on. No
 * account is charged; the platform pays the few tokens.
 */
export const probeModels = (parts: ProbeParts): Promise<Probe[]> =>
  Promise.all(
    parts.catalog
      .models()
      .filter(({ provider }) => parts.upstream.isConfigured(provider))
      .map(model => probe(parts, model)),
  )

async function probe({ health, upstream }: ProbeParts, model: Model): Promise<Probe> {
  const begun = performance.now()
  const failure = await upstream
    .complete({
      model,
      request: { model: model.id, messages: [{ role: 'user', content: PROMPT }], max_tokens: MAX_TOKENS },
      maxTokens: MAX_TOKENS,
      signal: new AbortController().signal,
      firstByteMs: DEADLINE_MS,
      totalMs: DEADLINE_MS,
    })
    .then(
      () => null,
      (error: unknown) => {
        if (error instanceof UpstreamFailure) return error.kind
        throw error
      },
    )
  const latencyMs = performance.now() - begun
  health.record(model.id, { failure, latencyMs })
  return { model, failure, latencyMs: Math.round(latencyMs) }
}
