import { asError } from '#platform/kernel/unknown'
import type { CallEvent } from '../core/call.ts'
import type { ChatChunk } from '../core/chat.ts'
import type { UsageRecord } from '../core/funds.ts'
import type { Model, TokenUsage } from '../core/model.ts'
import { UpstreamFailure, type UpstreamStream } from '../core/upstream.ts'
import { Collector, type AnswerIdentity } from './collect.ts'
import { brokenStream } from './errors.ts'
import type { CallParts } from './parts.ts'
import { completionUsage, NO_TOKENS, type RunningCall } from './running.ts'
import { chargedUsd, estimateUsage, sound } from './usage.ts'

/** A stream of a provider whose first chunks have come. */
export interface OpenStream {
  stream: UpstreamStream
  chunks: AsyncIterator<readonly ChatChunk[]>
  first: readonly ChatChunk[]
  /** Cancels the call at the provider. */
  cancel: AbortController
}

export interface DeliveryInput {
  running: RunningCall
  model: Model
  open: OpenStream
  ttftMs: number
  /** Gets the complete answer. */
  onComplete?: (completion: ReturnType<Collector['completion']>) => void
}

/**
 * The events of a stream while it comes, at the pace of their reader. However it ends - complete, broken, or because the caller
 * has left - the call is recorded once with what was delivered.
 */
export class Delivery implements AsyncIterableIterator<CallEvent> {
  readonly #parts: CallParts
  readonly #input: DeliveryInput
  readonly #collector = new Collector()
  readonly #identity: AnswerIdentity & { svc_meta?: { simulated: true } }
  #first: readonly ChatChunk[] | null
  #isOver = false
  #isDrained = false
  readonly #onAbort = (): void => {
    void this.#leave()
  }

  constructor(parts: CallParts, input: DeliveryInput) {
    this.#parts = parts
    this.#input = input
    const { running, model, open } = input
    this.#first = open.first
    this.#identity = {
      id: running.id,
      created: running.created,
      model: model.id,
      ...(parts.upstream.simulated ? { svc_meta: { simulated: true as const } } : {}),
    }
    const { signal } = running.call
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<CallEvent>> {
    if (this.#isOver) return END
    const first = this.#first
    this.#first = null
    try {
      if (first) return event({ type: 'chunks', chunks: this.#take(first) })
      const { done, value } = await this.#input.open.chunks.next()
      // The caller left meanwhile.
      if (this.#isOver) return END
      if (!done) return event({ type: 'chunks', chunks: this.#take(value) })
      if (!this.#collector.isFinished)
        throw new UpstreamFailure('cut', 'The stream of the provider ended before the answer did')
      return event(this.#complete())
    } catch (error) {
      if (this.#isOver) return END
      return event(this.#break(error))
    }
  }

  /** The reader stops: the same as a caller who leaves. */
  async return(): Promise<IteratorResult<CallEvent>> {
    await this.#leave()
    return END
  }

  #take(chunks: readonly ChatChunk[]): ChatChunk[] {
    this.#collector.add(chunks)
    return chunks.map(chunk => ({ ...chunk, ...this.#identity }))
  }

  #complete(): CallEvent {
    const record = this.#end('completed')
    const usage = completionUsage(record.tokens, chargedUsd(record))
    this.#input.onComplete?.({ ...this.#collector.completion(this.#identity, usage), ...this.#identity })
    return { type: 'done', usage }
  }

  #break(error: unknown): CallEvent {
    const { model } = this.#input
    const failure =
      error instanceof UpstreamFailure
        ? error
        : new UpstreamFailure('connection', asError(error).message, { cause: error })
    // One caller who reads slowly, or an error of our own, must not close a model to all others.
    if (failure !== error)
      this.#parts.log.error({ err: error, model: model.id }, 'a stream failed by an error of our own')
    else if (!failure.isOfReader)
      this.#parts.health.record(model.id, { failure: failure.kind, status: failure.status, latencyMs: 0 })
    const attempt = this.#input.running.attempts.at(-1)
    if (attempt) attempt.result = failure.kind
    this.#end('partial', failure.usage)
    return { type: 'error', error: brokenStream(failure) }
  }

  /** The caller has left. What the provider charges is the delivered part, or all of it where it does not stop. */
  async #leave(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    const { model, open } = this.#input
    if (this.#first) this.#collector.add(this.#first)
    if (this.#parts.upstream.stopsOnCancel(model.provider)) {
      open.cancel.abort()
      void open.chunks.return?.().catch(() => undefined)
    } else await this.#drain()
    this.#end('cancelled')
  }

  // Until the deadline of the call at most, which ends the stream of the provider.
  async #drain(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#input.open.chunks.next()
        if (done) break
        this.#collector.add(value)
      }
      this.#isDrained = true
    } catch {
      // It broke off: what had come by then counts.
    }
  }

  #end(outcome: 'completed' | 'partial' | 'cancelled', reported: TokenUsage | null = null): UsageRecord {
    this.#isOver = true
    const { running, model, open, ttftMs } = this.#input
    running.call.signal.removeEventListener('abort', this.#onAbort)
    const isWhole = outcome === 'completed' || this.#isDrained
    const usage = this.#usage(sound(reported ?? open.stream.usage()), isWhole)
    const hasBroken = outcome === 'partial'
    // Some providers count a token at the start of an answer.
    const hasFailed = hasBroken && this.#collector.text === ''
    return running.end({
      outcome: hasFailed ? 'failed' : outcome,
      model,
      // It costs nothing, so that its prompt must not count as what another model would have charged.
      usage: hasFailed ? NO_TOKENS : usage,
      finishReason: hasBroken ? 'error' : this.#collector.finishReason,
      ttftMs,
    })
  }

  /** Before the end of an answer providers report its prompt at best, so its delivered tokens are estimated. */
  #usage(reported: TokenUsage | null, isWhole: boolean): TokenUsage {
    if (reported && isWhole) return reported
    const estimate = estimateUsage(this.#parts, this.#input.running, this.#collector.text)
    return reported ? { ...reported, output: Math.max(reported.output, estimate.output) } : estimate
  }
}

const END: IteratorResult<CallEvent> = { done: true, value: undefined }
const event = (value: CallEvent): IteratorResult<CallEvent> => ({ done: false, value })
