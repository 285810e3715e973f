/** Hands values from one loop to another at the pace of the reader; goes on without a reader who has left. */
export class Relay<T> implements AsyncIterableIterator<T> {
  #value: { value: T; taken: () => void } | null = null
  #waiting: ((result: IteratorResult<T>) => void) | null = null
  #hasLeft = false
  #isOver = false

  /** Returns when the reader has taken the value, or has left. */
  async push(value: T): Promise<void> {
    if (this.#hasLeft) return
    if (this.#waiting) {
      this.#waiting({ done: false, value })
      this.#waiting = null
      return
    }
    await new Promise<void>(taken => {
      this.#value = { value, taken }
    })
  }

  /** Ends with a last value, if there is one. */
  async end(value: T | null): Promise<void> {
    if (value !== null) await this.push(value)
    this.#isOver = true
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = null
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<T>> {
    const next = this.#value
    if (next) {
      this.#value = null
      next.taken()
      return { done: false, value: next.value }
    }
    if (this.#isOver || this.#hasLeft) return { done: true, value: undefined }
    return new Promise(resolve => {
      this.#waiting = resolve
    })
  }

  async return(): Promise<IteratorResult<T>> {
    this.#hasLeft = true
    this.#value?.taken()
    this.#value = null
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = null
    return { done: true, value: undefined }
  }
}
