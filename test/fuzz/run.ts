import type { TestService } from '#test'
import { CALLED } from './generate/compose.ts'
import { Registry } from './tenants/registry.ts'
import { curlOf, type Draft } from './replies/request.ts'
import { shrink } from './replies/shrink.ts'
import { Scenario, type Judged } from './scenario.ts'

export interface Options {
  /** The first seed; each scenario has one of its own. */
  seed: number
  /** Requests in all. */
  count: number
  /** Requests in each scenario. */
  perScenario?: number
  /** Scenarios at a time. */
  lanes?: number
  /** A part of the name of the operations that are called. */
  operation?: string
  seconds?: number
  say?(line: string): void
}

export interface Failure {
  key: string
  detail: string
  seed: number
  times: number
  /** The smallest request that failed so, as a command. */
  curl: string
}

export interface Summary {
  requests: number
  scenarios: number
  /** How often each status was answered. */
  statuses: Map<number, number>
  /** Operations that were never answered with a success. */
  neverSucceeded: string[]
  failures: Failure[]
}

const PER_SCENARIO = 1000
const RESET_EVERY = 100

/** Sends random requests of the OpenAPI document and judges every reply. */
export async function runFuzz(service: TestService, options: Options): Promise<Summary> {
  const run = new Run(service, options)
  const lanes = Array.from({ length: options.lanes ?? 1 }, () => run.lane())
  for (const result of await Promise.allSettled(lanes)) if (result.status === 'rejected') throw result.reason
  return run.summary()
}

class Run {
  readonly #service: TestService
  readonly #options: Options
  readonly #registry = new Registry()
  readonly #failures = new Map<string, Failure>()
  readonly #statuses = new Map<number, number>()
  readonly #succeeded = new Set<string>()
  readonly #until: number
  #requests = 0
  #seed: number
  #scenarios = 0

  constructor(service: TestService, options: Options) {
    this.#service = service
    this.#options = options
    this.#seed = options.seed
    this.#until = Date.now() + (options.seconds ?? Number.POSITIVE_INFINITY) * 1000
  }

  get #isDone(): boolean {
    return this.#requests >= this.#options.count || Date.now() > this.#until
  }

  /** Scenarios one after another. */
  async lane(): Promise<void> {
    const { operation, perScenario = PER_SCENARIO } = this.#options
    const only = operation === undefined ? undefined : CALLED.filter(({ name }) => name.includes(operation))
    while (!this.#isDone) {
      const seed = this.#seed++
      const scenario = await Scenario.open(this.#service, this.#registry, seed)
      this.#scenarios++
      for (let sent = 0; sent < perScenario && !this.#isDone && !scenario.isOver; sent++) {
        if (++this.#requests % RESET_EVERY === 0) await this.#openLimits()
        if (this.#requests % 5000 === 0)
          this.#options.say?.(`${this.#requests} requests, ${this.#failures.size} findings`)
        const judged = await scenario.step(only)
        this.#count(judged)
        await this.#note(scenario, seed, judged)
      }
    }
  }

  #openLimits(): Promise<unknown> {
    return this.#service.services.db.pool.query('delete from platform_limit')
  }

  #count({ draft, reply }: Judged): void {
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1)
    if (reply.status >= 200 && reply.status < 400) this.#succeeded.add(draft.operation.name)
  }

  async #note(scenario: Scenario, seed: number, { draft, findings }: Judged): Promise<void> {
    for (const { key, detail } of findings) {
      const known = this.#failures.get(key)
      if (known) {
        known.times++
        continue
      }
      const failure: Failure = { key, detail, seed, times: 1, curl: '' }
      this.#failures.set(key, failure)
      const fails = async (smaller: Draft): Promise<boolean> =>
        (await scenario.try(smaller)).findings.some(each => each.key === key)
      const isStable = await fails(draft)
      failure.curl = curlOf(this.#service.baseUrl, isStable ? await shrink(draft, fails) : draft)
      if (!isStable) failure.curl += ' # needs the state that the seed brings about'
      this.#options.say?.(describeFailure(failure))
    }
  }

  summary(): Summary {
    return {
      requests: this.#requests,
      scenarios: this.#scenarios,
      statuses: new Map([...this.#statuses].sort(([a], [b]) => a - b)),
      neverSucceeded: CALLED.map(({ name }) => name).filter(
        name => name.includes(this.#options.operation ?? '') && !this.#succeeded.has(name),
      ),
      failures: [...this.#failures.values()],
    }
  }
}

export const describeFailure = ({ key, detail, seed, times, curl }: Failure): string =>
  `${key}\n  seed ${seed}, ${times} times\n  ${detail}\n  ${curl}`
