import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Outcome, SurfaceName, UsageRecord } from '../core/funds.ts'
import type { BreakerState } from '../core/health.ts'
import type { Tier, TokenUsage } from '../core/model.ts'

/** Values of the gauge of a breaker. */
const BREAKER: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 }
const SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300]
const OVERHEAD_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]

type Prom = typeof import('prom-client')
/** The state of the breaker of each model. */
export type Breakers = () => Iterable<readonly [model: string, state: BreakerState]>

/**
 * Counters and histograms of the gateway for `/metrics`. Labels are surfaces, models, tiers and kinds of results, of which
 * there are few; never an account, a key or a prompt.
 */
export class GatewayMetrics {
  readonly #breakers: Breakers
  #opening: Promise<Instruments> | undefined
  #instruments: Instruments | undefined
  /** Records that arrived while the library was loaded. */
  #waiting: [UsageRecord, number][] = []

  constructor(breakers: Breakers) {
    this.#breakers = breakers
  }

  observe(record: UsageRecord, overheadMs: number): void {
    if (this.#instruments) return count(this.#instruments, record, overheadMs)
    this.#waiting.push([record, overheadMs])
    void this.#open()
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    const instruments = await this.#open()
    const { registry, breaker, sums, requests, tokens, cost, fee } = instruments
    for (const counter of [requests, tokens, cost, fee]) counter.reset()
    for (const each of sums.values()) addSum(instruments, each)
    for (const [model, state] of this.#breakers()) breaker.set({ model }, BREAKER[state])
    return registry.metrics()
  }

  /** With the first request: the library would take 35 ms of each start. */
  #open(): Promise<Instruments> {
    this.#opening ??= import('prom-client').then(prom => {
      const instruments = (this.#instruments = openInstruments(prom))
      for (const [record, overheadMs] of this.#waiting) count(instruments, record, overheadMs)
      this.#waiting = []
      return instruments
    })
    return this.#opening
  }
}

interface Instruments {
  registry: Registry
  requests: Counter
  duration: Histogram
  overhead: Histogram
  firstToken: Histogram
  tokens: Counter
  cost: Counter
  fee: Counter
  failures: Counter
  fallbacks: Counter
  breaker: Gauge
  /** The exact values of the counters of answered requests, which get them when they are read: to add to each for each request would take longer than all else here. */
  sums: Map<string, Sum>
}

/** Requests that have the same labels. */
interface Sum {
  surface: SurfaceName
  model: string
  tier: Tier
  outcome: Outcome
  simulated: boolean
  requests: number
  tokens: TokenUsage
  /** Micro-USD. */
  cost: bigint
  fee: bigint
}

function openInstruments({ Counter, Gauge, Histogram, Registry }: Prom): Instruments {
  const registry = new Registry()
  const registers = [registry]
  const named = (name: string, help: string, labelNames: string[]) => ({
    name: `svc_gateway_${name}`,
    help,
    labelNames,
    registers,
  })
  const seconds = (name: string, help: string, labelNames: string[], buckets = SECONDS) =>
    new Histogram({ ...named(name, help, labelNames), buckets })
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter(named(name, help, labelNames))
  return {
    registry,
    requests: counter('requests_total', 'Routed requests', ['surface', 'model', 'tier', 'outcome']),
    duration: seconds('request_seconds', 'Time of a routed request', ['model']),
    overhead: seconds(
      'overhead_seconds',
      'Time of a routed request without the time of the provider',
      ['surface'],
      OVERHEAD_SECONDS,
    ),
    firstToken: seconds('time_to_first_token_seconds', 'Time until the first byte of a stream', ['model']),
    tokens: counter('tokens_total', 'Tokens; cached ones are input and reasoning ones output too', [
      'model',
      'type',
    ]),
    cost: counter('cost_usd_total', 'Cost of routed requests without fee', ['model', 'simulated']),
    fee: counter('fee_usd_total', 'Fees of routed requests', ['simulated']),
    failures: counter('attempt_failures_total', 'Attempts at a model that failed', ['model', 'result']),
    fallbacks: counter('fallbacks_total', 'Requests that another model answered', ['model']),
    breaker: new Gauge(
      named('breaker_state', 'Breaker of a model: 0 closed, 1 half-open, 2 open', ['model']),
    ),
    sums: new Map(),
  }
}

function count(into: Instruments, record: UsageRecord, overheadMs: number): void {
  const { surface, model, attempts, ttftMs } = record
  const sum = sumOf(into.sums, record)
  sum.requests++
  sum.cost += record.cost
  sum.fee += record.fee
  for (const type of TOKEN_TYPES) sum.tokens[type] += record.tokens[type]
  into.duration.observe({ model }, record.latencyMs / 1000)
  into.overhead.observe({ surface }, overheadMs / 1000)
  if (ttftMs !== null) into.firstToken.observe({ model }, ttftMs / 1000)
  for (const { model: tried, result } of attempts)
    if (result !== 'ok') into.failures.inc({ model: tried, result })
  const [first] = attempts
  if (first && first.model !== model) into.fallbacks.inc({ model: first.model })
}

const TOKEN_TYPES = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const

function sumOf(sums: Map<string, Sum>, record: UsageRecord): Sum {
  const { surface, model, tier, outcome, simulated } = record
  const key = `${surface} ${model} ${tier} ${outcome} ${simulated}`
  let sum = sums.get(key)
  if (!sum) {
    const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
    sum = { surface, model, tier, outcome, simulated, requests: 0, tokens, cost: 0n, fee: 0n }
    sums.set(key, sum)
  }
  return sum
}

function addSum(into: Instruments, sum: Sum): void {
  const { surface, model, tier, outcome, requests, tokens, cost, fee } = sum
  into.requests.inc({ surface, model, tier, outcome }, requests)
  for (const type of TOKEN_TYPES) if (tokens[type] > 0) into.tokens.inc({ model, type }, tokens[type])
  const simulated = String(sum.simulated)
  if (cost === 0n) return
  into.cost.inc({ model, simulated }, Number(cost) / 1e6)
  into.fee.inc({ simulated }, Number(fee) / 1e6)
}
