import { UpstreamFailure } from '../../core/upstream.ts'

export interface Deadlines {
  /** The caller has gone. */
  signal: AbortSignal
  /** Until the headers and the first byte of the body. */
  firstByteMs: number
  totalMs: number
}

/** Cancels a call when its caller goes, when the first byte is late, or when the whole answer is. */
export class CallDeadline {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #endsAt: number
  #timer: NodeJS.Timeout
  #hasBegun = false
  #failure: UpstreamFailure | null = null
  readonly #cancel = () => this.#controller.abort(this.#caller.reason)

  constructor({ signal, firstByteMs, totalMs }: Deadlines) {
    this.#caller = signal
    this.#endsAt = Date.now() + totalMs
    this.#timer = setTimeout(() => this.#expire(), Math.min(firstByteMs, totalMs))
    if (signal.aborted) this.#cancel()
    else signal.addEventListener('abort', this.#cancel, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** From here on only the deadline of the whole answer counts. */
  firstByte(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#expire(), Math.max(this.#endsAt - Date.now(), 0))
  }

  /** The rest may take this long at most. */
  shorten(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#expire(), ms)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#cancel)
  }

  /** What ended the call, if this did. */
  reason(): unknown {
    return this.#failure ?? (this.#caller.aborted ? this.#caller.reason : undefined)
  }

  #expire(): void {
    const text = this.#hasBegun
      ? 'The provider did not finish in time'
      : 'The provider did not answer in time'
    this.#failure = new UpstreamFailure('timeout', text)
    this.#controller.abort(this.#failure)
  }
}
