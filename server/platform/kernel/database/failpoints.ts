import { AsyncLocalStorage } from 'node:async_hooks'
import { writeSync } from 'node:fs'
import process from 'node:process'

/** The header that names the point at which a request ends the process. */
export const FAILPOINT_HEADER = 'x-svc-failpoint'

const STDERR = 2

interface Countdown {
  left: number
}

/**
 * Ends the process with SIGKILL between two statements, for crash tests. The points of a request are numbered from 1: before
 * each statement, before the commit, after it was sent, and after its response. Production mode has none.
 */
export class Failpoints {
  readonly #requests = new AsyncLocalStorage<Countdown>()
  readonly #background: Countdown

  /** `background` is the point of jobs and timers, counted from the start of the process; 0 is none. */
  constructor(background: number) {
    this.#background = { left: background }
  }

  /** Runs a request that ends the process at its point `point`; at none if it is 0 or no number. */
  runRequest(point: number, work: () => void): void {
    this.#requests.run({ left: point }, work)
  }

  /** The process is about to do `what`. */
  reach(what: string): void {
    if (this.#isDue()) end(`before ${what}`)
  }

  /** `what` goes to the server before this turn of the event loop ends; its response does not come any more. */
  reachSent(what: string): void {
    if (this.#isDue()) setImmediate(() => end(`after sending ${what}`))
  }

  #isDue(): boolean {
    const countdown = this.#requests.getStore() ?? this.#background
    return --countdown.left === 0
  }
}

function end(where: string): void {
  // The log is asynchronous.
  writeSync(STDERR, `failpoint: ${where.replaceAll(/\s+/g, ' ').slice(0, 120)}\n`)
  process.kill(process.pid, 'SIGKILL')
}
