import { Readable } from 'node:stream'
import { asError } from '#platform/kernel/unknown'

/** Proxies close a connection that is silent for longer. */
const KEEP_ALIVE_MS = 15_000
/** Text that waits for a slow reader, before its source is asked for more. */
const BUFFER_BYTES = 16 * 1024

/**
 * A body of server-sent events: takes the next frame when the reader has taken the last one, and sends a comment while there
 * is none. A reader who leaves ends `frames`.
 */
export class EventStream extends Readable {
  readonly #frames: AsyncIterator<string>
  readonly #keepAlive: NodeJS.Timeout
  #isPulling = false
  #isSilent = true

  constructor(frames: AsyncIterable<string>, keepAliveMs = KEEP_ALIVE_MS) {
    super({ encoding: 'utf8', highWaterMark: BUFFER_BYTES })
    this.#frames = frames[Symbol.asyncIterator]()
    this.#keepAlive = setInterval(() => this.#sendComment(), keepAliveMs).unref()
  }

  override _read(): void {
    if (!this.#isPulling) void this.#pull()
  }

  async #pull(): Promise<void> {
    this.#isPulling = true
    try {
      for (;;) {
        const { done, value } = await this.#frames.next()
        this.#isSilent = false
        if (this.destroyed) return
        if (done) return void this.push(null)
        if (!this.push(value)) return
      }
    } catch (error) {
      this.destroy(asError(error))
    } finally {
      this.#isPulling = false
    }
  }

  #sendComment(): void {
    if (this.#isSilent && this.#isPulling) this.push(': keep-alive\n\n')
    this.#isSilent = true
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#keepAlive)
    void this.#leave()
    callback(error)
  }

  async #leave(): Promise<void> {
    // Nobody reads further, so an error has no reader either.
    await this.#frames.return?.().catch(() => undefined)
  }
}
