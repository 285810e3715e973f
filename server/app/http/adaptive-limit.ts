/** How often the load is measured while requests are under way. */
const INTERVAL_MS = 50
/** As many may always be under way: a late event loop alone, on a busy machine for instance, refuses no small traffic. */
const LEAST = 64
/** More are never under way, whatever the load. */
const MOST = 10_000
const DECREASE = 0.9
const INCREASE = 1.05

export interface LoadLimits {
  /** From here on the event loop is late. */
  lateMs: number
  /** From here on too many requests wait for a connection to the database. */
  waiting: number
}

/**
 * How many requests may be under way: fewer while the event loop is late or many requests wait for the database, and more
 * again when that is over. Measures nothing while no request is under way.
 */
export class AdaptiveLimit {
  readonly #limits: LoadLimits
  readonly #waiting: () => number
  #limit = MOST
  #underWay = 0
  #timer: NodeJS.Timeout | undefined

  /** `waiting` counts the requests that wait for a connection to the database. */
  constructor(limits: LoadLimits, waiting: () => number) {
    this.#limits = limits
    this.#waiting = waiting
  }

  /** How many may be under way now. */
  get limit(): number {
    return this.#limit
  }

  /** Counts a request that begins; false if it must be refused. */
  tryEnter(): boolean {
    this.#watch()
    if (this.#underWay >= this.#limit) return false
    this.#underWay++
    return true
  }

  leave(): void {
    this.#underWay--
  }

  /** Adapts the limit to what was measured. */
  adapt(lateMs: number): void {
    const isOverloaded = lateMs > this.#limits.lateMs || this.#waiting() > this.#limits.waiting
    this.#limit = isOverloaded
      ? Math.max(LEAST, Math.floor(Math.min(this.#limit, this.#underWay) * DECREASE))
      : Math.min(MOST, Math.ceil(this.#limit * INCREASE))
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #watch(): void {
    if (this.#timer) return
    const due = performance.now() + INTERVAL_MS
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.adapt(performance.now() - due)
      if (this.#underWay > 0 || this.#limit < MOST) this.#watch()
    }, INTERVAL_MS)
    this.#timer.unref()
  }
}
