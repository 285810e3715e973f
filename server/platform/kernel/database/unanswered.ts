/** How often the oldest work is checked. */
const INTERVAL_MS = 500

interface Work {
  readonly since: number
  lookedAt: number
  fail(silentMs: number): void
}

/**
 * Work that waits for the server. One timer looks after all of it, because a timer for each statement costs as much as
 * the statement. It pauses while no work waits. The clock of the machine does not matter: it may be corrected meanwhile.
 */
export class Unanswered {
  readonly #suspectMs: number
  readonly #isSilent: (waitedMs: number) => Promise<boolean>
  readonly #work = new Set<Work>()
  #timer: NodeJS.Timeout | undefined
  #answeredAt = -Infinity

  /** `isSilent` is asked about work that has waited for `suspectMs`, and again after as long. */
  constructor(suspectMs: number, isSilent: (waitedMs: number) => Promise<boolean>) {
    this.#suspectMs = suspectMs
    this.#isSilent = isSilent
  }

  /** Whether any work has been answered since then (`performance.now()`). */
  hasAnsweredSince(at: number): boolean {
    return this.#answeredAt >= at
  }

  /** What `work` gives; rejects with `failure` if the server is silent meanwhile. */
  watch<T>(work: Promise<T>, failure: (waitedMs: number) => Error): Promise<T> {
    this.#timer ??= setInterval(() => this.#look(), INTERVAL_MS).unref()
    return new Promise<T>((resolve, reject) => {
      const now = performance.now()
      const entry: Work = {
        since: now,
        lookedAt: now,
        fail: waitedMs => reject(failure(waitedMs)),
      }
      this.#work.add(entry)
      work.then(
        result => {
          this.#work.delete(entry)
          this.#answeredAt = performance.now()
          resolve(result)
        },
        (error: unknown) => {
          this.#work.delete(entry)
          reject(error)
        },
      )
    })
  }

  #look(): void {
    const now = performance.now()
    if (!this.#work.size) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    for (const entry of this.#work)
      if (now - entry.lookedAt >= this.#suspectMs) {
        entry.lookedAt = now
        void this.#examine(entry)
      }
  }

  async #examine(entry: Work): Promise<void> {
    if (!(await this.#isSilent(performance.now() - entry.since)) || !this.#work.delete(entry)) return
    entry.fail(performance.now() - entry.since)
  }
}
