/**
 * Answers remembered for a while, so that what is asked often costs one query in that time, and one at a time.
 * `ttlMs` counts from the start of the load: nothing older is ever used.
 */
export class TtlCache<Value> {
  readonly #ttlMs: number
  readonly #max: number
  readonly #entries = new Map<string, { since: number; value: Promise<Value> }>()

  constructor(ttlMs: number, max: number) {
    this.#ttlMs = ttlMs
    this.#max = max
  }

  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key)
    const now = performance.now()
    if (known && now - known.since < this.#ttlMs) return known.value
    const value = load()
    this.#entries.delete(key)
    this.#entries.set(key, { since: now, value })
    value.catch(() => this.#entries.delete(key))
    if (this.#entries.size > this.#max) this.#entries.delete(this.#entries.keys().next().value as string)
    return value
  }

  clear(): void {
    this.#entries.clear()
  }
}
