/**
 * Time. Rules of the business take `now` from `clock.now()`, which the sandbox may move ahead;
 * sessions, tokens, rate limits and lockouts take `clock.real()`, which nothing moves.
 */
export interface Clock {
  now(): Date
  real(): Date
}

/** The clock of a running service: real time plus the sandbox offset, which `setOffset` follows. */
export class ServiceClock implements Clock {
  #offsetMs = 0

  now(): Date {
    return new Date(Date.now() + this.#offsetMs)
  }

  real(): Date {
    return new Date()
  }

  get offsetMs(): number {
    return this.#offsetMs
  }

  /** Milliseconds ahead of real time; never backwards, or deadlines would fall due twice. */
  setOffset(ms: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, ms)
  }
}

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The moment `ms` milliseconds after `from`. */
export const after = (from: Date, ms: number): Date => new Date(from.getTime() + ms)

/** First moment of the month of `now`, in UTC. */
export const monthOf = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
/** First moment of the month after that of `now`, in UTC. */
export const nextMonthOf = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))

/**
 * Whether a date from outside can be stored: PostgreSQL knows no year 0, and a time zone can lead out of the four digits of
 * a year. False for an invalid date.
 */
export const isStorable = (at: Date): boolean => at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999
