import type { ChatRequest } from '../core/chat.ts'
import type { Model, Price } from '../core/model.ts'
import { chargeOf, worstCaseNano } from '../catalog/index.ts'

/** A request that states no limit gets at most this many tokens. */
const LONGEST_UNASKED = 8192
/** Shorter answers are not worth a request. */
const SHORTEST_UNASKED = 256

/** What one model could cost for a request: micro-USD with fee. */
export interface ReservationPlan {
  minimum: bigint
  wanted: bigint
  /** The longest answer that an amount from `minimum` on pays for. */
  maxTokensFor(amount: bigint): number
}

export interface ReservationInput {
  model: Model
  price: Price
  request: ChatRequest
  /** Upper bound of the tokens that the provider of this model may count for the prompt. */
  promptBound: number
  /** Tokens beyond the answers that are charged as such: a prediction that does not fit. */
  extraOutput: number
  /** The thoughts may have as many tokens as the answer, beside it. */
  thinksBeyondLimit: boolean
  /** The lowest limit that the model accepts. */
  leastLimit: number
  at: Date
  /** Highest amount that the request may cost; null for no limit. */
  maxPrice: bigint | null
}

/** The limit of the answer that the caller names. */
export const namedLimit = ({ max_completion_tokens, max_tokens }: ChatRequest): number | null =>
  max_completion_tokens ?? max_tokens ?? null

/**
 * Sizes the reservation of a request at a model. A limit that the caller names is reserved in full; without one the answer
 * is limited by what the model can do, by 8,192 tokens and by what the balance affords.
 */
export function planReservation(input: ReservationInput): ReservationPlan {
  const { model, price, request, extraOutput, thinksBeyondLimit, leastLimit, at, maxPrice } = input
  const promptTokens = Math.min(input.promptBound, model.context)
  const n = request.n ?? 1
  const outputFor = (maxTokens: number): number => maxTokens * (thinksBeyondLimit ? 2 : 1) + extraOutput
  const chargeFor = (maxTokens: number): bigint =>
    chargeOf(worstCaseNano(price, { promptTokens, maxTokens: outputFor(maxTokens), n }, at))
  const named = namedLimit(request)
  const longest = Math.min(Math.max(named ?? LONGEST_UNASKED, leastLimit), model.maxOutput)
  const shortest = named === null ? Math.min(SHORTEST_UNASKED, longest) : longest
  const minimum = chargeFor(shortest)
  const full = chargeFor(longest)
  // A plan whose minimum is above the maximum price is never used: see `firstAffordable`.
  const wanted = maxPrice !== null && maxPrice < full && maxPrice >= minimum ? maxPrice : full
  return {
    minimum,
    wanted,
    maxTokensFor: amount =>
      amount >= full ? longest : longestWithin(amount, chargeFor, [shortest, longest]),
  }
}

/** By bisection, because rounding, tiers and fee make the charge no straight line. */
function longestWithin(
  amount: bigint,
  chargeFor: (maxTokens: number) => bigint,
  [shortest, longest]: readonly [number, number],
): number {
  let low = shortest
  let high = longest
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (chargeFor(middle) <= amount) low = middle
    else high = middle - 1
  }
  return low
}
