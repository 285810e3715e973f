import type { Model } from '../core/model.ts'
import type { Upstream } from '../core/upstream.ts'
import type { ObservedHealth } from './breaker.ts'

export type ModelStatus = 'available' | 'degraded' | 'unavailable' | 'unconfigured'

export interface HealthParts {
  health: ObservedHealth
  upstream: Pick<Upstream, 'isConfigured'>
}

/** A model that fails more often than this is shown as degraded. */
const DEGRADED_SHARE = 0.2

/** Whether a model can answer at present, as this instance sees it. */
export function statusOf({ health, upstream }: HealthParts, { id, provider }: Model): ModelStatus {
  if (!upstream.isConfigured(provider)) return 'unconfigured'
  const { state, calls, failures } = health.viewOf(id)
  if (state === 'open') return 'unavailable'
  return state === 'half-open' || failures > calls * DEGRADED_SHARE ? 'degraded' : 'available'
}
