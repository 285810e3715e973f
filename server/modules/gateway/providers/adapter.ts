import type { ChatChunk } from '../core/chat.ts'
import type { TokenUsage } from '../core/model.ts'
import type { Upstream, UpstreamCall, UpstreamCompletion } from '../core/upstream.ts'
import type { SseEvent } from './transport/index.ts'

/** What calls a provider: the simulator, or HTTP. */
export type Caller = Pick<Upstream, 'complete' | 'stream' | 'embed'>

/** The API of a provider as pure transforms between the canonical form and the form of the provider. */
export interface Adapter {
  /** Below the base address. */
  path: string
  headers(key: string): Record<string, string>
  /** The body of the request. */
  request(call: UpstreamCall, stream: boolean): Record<string, unknown>
  /** Throws UpstreamFailure where the body is no answer. */
  completion(body: Record<string, unknown>, call: UpstreamCall): UpstreamCompletion
  reader(call: UpstreamCall): StreamReader
}

/** Reads the events of one stream. */
export interface StreamReader {
  /** The chunks of an event. Throws UpstreamFailure. */
  take(event: SseEvent): ChatChunk[]
  /** True once the provider said that the answer is complete. */
  isComplete(): boolean
  usage(): TokenUsage | null
}
