import { SECOND, type Clock } from '#platform/kernel/clock'
import { costNano, microOf } from '../catalog/index.ts'
import type { Catalog, Model, TokenUsage } from '../core/model.ts'
import { UpstreamFailure, type Upstream } from '../core/upstream.ts'
import type { ObservedHealth } from './breaker.ts'

const DEADLINE_MS = 30 * SECOND
const MAX_TOKENS = 16
const PROMPT = 'Answer with the word ok.'

export interface ProbeParts {
  catalog: Catalog
  health: ObservedHealth
  upstream: Upstream
  clock: Clock
}

export interface Probe {
  model: Model
  failure: string | null
  latencyMs: number
  /** What the provider charges for it, in micro-USD; 0 of a simulated one. */
  cost: bigint
}

/**
 * Sends a tiny request to every configured model, whatever its breaker says: what answers is available from then on. No
 * account is charged; the platform bears the cost of the few tokens.
 */
export const probeModels = (parts: ProbeParts): Promise<Probe[]> =>
  Promise.all(
    parts.catalog
      .models()
      .filter(({ provider }) => parts.upstream.isConfigured(provider))
      .map(model => probe(parts, model)),
  )

async function probe({ health, upstream, catalog, clock }: ProbeParts, model: Model): Promise<Probe> {
  const at = clock.now()
  const begun = performance.now()
  const { failure, status, usage } = await upstream
    .complete({
      model,
      request: { model: model.id, messages: [{ role: 'user', content: PROMPT }], max_tokens: MAX_TOKENS },
      maxTokens: MAX_TOKENS,
      firstByteMs: DEADLINE_MS,
      totalMs: DEADLINE_MS,
    })
    .then(
      ({ usage }) => ({ failure: null, status: null, usage }),
      (error: unknown) => {
        if (error instanceof UpstreamFailure)
          return { failure: error.kind, status: error.status, usage: error.usage }
        throw error
      },
    )
  const latencyMs = performance.now() - begun
  health.record(model.id, { failure, status, latencyMs })
  const cost = costOf(usage)
  return { model, failure, latencyMs: Math.round(latencyMs), cost }

  function costOf(used: TokenUsage | null): bigint {
    return used && !upstream.simulated ? microOf(costNano(catalog.priceOf(model, at), used, at)) : 0n
  }
}
