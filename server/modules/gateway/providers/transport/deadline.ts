import { UpstreamFailure } from '../../core/upstream.ts'

export interface Deadlines {
  /** The caller has gone. */
  signal?: AbortSignal | undefined
  /** Until the headers and the first byte of the body. */
  firstByteMs: number
  totalMs: number
}

/** Cancels a call when its caller goes, when the first byte is late, or when the whole answer is. A caller that has gone before is not its matter. */
export class CallDeadline {
  readonly #caller: AbortSignal | undefined
  readonly #endsAt: number
  /** The first byte has an earlier deadline than the whole answer. */
  readonly #awaitsFirstByte: boolean
  readonly #cancel: (reason: unknown) => void
  #timer: NodeJS.Timeout
  #hasBegun = false
  readonly #leave = (): void => this.#cancel(this.#caller?.reason)

  constructor({ signal, firstByteMs, totalMs }: Deadlines, cancel: (reason: unknown) => void) {
    this.#caller = signal
    this.#cancel = cancel
    this.#endsAt = performance.now() + totalMs
    this.#awaitsFirstByte = firstByteMs < totalMs
    this.#timer = this.#expireIn(Math.min(firstByteMs, totalMs))
    signal?.addEventListener('abort', this.#leave, { once: true })
  }

  /** From here on only the deadline of the whole answer counts. */
  firstByte(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    if (this.#awaitsFirstByte) this.shorten(Math.max(this.#endsAt - performance.now(), 0))
  }

  /** The rest may take this long at most. */
  shorten(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = this.#expireIn(ms)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#leave)
  }

  #expireIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const text = this.#hasBegun
        ? 'The provider did not finish in time'
        : 'The provider did not answer in time'
      this.#cancel(new UpstreamFailure('timeout', text))
    }, ms)
  }
}
