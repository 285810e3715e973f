import type { ChatChunk, ChatCompletion, ChatRequest } from './chat.ts'
import type { Model, ProviderId, TokenUsage } from './model.ts'

export interface UpstreamCall {
  model: Model
  /** As the caller sent it; the adapter maps it to the provider. */
  request: ChatRequest
  /** The limit of the answer that was reserved for. */
  maxTokens: number
  /** Cancels the call; none where nothing may. */
  signal?: AbortSignal
  /** Until the headers and the first byte of the body. */
  firstByteMs: number
  totalMs: number
}

export interface UpstreamCompletion {
  completion: ChatCompletion
  /** Null if the provider reported none. */
  usage: TokenUsage | null
}

export interface UpstreamStream {
  /**
   * What arrives together comes together. Throws UpstreamFailure where the stream breaks. Chunks with usage only (no choices)
   * are not part of it: see `usage`.
   */
  chunks: AsyncIterable<readonly ChatChunk[]>
  /** What the provider has reported so far. */
  usage(): TokenUsage | null
}

export type FailureKind =
  | 'rate_limited'
  | 'server_error'
  | 'timeout'
  | 'connection'
  | 'malformed'
  | 'empty'
  | 'cut'
  /** The provider refused our key: a matter of the operator. */
  | 'credentials'
  /** The provider refused what the caller asked for: no other model is tried. */
  | 'refused'

/** A call that a provider did not answer as it should. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind
  /** Status of the provider; null if it sent none. */
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** What the provider counted although it failed. */
  readonly usage: TokenUsage | null
  /** The answer waited for its reader: no fault of the provider. */
  readonly isOfReader: boolean
  /** Refused because the prompt, or the prompt with its answer, does not fit into the context of the model. */
  readonly exceedsContext: boolean

  constructor(kind: FailureKind, message: string, extra: FailureExtra = {}) {
    super(message, { cause: extra.cause })
    this.kind = kind
    this.status = extra.status ?? null
    this.retryAfterMs = extra.retryAfterMs ?? null
    this.usage = extra.usage ?? null
    this.isOfReader = extra.isOfReader ?? false
    this.exceedsContext = extra.exceedsContext ?? false
  }
}

interface FailureExtra {
  status?: number
  retryAfterMs?: number
  usage?: TokenUsage | null
  isOfReader?: boolean
  exceedsContext?: boolean
  cause?: unknown
}

/**
 * Calls providers. One call is one HTTP request: retries and fallbacks are the caller's. Throws UpstreamFailure, or the reason
 * of `signal` once that is aborted.
 */
export interface Upstream {
  complete(call: UpstreamCall): Promise<UpstreamCompletion>
  stream(call: UpstreamCall): Promise<UpstreamStream>
  /** Vectors of the inputs, as the embeddings API of OpenAI answers. */
  embed(call: {
    model: Model
    body: Record<string, unknown> & { input: unknown }
    signal?: AbortSignal
    totalMs: number
  }): Promise<{ body: Record<string, unknown>; usage: TokenUsage | null }>
  /** Whether the provider has a key, or is simulated. */
  isConfigured(provider: ProviderId): boolean
  /** True while no provider has a key: the simulator answers for all. */
  readonly simulated: boolean
  /** Whether the provider stops its work, and its charge, when a stream is cancelled. */
  stopsOnCancel(provider: ProviderId): boolean
  /** Whether the thoughts about a request may have as many tokens again as its limit allows. */
  thinksBeyondLimit(provider: ProviderId, request: ChatRequest): boolean
  /** The lowest limit of tokens that the API by which the model gets the request accepts. */
  leastLimit(model: Model, request: ChatRequest): number
}
