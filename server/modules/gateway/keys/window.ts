/** The second that has begun, and the whole minute before it. */
const SECONDS = 61

/**
 * What was counted in the last minute, by the second: at no moment do the last 60 seconds hold more than `total` says.
 * Seconds are of a clock that never goes back.
 */
export class MinuteWindow {
  readonly #counts = new Float64Array(SECONDS)
  #second = 0
  #total = 0

  total(second: number): number {
    this.#advance(second)
    return this.#total
  }

  /** Counts an amount in a second; a negative one takes back what was counted there. Of a second that is over, nothing changes. */
  add(second: number, amount: number): void {
    this.#advance(second)
    if (second <= this.#second - SECONDS) return
    const place = second % SECONDS
    const before = this.#counts[place] ?? 0
    const count = Math.max(0, before + amount)
    this.#counts[place] = count
    this.#total += count - before
  }

  /** How many seconds it takes until `amount` of what is counted now is over. */
  secondsUntilLess(amount: number): number {
    let over = 0
    for (let age = SECONDS - 1; age >= 0; age--) {
      over += this.#counts[placeOf(this.#second - age)] ?? 0
      if (over >= amount) return SECONDS - age
    }
    return SECONDS
  }

  /** How many seconds it takes until nothing is counted any more. */
  secondsUntilEmpty(): number {
    for (let age = 0; age < SECONDS; age++)
      if ((this.#counts[placeOf(this.#second - age)] ?? 0) > 0) return SECONDS - age
    return 0
  }

  #advance(second: number): void {
    const steps = second - this.#second
    if (steps <= 0) return
    if (steps >= SECONDS) {
      this.#counts.fill(0)
      this.#total = 0
    } else
      for (let step = 1; step <= steps; step++) {
        const place = placeOf(this.#second + step)
        this.#total -= this.#counts[place] ?? 0
        this.#counts[place] = 0
      }
    this.#second = second
  }
}

const placeOf = (second: number): number => ((second % SECONDS) + SECONDS) % SECONDS
