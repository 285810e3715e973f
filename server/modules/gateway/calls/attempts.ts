import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, apiError } from '#platform/kernel/errors'
import { GATEWAY } from '../core/errors.ts'
import type { Model } from '../core/model.ts'
import { UpstreamFailure, type UpstreamCall } from '../core/upstream.ts'
import { errorOfFailure } from './errors.ts'
import type { CallParts } from './parts.ts'
import { planReservation } from './plan-reservation.ts'
import { NO_TOKENS, type RunningCall } from './running.ts'

/** Waits before a retry are drawn from 0 to this, doubled for each further one. */
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5000
/** A provider that asks for more is not waited for. */
const LONGEST_RETRY_AFTER_MS = 10_000
/** Nor for more than this while another model can answer. */
const PATIENCE_WITH_FALLBACK_MS = 1000

/** What `send` got from the model that answered. */
export interface Answered<T> {
  model: Model
  value: T
}

/** One call of a provider; for a stream until its first chunk. */
export type Send<T> = (call: Omit<UpstreamCall, 'signal'>) => Promise<T>

/**
 * The answer of the first model in the order of the decision that gives one. Retries a model that fails, then falls back.
 * ApiError 402 before the first attempt, and the error of the last attempt where all have failed, which is recorded.
 */
export async function firstAnswer<T>(
  parts: CallParts,
  running: RunningCall,
  send: Send<T>,
): Promise<Answered<T>> {
  const attempts = new Attempts(parts, running, send)
  const order = running.decision?.order ?? []
  for (const [index, model] of order.entries()) {
    if (!parts.health.isAvailable(model.id)) continue
    if (!(await attempts.reserve(model))) continue
    const answered = await attempts.at(model, order.length > index + 1)
    if (answered) return answered
    if (!attempts.mayContinue) break
  }
  throw attempts.end(order.at(-1))
}

class Attempts<T> {
  readonly #parts: CallParts
  readonly #running: RunningCall
  readonly #send: Send<T>
  readonly #deadline: number
  #maxTokens = 0
  #failure: UpstreamFailure | null = null
  #last: Model | null = null
  /** Why a model was left out although it could answer. */
  #refusal: ApiError | null = null

  constructor(parts: CallParts, running: RunningCall, send: Send<T>) {
    this.#parts = parts
    this.#running = running
    this.#send = send
    const [first] = running.decision?.order ?? []
    this.#deadline = running.begun + (first ? parts.settings.deadlinesOf(first.id).totalMs : 0)
  }

  /** Whether another attempt has a sense: the request itself is not at fault, its caller waits, and there is time. */
  get mayContinue(): boolean {
    return (
      this.#failure?.kind !== 'refused' &&
      this.#refusal?.row.status !== 402 &&
      !this.#running.call.signal.aborted &&
      this.#remainingMs > 0
    )
  }

  get #remainingMs(): number {
    return this.#deadline - performance.now()
  }

  /** Reserves for the model what it may cost. False if its price is too high, or the balance does not cover it as a fallback. */
  async reserve(model: Model): Promise<boolean> {
    const running = this.#running
    const plan = this.#planFor(model)
    const most = maxPriceOf(running)
    if (most !== null && plan.minimum > most) {
      this.#refusal = apiError(GATEWAY.MAX_PRICE_EXCEEDED, {
        hint: 'The longest answer that the request allows must fit: lower max_tokens or raise the maximum price',
      })
      return false
    }
    if (!running.reservation || running.reservation.amount < plan.minimum) {
      const isFirst = this.#failure === null
      try {
        running.reservation?.release()
        running.reservation = null
        running.reservation = await this.#reserveAmount(plan)
      } catch (error) {
        if (isFirst || !(error instanceof ApiError)) throw error
        // The failure that made the fallback necessary says more than the balance.
        this.#refusal = error
        return false
      }
    }
    this.#maxTokens = plan.maxTokensFor(running.reservation.amount)
    return true
  }

  #planFor(model: Model) {
    const { tokens, catalog, upstream } = this.#parts
    const { request, prompt, at } = this.#running
    return planReservation({
      model,
      price: catalog.priceOf(model, at),
      request,
      promptBound: prompt.bound,
      extraOutput: predictionTokens(request['prediction'], text => tokens.ofText(text)),
      thinksBeyondLimit: upstream.thinksBeyondLimit(model.provider, request),
      leastLimit: upstream.leastLimit(model, request),
      at,
      maxPrice: maxPriceOf(this.#running),
    })
  }

  #reserveAmount({ minimum, wanted }: { minimum: bigint; wanted: bigint }) {
    const { key, request } = this.#running.call
    const test = this.#parts.upstream.simulated
    return this.#parts.funds.reserve({ key, endUser: request.user ?? null, test, minimum, wanted })
  }

  /** The answer of a model, or null after its retries. */
  async at(model: Model, hasFallback: boolean): Promise<Answered<T> | null> {
    const { health, settings } = this.#parts
    for (let attempt = 0; health.tryEnter(model.id); attempt++) {
      const answered = await this.#attempt(model)
      if (answered) return answered
      if (!this.mayContinue || attempt >= settings.retries) return null
      const waitMs = this.#waitBeforeRetry(attempt, hasFallback)
      if (waitMs === null) return null
      await this.#wait(waitMs)
      if (!this.mayContinue) return null
    }
    return null
  }

  async #attempt(model: Model): Promise<Answered<T> | null> {
    const { health, settings } = this.#parts
    const { request } = this.#running
    const { firstByteMs, totalMs } = settings.deadlinesOf(model.id)
    const limitMs = Math.max(1, Math.min(totalMs, this.#remainingMs))
    const begun = performance.now()
    this.#last = model
    try {
      const value = await this.#send({
        model,
        request,
        maxTokens: this.#maxTokens,
        // Only a stream has bytes before its end.
        firstByteMs: request.stream ? Math.min(firstByteMs, limitMs) : limitMs,
        totalMs: limitMs,
      })
      this.#record(model, begun, null)
      return { model, value }
    } catch (error) {
      // An error of our own says nothing about the model.
      if (!(error instanceof UpstreamFailure)) {
        health.abandon(model.id)
        throw error
      }
      this.#failure = error
      this.#record(model, begun, error)
      return null
    }
  }

  #record(model: Model, begun: number, failure: UpstreamFailure | null): void {
    const { health, log } = this.#parts
    const latencyMs = performance.now() - begun
    this.#running.upstreamMs += latencyMs
    const result = failure?.kind ?? 'ok'
    this.#running.attempts.push({ model: model.id, result, latencyMs: Math.round(latencyMs) })
    health.record(model.id, { failure: failure?.kind ?? null, status: failure?.status ?? null, latencyMs })
    if (failure?.kind === 'credentials')
      log.error({ provider: model.provider, model: model.id }, 'a provider refuses our key')
  }

  /** Null where a further attempt at the same model has no sense. */
  #waitBeforeRetry(attempt: number, hasFallback: boolean): number | null {
    const { kind, retryAfterMs } = this.#failure ?? {}
    // Whoever let a deadline pass is likely to do so again.
    if (kind === 'timeout' || kind === 'credentials') return null
    const jitterMs = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
    const waitMs = retryAfterMs ? retryAfterMs + jitterMs : jitterMs
    const longest = hasFallback ? PATIENCE_WITH_FALLBACK_MS : LONGEST_RETRY_AFTER_MS
    return (retryAfterMs ?? 0) > longest || waitMs >= this.#remainingMs ? null : waitMs
  }

  async #wait(ms: number): Promise<void> {
    const begun = performance.now()
    // Ends early when the caller leaves.
    await sleep(ms, undefined, { signal: this.#running.call.signal }).catch(() => undefined)
    this.#running.upstreamMs += performance.now() - begun
  }

  /** Ends a call without an answer; returns its error. */
  end(lastOfOrder: Model | undefined): ApiError {
    const failure = this.#failure
    const model = this.#last ?? lastOfOrder
    if (!failure || !model) {
      this.#running.abandon()
      return this.#refusal ?? unavailable()
    }
    this.#running.end({ outcome: 'failed', model, usage: NO_TOKENS, finishReason: 'error', isFree: true })
    return errorOfFailure(failure)
  }
}

const unavailable = (): ApiError =>
  apiError(GATEWAY.NO_MODEL_AVAILABLE, {
    hint: 'The models that may answer are unavailable at the moment: try again later',
    headers: { 'Retry-After': '10' },
  })

/** The lowest of the maximum prices that apply, in micro-USD with fee; null for none. */
function maxPriceOf({ call: { key, constraints } }: RunningCall): bigint | null {
  const prices = [key.maxPriceUsd, key.config.maxPriceUsd, constraints?.maxPriceUsd ?? null]
  return prices.reduce(
    (least, price) => (price !== null && (least === null || price < least) ? price : least),
    null,
  )
}

/** Tokens of a prediction that the answer does not take up are charged as output. */
function predictionTokens(prediction: unknown, count: (text: string) => number): number {
  return prediction === undefined || prediction === null ? 0 : count(JSON.stringify(prediction))
}
