import type { RoutingKey } from './key.ts'
import type { ProviderId, Tier, TokenUsage } from './model.ts'

export interface ReservationRequest {
  key: RoutingKey
  /** The end user that the caller names in `user`: has a budget of its own where the key says so. */
  endUser: string | null
  /** Simulated answers are paid from test credit (2041), others from real money (2040). */
  test: boolean
  /** Micro-USD with fee: what the request needs at least, and what it would like to have. */
  minimum: bigint
  wanted: bigint
}

/** An amount that one request may spend: taken from the lease in memory, and from the budgets of the key and the end user. */
export interface Reservation {
  /** Micro-USD with fee, from `minimum` to `wanted`. */
  readonly amount: bigint
  /** Ends the reservation and records what was spent; nothing of it waits for the database. Exactly one of settle and release is called. */
  settle(record: UsageRecord): void
  /** Ends the reservation of a request that cost nothing and is not recorded. */
  release(): void
}

export interface Funds {
  /**
   * ApiError 402 if routing balance, key budget or end-user budget do not cover `minimum`. Waits for the database only when
   * the lease in memory does not suffice.
   */
  reserve(request: ReservationRequest): Promise<Reservation>
  /** Records a request that cost nothing and had no reservation, such as one answered from the response cache. */
  record(record: UsageRecord): void
}

export type Outcome = 'completed' | 'partial' | 'cancelled' | 'failed' | 'cached'
export type SurfaceName = 'chat' | 'messages' | 'responses' | 'embeddings'

/** One attempt at a model. */
export interface Attempt {
  model: string
  /** `ok` or the kind of the failure. */
  result: string
  latencyMs: number
}

/** One request: the row of `gateway_usage`. */
export interface UsageRecord {
  /** `gen-` and a UUID: the id of the answer, and of `GET /v1/generations/{id}`. */
  id: string
  accountId: string
  keyId: string
  surface: SurfaceName
  /** As the caller named it. */
  requestedModel: string
  model: string
  provider: ProviderId
  tier: Tier
  /** The score of stage 1; null where a model was named. */
  complexity: number | null
  /** Why this model: shown by `GET /v1/analytics/routing-log`. */
  decision: Readonly<Record<string, unknown>>
  tokens: TokenUsage
  /** Cost without fee in nano-USD. */
  costNano: number
  /** Cost without fee, rounded up to micro-USD: what is posted. */
  cost: bigint
  /** 8 % of `cost`. */
  fee: bigint
  latencyMs: number
  /** Until the first byte of a stream. */
  ttftMs: number | null
  attempts: readonly Attempt[]
  outcome: Outcome
  finishReason: string | null
  stream: boolean
  simulated: boolean
  endUser: string | null
  at: Date
}
