import { COMMON, ApiError } from '../errors.ts'

export interface FairQueueOptions {
  /** Tasks that run at once. */
  places: number
  /** Tasks of one key that run at once. */
  perKey: number
  /** Maximum of waiting tasks; a further task is refused with `QueueFull`. */
  waiting: number
  /** Waiting tasks of one key at most, so that one key cannot fill the waiting list. A quarter of `waiting` by default. */
  waitingPerKey?: number
  /** A task that waits longer is refused with `QueueFull`. Without a limit by default. */
  waitMs?: number
}

const RETRY_AFTER_SECONDS = 5

/** The waiting list is full, or the wait was too long: 503 with `Retry-After`. The task did not start. */
export class QueueFull extends ApiError {
  constructor() {
    super(COMMON.UNAVAILABLE, {
      hint: 'Too many requests of this kind are waiting: send it again in a moment',
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    })
    this.name = 'QueueFull'
  }
}

interface Share {
  running: number
  waiting: (() => void)[]
}

/**
 * A bounded queue that is shared fairly between keys, usually accounts: places go round robin to the keys that wait,
 * so the delay of one key depends on the number of other keys, not on how much one of them sends.
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>
  /** Keys that run or wait, longest unserved first. */
  readonly #shares = new Map<string, Share>()
  #running = 0
  #waiting = 0

  constructor(options: FairQueueOptions) {
    this.#options = { waitingPerKey: Math.ceil(options.waiting / 4), waitMs: Infinity, ...options }
  }

  /** Tasks that run or wait. */
  get size(): number {
    return this.#running + this.#waiting
  }

  /** Runs the task when it is the turn of its key. Throws `QueueFull`, or what the task throws. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const share = this.#shares.get(key) ?? { running: 0, waiting: [] }
    this.#shares.set(key, share)
    if (this.#running < this.#options.places && share.running < this.#options.perKey) this.#start(key, share)
    else
      await this.#wait(share).catch((error: unknown) => {
        this.#deleteIdle(key, share)
        throw error
      })
    try {
      return await task()
    } finally {
      this.#end(key, share)
    }
  }

  #start(key: string, share: Share): void {
    this.#running++
    share.running++
    this.#moveLast(key, share)
  }

  /** The other keys are served before this one. */
  #moveLast(key: string, share: Share): void {
    this.#shares.delete(key)
    this.#shares.set(key, share)
  }

  #deleteIdle(key: string, share: Share): void {
    if (share.running === 0 && share.waiting.length === 0) this.#shares.delete(key)
  }

  async #wait(share: Share): Promise<void> {
    const { waiting, waitingPerKey, waitMs } = this.#options
    if (this.#waiting >= waiting || share.waiting.length >= waitingPerKey) throw new QueueFull()
    await new Promise<void>((resolve, reject) => {
      const leave = (settle: () => void) => {
        clearTimeout(timer)
        share.waiting.splice(share.waiting.indexOf(begin), 1)
        this.#waiting--
        settle()
      }
      const begin = () => {
        leave(resolve)
      }
      const timer = Number.isFinite(waitMs)
        ? setTimeout(() => {
            leave(() => {
              reject(new QueueFull())
            })
          }, waitMs)
        : undefined
      share.waiting.push(begin)
      this.#waiting++
    })
  }

  #end(key: string, share: Share): void {
    this.#running--
    share.running--
    this.#moveLast(key, share)
    this.#deleteIdle(key, share)
    for (const [next, candidate] of this.#shares) {
      const [begin] = candidate.waiting
      if (!begin || candidate.running >= this.#options.perKey) continue
      this.#start(next, candidate)
      begin()
      return
    }
  }
}
