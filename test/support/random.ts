/** Mulberry32: the same numbers for the same seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.below(2 ** 24) < probability * 2 ** 24
  }

  pick<T>(from: readonly T[]): T {
    if (!from.length) throw new Error('nothing to pick from')
    return from[this.below(from.length)] as T
  }
}
