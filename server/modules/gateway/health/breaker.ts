import { MINUTE, SECOND } from '#platform/kernel/clock'
import type { BreakerState, ModelHealth } from '../core/health.ts'
import type { FailureKind } from '../core/upstream.ts'

/** Calls in a row that fail until the breaker opens. */
const FAILURES_IN_A_ROW = 5
/** Or this share of the last calls. */
const WINDOW = 20
const FAILED_SHARE = 0.5
/** How long it stays open; twice as long after each trial that fails. */
const OPEN_MS = 10 * SECOND
const LONGEST_OPEN_MS = 5 * MINUTE
/** A trial whose end nobody recorded is over then. */
const TRIAL_MS = 15 * MINUTE
const LATENCY_WEIGHT = 0.1

/** What the last calls of a model were like. */
export interface HealthView {
  state: BreakerState
  /** Of the last calls, at most 20. */
  calls: number
  failures: number
  lastFailure: FailureKind | null
  lastFailureAt: Date | null
  lastSuccessAt: Date | null
  /** Moving average of the calls that succeeded; null before the first. */
  latencyMs: number | null
  /** When an open breaker lets a trial through. */
  opensAt: Date | null
}

interface ModelRecord {
  /** The last calls, the newest last; true for a failure. */
  recent: boolean[]
  inARow: number
  /** Monotonic time from which a trial may enter; null while closed. */
  retryAt: number | null
  openMs: number
  /** When the trial under way entered. */
  trialAt: number | null
  lastFailure: FailureKind | null
  lastFailureAt: Date | null
  lastSuccessAt: Date | null
  latencyMs: number | null
}

const newRecord = (): ModelRecord => ({
  recent: [],
  inARow: 0,
  retryAt: null,
  openMs: OPEN_MS,
  trialAt: null,
  lastFailure: null,
  lastFailureAt: null,
  lastSuccessAt: null,
  latencyMs: null,
})

export interface ObservedHealth extends ModelHealth {
  viewOf(modelId: string): HealthView
}

/**
 * A circuit breaker for each model, in memory: each instance sees its own calls. `monotonicMs` never goes back, `real` dates
 * what is shown.
 */
export function createModelHealth(
  monotonicMs: () => number = () => performance.now(),
  real: () => Date = () => new Date(),
): ObservedHealth {
  const records = new Map<string, ModelRecord>()
  const of = (id: string): ModelRecord => {
    let record = records.get(id)
    if (!record) records.set(id, (record = newRecord()))
    return record
  }
  const stateOf = (id: string): BreakerState => {
    const retryAt = records.get(id)?.retryAt ?? null
    if (retryAt === null) return 'closed'
    return monotonicMs() < retryAt ? 'open' : 'half-open'
  }
  const isTrialFree = ({ trialAt }: ModelRecord): boolean =>
    trialAt === null || monotonicMs() - trialAt > TRIAL_MS
  return {
    stateOf,
    isAvailable: id => {
      const state = stateOf(id)
      return state === 'closed' || (state === 'half-open' && isTrialFree(of(id)))
    },
    tryEnter(id) {
      const state = stateOf(id)
      if (state !== 'half-open') return state === 'closed'
      const record = of(id)
      if (!isTrialFree(record)) return false
      record.trialAt = monotonicMs()
      return true
    },
    record(id, { failure, status = null, latencyMs }) {
      const record = of(id)
      // What the provider refuses because of the request says that the model answers.
      if (failure === null || failure === 'refused')
        close(record, failure === null ? latencyMs : null, real())
      else fail(record, failure, { isFinal: isKeyRefused(failure, status), now: monotonicMs(), at: real() })
    },
    abandon(id) {
      of(id).trialAt = null
    },
    viewOf(id) {
      const record = of(id)
      const { recent, lastFailure, lastFailureAt, lastSuccessAt, latencyMs, retryAt } = record
      const waitMs = retryAt === null ? 0 : retryAt - monotonicMs()
      return {
        state: stateOf(id),
        calls: recent.length,
        failures: recent.filter(Boolean).length,
        lastFailure,
        lastFailureAt,
        lastSuccessAt,
        latencyMs: latencyMs === null ? null : Math.round(latencyMs),
        opensAt: waitMs > 0 ? new Date(real().getTime() + waitMs) : null,
      }
    },
  }
}

function close(record: ModelRecord, latencyMs: number | null, at: Date): void {
  // After an outage the earlier failures say nothing more.
  if (record.retryAt !== null) record.recent = []
  push(record, false)
  Object.assign(record, { inARow: 0, retryAt: null, openMs: OPEN_MS, trialAt: null, lastSuccessAt: at })
  if (latencyMs !== null)
    record.latencyMs =
      record.latencyMs === null
        ? latencyMs
        : record.latencyMs + (latencyMs - record.latencyMs) * LATENCY_WEIGHT
}

/**
 * No further call helps while the key of the operator is refused. Other statuses of a refusal may be due to what a caller
 * asked for: one caller must not close a model to all others.
 */
const isKeyRefused = (failure: FailureKind, status: number | null): boolean =>
  failure === 'credentials' && (status === 401 || status === 400)

function fail(
  record: ModelRecord,
  failure: FailureKind,
  { isFinal, now, at }: { isFinal: boolean; now: number; at: Date },
): void {
  push(record, true)
  record.inARow++
  record.lastFailure = failure
  record.lastFailureAt = at
  const { recent, retryAt } = record
  if (retryAt !== null) {
    // Calls that began before it opened end late: only a trial doubles the time.
    if (record.trialAt === null) return
    record.openMs = Math.min(record.openMs * 2, LONGEST_OPEN_MS)
  } else {
    const isFull = recent.length === WINDOW
    const failures = recent.filter(Boolean).length
    if (!isFinal && record.inARow < FAILURES_IN_A_ROW && !(isFull && failures >= WINDOW * FAILED_SHARE))
      return
  }
  record.trialAt = null
  record.retryAt = now + record.openMs
}

function push({ recent }: ModelRecord, isFailure: boolean): void {
  recent.push(isFailure)
  if (recent.length > WINDOW) recent.shift()
}
