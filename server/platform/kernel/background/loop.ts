import type { Log } from '../../adapters/log/log.ts'

/** Loops that start together would all want a connection to the database at the same moment: the first rounds come apart. */
const SPREAD_MS = 500

/** Work that repeats while the service runs: one round at a time, a failure is logged and the next round comes. */
export class Loop {
  readonly #name: string
  readonly #everyMs: number
  readonly #log: Log
  readonly #round: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #started = false

  constructor(name: string, everyMs: number, log: Log, round: () => Promise<void>) {
    this.#name = name
    this.#everyMs = everyMs
    this.#log = log
    this.#round = round
  }

  /** Does nothing if it runs already. */
  start(): void {
    if (this.#started) return
    this.#started = true
    this.#schedule(this.#everyMs - Math.random() * Math.min(this.#everyMs, SPREAD_MS))
  }

  /** Returns when the round under way has ended. */
  async stop(): Promise<void> {
    this.#started = false
    clearTimeout(this.#timer)
    await this.#running
  }

  #schedule(afterMs = this.#everyMs): void {
    if (!this.#started) return
    this.#timer = setTimeout(() => {
      this.#running = this.#round()
        .catch((error: unknown) => this.#log.error({ err: error }, `${this.#name} failed`))
        .finally(() => this.#schedule())
    }, afterMs)
    this.#timer.unref()
  }
}
