import { share } from '#platform/kernel/money'
import type { ChatRequest } from '../core/chat.ts'
import type { Catalog, Model } from '../core/model.ts'

/** The answer of a request that states no limit is limited to this many tokens. */
const DEFAULT_MAX_TOKENS = 8192
/** The length of a usual answer, for estimates. */
const USUAL_ANSWER = 400
const FEE_BPS = 800

export interface CostEstimate {
  /** Micro-USD with fee: for a usual answer, and at most. */
  usual: bigint
  most: bigint
}

/** Tokens of the longest answer that a request allows. */
export function maxTokensOf(request: ChatRequest, model: Model): number {
  const named = request.max_completion_tokens ?? request.max_tokens
  return Math.min(model.maxOutput, named ?? DEFAULT_MAX_TOKENS)
}

export function estimateCost(
  catalog: Catalog,
  { model, request, promptTokens }: { model: Model; request: ChatRequest; promptTokens: number },
  at: Date,
): CostEstimate {
  const { base } = catalog.priceOf(model, at)
  const longest = maxTokensOf(request, model)
  const answers = request.n ?? 1
  const withFee = (nano: number) => {
    const cost = BigInt(Math.ceil(nano / 1000))
    return cost + share(cost, FEE_BPS, 'floor')
  }
  return {
    usual: withFee(promptTokens * base.input + answers * Math.min(USUAL_ANSWER, longest) * base.output),
    most: withFee(promptTokens * Math.max(base.input, base.cacheWrite) + answers * longest * base.output),
  }
}
