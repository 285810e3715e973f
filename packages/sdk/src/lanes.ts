/** Runs tasks of the same name one after another, and at most `limit` tasks at a time. */
export class Lanes {
  readonly #limit: number
  readonly #tails = new Map<string, Promise<void>>()
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The task must not reject. */
  run(name: string, task: () => Promise<void>): void {
    const tail = (this.#tails.get(name) ?? Promise.resolve()).then(async () => {
      if (this.#running >= this.#limit) await new Promise<void>(resolve => this.#waiting.push(resolve))
      else this.#running++
      await task()
      const admit = this.#waiting.shift()
      // The place passes to the next task.
      if (admit) admit()
      else this.#running--
      if (this.#tails.get(name) === tail) this.#tails.delete(name)
    })
    this.#tails.set(name, tail)
  }

  /** Returns when no task runs or waits. */
  async idle(): Promise<void> {
    while (this.#tails.size) await Promise.all(this.#tails.values())
  }
}
