import type { ApiError } from '#platform/kernel/errors'
import type { ChatChunk, ChatCompletion, ChatRequest, CompletionUsage } from './chat.ts'
import type { SurfaceName, UsageRecord } from './funds.ts'
import type { RoutingKey } from './key.ts'
import type { RouteConstraints } from './routing.ts'

/** How long a prompt is, in tokens. */
export interface PromptSize {
  /** As the gateway counts. */
  readonly tokens: number
  /** At least as many as any provider counts. */
  readonly bound: number
}

/** A request of any surface, in the canonical form. */
export interface Call {
  key: RoutingKey
  surface: SurfaceName
  requestId: string
  request: ChatRequest
  /** The caller has gone. */
  signal: AbortSignal
  constraints?: RouteConstraints
  /** Value of the header `Idempotency-Key`: the same request gets the same answer, and is charged once. */
  idempotencyKey?: string
  /** Header of W3C Trace Context: the span of the call becomes part of the trace of its caller. */
  traceparent?: string
}

/** `x-svc-*` and `x-ratelimit-*`; for a stream without the cost, which is known at its end. */
export type CallHeaders = Readonly<Record<string, string>>

export interface CompletedCall {
  completion: ChatCompletion
  headers: CallHeaders
}

export type CallEvent =
  | { type: 'chunks'; chunks: readonly ChatChunk[] }
  /** The answer is complete and recorded. */
  | { type: 'done'; usage: CompletionUsage }
  /** The answer broke off: the last event. */
  | { type: 'error'; error: ApiError }

export interface StreamedCall {
  /** Id, time and model of all chunks. */
  id: string
  created: number
  model: string
  headers: CallHeaders
  events: AsyncIterable<CallEvent>
}

/**
 * The path of every request, whatever its surface: limits of the key, selection, reservation, attempts, settlement. Before
 * the first byte an ApiError is thrown: 400, 402, 403, 404, 429, 502, 503 or 504.
 */
export interface Calls {
  complete(call: Call): Promise<CompletedCall>
  stream(call: Call): Promise<StreamedCall>
}

/** Learns of every call that was recorded, when it has ended: metrics, traces. Must not throw. */
export interface CallObserver {
  ended(record: UsageRecord, context: { requestId: string; overheadMs: number; traceparent?: string }): void
}
