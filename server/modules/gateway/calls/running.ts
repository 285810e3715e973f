import { newId } from '#platform/kernel/id'
import { costNano, feeOf, microOf } from '../catalog/index.ts'
import type { Call, PromptSize } from '../core/call.ts'
import type { ChatRequest, CompletionUsage } from '../core/chat.ts'
import type { Attempt, Outcome, Reservation, UsageRecord } from '../core/funds.ts'
import type { Admission } from '../core/key.ts'
import type { Model, TokenUsage } from '../core/model.ts'
import type { Decision } from '../core/routing.ts'
import type { CallParts } from './parts.ts'

export const NO_TOKENS: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** How a call ended. */
export interface Ending {
  outcome: Outcome
  model: Model
  usage: TokenUsage
  finishReason: string | null
  ttftMs?: number
  /** Answered at no cost. */
  isFree?: boolean
}

export interface RunningInput {
  call: Call
  /** As it leaves: without personal data where the key asks for it. */
  request: ChatRequest
  prompt: PromptSize
  admission: Admission
  /** Monotonic time of the begin. */
  begun: number
}

/** One call from its admission to its record: collects what the record says, and ends reservation and admission once. */
export class RunningCall {
  readonly id = `gen-${newId()}`
  readonly created: number
  /** Business time: decides prices. */
  readonly at: Date
  readonly call: Call
  readonly request: ChatRequest
  readonly prompt: PromptSize
  readonly begun: number
  readonly attempts: Attempt[] = []
  decision: Decision | null = null
  reservation: Reservation | null = null
  /** Where the answer is in the response cache; null if the key does not use it. */
  cacheName: string | null = null
  /** Time that providers, and waiting for them, took. */
  upstreamMs = 0
  readonly #parts: CallParts
  readonly #admission: Admission
  #record: UsageRecord | null = null
  #isAbandoned = false

  constructor(parts: CallParts, { call, request, prompt, admission, begun }: RunningInput) {
    this.#parts = parts
    this.#admission = admission
    this.call = call
    this.request = request
    this.prompt = prompt
    this.begun = begun
    this.at = parts.clock.now()
    this.created = Math.floor(parts.clock.real().getTime() / 1000)
  }

  /** Records how the call ended and what it cost. Only the first end counts. */
  end(ending: Ending): UsageRecord {
    if (this.#record) return this.#record
    const record = (this.#record = this.#recordOf(ending))
    if (this.reservation) this.reservation.settle(record)
    else this.#parts.funds.record(record)
    this.#admission.leave(ending.isFree ? 0 : ending.usage.input + ending.usage.output)
    const overheadMs = Math.max(0, record.latencyMs - this.upstreamMs)
    const { requestId, traceparent } = this.call
    this.#parts.observer?.ended(record, { requestId, overheadMs, ...(traceparent ? { traceparent } : {}) })
    return record
  }

  /** Ends a call that was refused before it was sent: nothing is recorded. */
  abandon(): void {
    if (this.#record || this.#isAbandoned) return
    this.#isAbandoned = true
    this.reservation?.release()
    this.#admission.leave(0)
  }

  #recordOf({ outcome, model, usage, finishReason, ttftMs, isFree }: Ending): UsageRecord {
    const { call, decision, at } = this
    // An answer without a token costs nothing, whatever its prompt was; a caller who left pays for the prompt. Vectors are
    // priced by their input alone.
    const hasAnswer = usage.output > 0 || call.surface === 'embeddings'
    const isCharged = !isFree && (hasAnswer || outcome === 'cancelled')
    const nano = isCharged ? costNano(this.#parts.catalog.priceOf(model, at), usage, at) : 0
    const cost = microOf(nano)
    return {
      id: this.id,
      accountId: call.key.accountId,
      keyId: call.key.id,
      surface: call.surface,
      requestedModel: call.request.model,
      model: model.id,
      provider: model.provider,
      tier: model.tier,
      complexity: decision?.complexity?.score ?? null,
      decision: decision ? decisionRecord(decision) : {},
      tokens: usage,
      costNano: nano,
      cost,
      fee: feeOf(cost),
      latencyMs: Math.round(performance.now() - this.begun),
      ttftMs: ttftMs === undefined ? null : Math.round(ttftMs),
      attempts: this.attempts,
      outcome,
      finishReason,
      stream: call.request.stream === true,
      simulated: this.#parts.upstream.simulated,
      endUser: call.request.user ?? null,
      at,
    }
  }

  /** The headers of the answer of `model`. */
  headers(model: Model): Record<string, string> {
    const complexity = this.decision?.complexity
    const overheadMs = Math.max(0, performance.now() - this.begun - this.upstreamMs)
    const headers: Record<string, string> = {
      'x-svc-model': model.id,
      'x-svc-provider': model.provider,
      'x-svc-tier': model.tier,
      'x-svc-attempts': String(this.attempts.length),
      'x-svc-overhead-ms': overheadMs.toFixed(2),
    }
    if (complexity) headers['x-svc-complexity'] = complexity.score.toFixed(3)
    return Object.assign(headers, this.#admission.headers)
  }
}

/** Why this model, in few words: at most some 500 bytes for each request. */
function decisionRecord({
  tier,
  kind,
  sticky,
  complexity,
  order,
  candidates,
}: Decision): Record<string, unknown> {
  if (!complexity) return { tier, named: true }
  const excluded = candidates.flatMap(({ model, excludedBecause: why }) => (why ? [[model.id, why]] : []))
  return {
    tier,
    ...(kind ? { kind } : {}),
    sticky,
    score: complexity.score,
    features: complexity.features.slice(0, 3),
    fallbacks: order.slice(1, 4).map(({ id }) => id),
    scores: Object.fromEntries(
      candidates.filter(each => !each.excludedBecause).map(({ model, score }) => [model.id, score]),
    ),
    ...(excluded.length ? { excluded: Object.fromEntries(excluded) as Record<string, string> } : {}),
  }
}

/** The usage as OpenAI clients read it; `cost` in USD with fee. */
export const completionUsage = (usage: TokenUsage, cost: number): CompletionUsage => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
  cost,
})
