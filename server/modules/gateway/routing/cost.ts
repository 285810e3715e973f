import { chargeOf, costNano, worstCaseNano } from '../catalog/index.ts'
import type { ChatRequest } from '../core/chat.ts'
import type { Catalog, Model } from '../core/model.ts'

/** The answer of a request that states no limit is limited to this many tokens. */
const DEFAULT_MAX_TOKENS = 8192
/** The length of a usual answer, for estimates. */
const USUAL_ANSWER = 400

/** Costs of one request in micro-USD with fee. */
export interface CostEstimate {
  /** For the shortest answer: one token. */
  least: bigint
  /** For a usual answer. */
  usual: bigint
  /** For the longest answer that the request allows. */
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
  const price = catalog.priceOf(model, at)
  const maxTokens = maxTokensOf(request, model)
  const n = request.n ?? 1
  const forAnswer = (output: number) =>
    chargeOf(
      costNano(
        price,
        { input: promptTokens, output: output * n, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
        at,
      ),
    )
  return {
    least: forAnswer(1),
    usual: forAnswer(Math.min(USUAL_ANSWER, maxTokens)),
    most: chargeOf(worstCaseNano(price, { promptTokens, maxTokens, n }, at)),
  }
}
