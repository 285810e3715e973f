import { memoizePerService } from '#platform/kernel/services'
import type { ProviderId } from '../core/model.ts'

/** The failures that sandbox mode can inject. Each takes the place of one call to a provider. */
export const FAULT_KINDS = [
  /** 429. */
  'rate_limited',
  /** 429 with `Retry-After: 1`. */
  'rate_limited_retry_after',
  /** 500. */
  'server_error',
  /** 503. */
  'unavailable',
  /** Nothing comes: the deadline of the first byte passes. */
  'hang_before_headers',
  /** The headers come, the body does not: the same deadline. */
  'hang_after_headers',
  /** The connection ends in the middle of the answer. */
  'cut_mid_stream',
  /** A chunk in the middle of the answer is no JSON. */
  'malformed_chunk',
  /** 200 without a body. */
  'empty',
  /** The answer comes slowly, a piece every `delayMs`. */
  'slow_drip',
  /** 200 with an HTML page. */
  'wrong_content_type',
  /** The connection is reset before the headers. */
  'reset',
  /** 401: the key of the operator is refused. */
  'credentials',
  /** 400: what the caller asked for is refused. */
  'refused',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  kind: FaultKind
  /** Between the pieces of `slow_drip`. */
  delayMs: number
}

/** The faults that wait for the next calls to each provider. In memory: other instances do not see them. */
export class ProviderFaults {
  readonly #waiting = new Map<ProviderId, Fault & { left: number }>()

  /** The next `count` calls fail; 0 ends an earlier fault. */
  inject(provider: ProviderId, fault: Fault, count: number): void {
    if (count > 0) this.#waiting.set(provider, { ...fault, left: count })
    else this.#waiting.delete(provider)
  }

  take(provider: ProviderId): Fault | null {
    const fault = this.#waiting.get(provider)
    if (!fault) return null
    fault.left -= 1
    if (fault.left <= 0) this.#waiting.delete(provider)
    return fault
  }
}

export const providerFaults = memoizePerService(() => new ProviderFaults())
