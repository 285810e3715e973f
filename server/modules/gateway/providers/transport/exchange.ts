import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { asError, textOf } from '#platform/kernel/unknown'
import { UpstreamFailure } from '../../core/upstream.ts'
import { CallDeadline, type Deadlines } from './deadline.ts'

const DRAIN_MS = 1000
/** Bytes that wait for a slow reader before the connection waits too. */
const MOST_WAITING = 64 * 1024

/**
 * One request and its response, as a handler of undici: its streams and abort signals would take more of the processor than
 * the request. However it ends, the deadline ends with it.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Settles when the headers are there. */
  readonly opened = Promise.withResolvers<this>()
  status = 0
  readonly #deadline: CallDeadline
  readonly #limit: number
  #headers: IncomingHttpHeaders = {}
  #controller: Dispatcher.DispatchController | null = null
  #parts: Buffer[] = []
  #waiting = 0
  #size = 0
  #state: 'open' | 'discarding' | 'ended' | 'failed' = 'open'
  #failure: unknown
  /** Of a reader that waits for the next part. */
  #news: PromiseWithResolvers<void> | null = null

  /** `limit` is the most bytes that the body may have. */
  constructor(deadlines: Deadlines, limit: number) {
    this.#limit = limit
    this.#deadline = new CallDeadline(deadlines, reason =>
      this.#fail(reason instanceof UpstreamFailure && this.#controller?.paused ? unreadFailure() : reason),
    )
    if (deadlines.signal?.aborted) this.#fail(deadlines.signal.reason)
  }

  header(name: string): string {
    return String(this.#headers[name] ?? '')
  }

  /** The whole body. */
  async body(): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let part = await this.#read(); part; part = await this.#read()) parts.push(part)
    return join(parts)
  }

  /**
   * The parts of the body as they arrive; the connection waits while none is taken. Leaving the loop closes it. When
   * `isComplete` says so after a part, the rest is read in the background, so that the connection can be used again.
   */
  async *parts(isComplete: () => boolean): AsyncGenerator<Buffer> {
    let hasLeft = true
    try {
      for (let part = await this.#read(); part; part = await this.#read()) {
        yield part
        if (!isComplete()) continue
        hasLeft = false
        this.#discard()
        return
      }
      hasLeft = false
    } finally {
      if (hasLeft) this.#fail(new Error('The reader has left'))
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#state === 'failed') controller.abort(asError(this.#failure))
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    // Informational responses come before the one that counts.
    if (status < 200) return
    this.status = status
    this.#headers = headers
    this.opened.resolve(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state !== 'open') return
    this.#deadline.firstByte()
    this.#size += chunk.length
    if (this.#size > this.#limit)
      return this.#fail(new UpstreamFailure('malformed', 'The answer of the provider is too large'))
    this.#parts.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting > MOST_WAITING) controller.pause()
    this.#wake()
  }

  onResponseEnd(): void {
    if (this.#state === 'failed') return
    this.#state = 'ended'
    this.#deadline.end()
    this.#wake()
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(this.status ? cutFailure(error) : connectionFailure(error))
  }

  /** What has arrived since the last part; null at the end. */
  async #read(): Promise<Buffer | null> {
    while (this.#parts.length === 0) {
      if (this.#state === 'failed') throw this.#failure
      if (this.#state === 'ended') return null
      this.#news = Promise.withResolvers()
      await this.#news.promise
    }
    const part = join(this.#parts)
    this.#parts = []
    this.#waiting = 0
    if (this.#controller?.paused) this.#controller.resume()
    return part
  }

  /** What comes after a complete answer is the end of the body; a connection that stays open is closed. */
  #discard(): void {
    if (this.#state !== 'open') return
    this.#state = 'discarding'
    this.#deadline.shorten(DRAIN_MS)
    if (this.#controller?.paused) this.#controller.resume()
  }

  /** Ends the exchange early; the first reason counts. */
  #fail(reason: unknown): void {
    if (this.#state === 'failed' || this.#state === 'ended') return
    this.#state = 'failed'
    this.#failure = reason
    this.#deadline.end()
    this.#controller?.abort(asError(reason))
    this.opened.reject(reason)
    this.#wake()
  }

  #wake(): void {
    this.#news?.resolve()
    this.#news = null
  }
}

const unreadFailure = () =>
  new UpstreamFailure('timeout', 'The answer was not read in time', { isOfReader: true })

const join = ([first = Buffer.alloc(0), ...rest]: readonly Buffer[]): Buffer =>
  rest.length ? Buffer.concat([first, ...rest]) : first

/** Texts of network errors hold addresses of the operator; they are the cause, for the log. */
const connectionFailure = (cause: unknown): UpstreamFailure =>
  textOf(cause, 'code') === 'UND_ERR_CONNECT_TIMEOUT'
    ? new UpstreamFailure('timeout', 'The provider could not be reached in time', { cause })
    : new UpstreamFailure('connection', 'The provider could not be reached', { cause })

const cutFailure = (cause: unknown): UpstreamFailure =>
  new UpstreamFailure('cut', 'The answer of the provider broke off', { cause })
