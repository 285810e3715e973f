import { createHash } from 'node:crypto'

/** Numbers that follow from a seed: the same seed gives the same tasks, another seed others. */
export class SeededRandom {
  readonly #seed: string
  #drawn = 0

  constructor(seed: string) {
    this.#seed = seed
  }

  /** Lower-case hexadecimal digits, at most 64. */
  hex(digits: number): string {
    return createHash('sha256')
      .update(`${this.#seed}/${this.#drawn++}`)
      .digest('hex')
      .slice(0, digits)
  }

  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + (Number.parseInt(this.hex(12), 16) % (max - min + 1))
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.int(0, items.length - 1)] ?? items[0]
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map(item => ({ item, rank: this.hex(12) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .map(({ item }) => item)
  }
}
