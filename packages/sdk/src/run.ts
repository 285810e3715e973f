import type { Svc } from './client.ts'
import { ConflictError } from './errors.ts'
import type { BodyOf, ResultOf } from './operations.ts'
import type { components } from './schema.ts'
import { OUTAGE_RETRIES } from './transport.ts'

export type RunData = components['schemas']['WaitingRun']
type Reported = ResultOf<'POST /agents/{id}/runs/{runId}/result'>

/** What the service takes: a longer message, such as a stack trace, would leave the run open for a day. */
const ERROR_MAX = 1000

/** One call of an agent, whose price is held until it ends: work on `input`, then `succeed` or `fail`. */
export class Run {
  readonly id: string
  /** Fits the `inputSchema` of the agent. */
  readonly input: unknown
  readonly data: RunData
  readonly #svc: Svc
  readonly #agentId: string

  constructor(svc: Svc, agentId: string, data: RunData) {
    this.#svc = svc
    this.#agentId = agentId
    this.id = data.id
    this.input = data.input
    this.data = data
  }

  /** The agent is paid if `output` fits its `outputSchema`. */
  succeed(output: unknown): Promise<Reported> {
    return this.#report({ status: 'SUCCEEDED', output })
  }

  /** The buyer gets the price back, and reads the first 1,000 characters of `error`. */
  fail(error: string): Promise<Reported> {
    const characters = Array.from(error.replaceAll('\0', '')).slice(0, ERROR_MAX)
    return this.#report({ status: 'FAILED', error: characters.join('') })
  }

  /** Says that the agent works on it, which leaves it 24 hours. False if the run has ended meanwhile. */
  async take(): Promise<boolean> {
    if (this.data.status !== 'PENDING') return true
    try {
      await this.#report({ status: 'RUNNING' })
      return true
    } catch (error) {
      if (error instanceof ConflictError) return false
      throw error
    }
  }

  #report(body: BodyOf<'POST /agents/{id}/runs/{runId}/result'>): Promise<Reported> {
    return this.#svc.request('POST /agents/{id}/runs/{runId}/result', {
      path: { id: this.#agentId, runId: this.id },
      body,
      // A run that was not taken is listed again.
      ...(body.status === 'RUNNING' ? {} : { maxRetries: OUTAGE_RETRIES }),
    })
  }
}

interface Use {
  start: (name: string, task: () => Promise<void>) => void
  work: (run: Run) => Promise<unknown>
}

/** The runs that wait for an agent. Each one is given to `work` once, although a list has it until it ends. */
export class WaitingRuns {
  readonly #svc: Svc
  readonly #agentId: string
  readonly #start: Use['start']
  readonly #work: Use['work']
  readonly #begun = new Set<string>()
  #isAsked = false

  constructor(svc: Svc, agentId: string, { start, work }: Use) {
    this.#svc = svc
    this.#agentId = agentId
    this.#start = start
    this.#work = work
  }

  /** Looks for runs, unless it is about to do so. */
  look(signal: AbortSignal): void {
    if (this.#isAsked) return
    this.#isAsked = true
    this.#start('runs', () => this.#read(signal))
  }

  async #read(signal: AbortSignal): Promise<void> {
    this.#isAsked = false
    if (signal.aborted) return
    // A list takes no run: one that has no place yet can still be canceled.
    const query = { limit: 1, take: false }
    const path = { id: this.#agentId }
    const { runs } = await this.#svc.request('GET /agents/{id}/inbox', { path, query, signal })
    const listed = new Set(runs.map(({ id }) => id))
    for (const id of this.#begun) if (!listed.has(id)) this.#begun.delete(id)
    const found = runs.filter(({ id }) => !this.#begun.has(id))
    let left = found.length
    for (const data of found) {
      this.#begun.add(data.id)
      this.#start(data.id, async () => {
        if (signal.aborted) return
        const run = new Run(this.#svc, this.#agentId, data)
        // Nobody has worked on it: the next list may give it again.
        const onFailure = (error: unknown) => {
          this.#begun.delete(run.id)
          throw error
        }
        if (await run.take().catch(onFailure)) await this.#work(run)
        // A list has the oldest runs only.
        if (--left === 0) this.look(signal)
      })
    }
  }
}
