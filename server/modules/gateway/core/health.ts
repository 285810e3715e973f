import type { FailureKind } from './upstream.ts'

export type BreakerState = 'closed' | 'open' | 'half-open'

/** What real traffic and probes say about each model, in memory. */
export interface ModelHealth {
  /** False while the breaker of the model is open. */
  isAvailable(modelId: string): boolean
  /** Takes the one trial of a half-open breaker; false if it is taken or the breaker is open. */
  tryEnter(modelId: string): boolean
  /** `status` is that of the provider, if it sent one. */
  record(
    modelId: string,
    result: { failure: FailureKind | null; status?: number | null; latencyMs: number },
  ): void
  /** Ends a call that says nothing about the model, such as one that failed by an error of our own: another trial may enter. */
  abandon(modelId: string): void
  stateOf(modelId: string): BreakerState
}
