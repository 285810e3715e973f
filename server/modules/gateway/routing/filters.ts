import type { ChatRequest } from '../core/chat.ts'
import type { ModelHealth } from '../core/health.ts'
import { CAPABILITIES, type Capability, type Model } from '../core/model.ts'
import { permissionExclusion, type PermissionExclusion, type RouteInput } from '../core/routing.ts'
import type { Upstream } from '../core/upstream.ts'
import { missingParameter } from '../providers/index.ts'
import { maxTokensOf, type CostEstimate } from './cost.ts'
import { hasImages } from './text.ts'

/** Why a model cannot answer a request, from what never changes to what may pass in a moment. */
export type Exclusion =
  | PermissionExclusion
  /** A capability or a parameter. */
  | `lacks_${string}`
  | 'max_output_too_small'
  | 'context_too_small'
  | 'above_max_price'
  | 'provider_unconfigured'
  | 'breaker_open'

/** Shorter answers are not worth a request: the prompt must leave this many tokens. */
const SHORTEST_ANSWER = 256

/** What a request asks of any model. */
export interface Requirements {
  capabilities: readonly Capability[]
  /** Micro-USD with fee; null for no limit. */
  maxPrice: bigint | null
}

export function requirementsOf({ key, request, constraints }: RouteInput): Requirements {
  const wanted = new Set(constraints?.capabilities)
  if (hasImages(request.messages)) wanted.add('vision')
  if (request.tools?.length) wanted.add('tools')
  if (request.response_format?.type === 'json_schema') wanted.add('json_schema')
  if (typeof request.reasoning_effort === 'string' && request.reasoning_effort !== 'none')
    wanted.add('reasoning')
  const prices = [key.maxPriceUsd, key.config.maxPriceUsd, constraints?.maxPriceUsd]
  return {
    capabilities: CAPABILITIES.filter(capability => wanted.has(capability)),
    maxPrice: prices.reduce<bigint | null>(
      (least, price) =>
        price !== null && price !== undefined && (least === null || price < least) ? price : least,
      null,
    ),
  }
}

/** The first rule that excludes a model: what the caller may use, what the model can do, what it costs, whether it answers. */
export function exclusionOf(
  candidate: { readonly model: Model; readonly cost: CostEstimate },
  input: RouteInput,
  requirements: Requirements,
  state: { upstream: Pick<Upstream, 'isConfigured'>; health: Pick<ModelHealth, 'isAvailable'> },
): Exclusion | undefined {
  const { model } = candidate
  return (
    permissionExclusion(model, input) ??
    capability(model, input, requirements) ??
    (requirements.maxPrice !== null && candidate.cost.most > requirements.maxPrice
      ? 'above_max_price'
      : undefined) ??
    (state.upstream.isConfigured(model.provider) ? undefined : 'provider_unconfigured') ??
    (state.health.isAvailable(model.id) ? undefined : 'breaker_open')
  )
}

function capability(
  model: Model,
  { request, prompt }: RouteInput,
  { capabilities }: Requirements,
): Exclusion | undefined {
  const missing = capabilities.find(each => !model.capabilities[each])
  if (missing) return `lacks_${missing}`
  const parameter = missingParameter(model, request)
  if (parameter) return `lacks_${parameter}`
  const named = namedMaxTokens(request)
  if (named !== undefined && named > model.maxOutput) return 'max_output_too_small'
  const answer = named === undefined ? SHORTEST_ANSWER : maxTokensOf(request, model)
  // What surely fits need not be counted.
  const fits = prompt.bound + answer <= model.context || prompt.tokens + answer <= model.context
  return fits ? undefined : 'context_too_small'
}

/** The limit of the answer that the caller names. */
export const namedMaxTokens = (request: ChatRequest): number | undefined =>
  request.max_completion_tokens ?? request.max_tokens ?? undefined

/** The parameter of the request that a model lacks. */
export const PARAMETER_OF: Readonly<Partial<Record<Exclusion, string>>> = {
  lacks_vision: 'messages',
  lacks_tools: 'tools',
  lacks_json_schema: 'response_format',
  lacks_reasoning: 'reasoning_effort',
  max_output_too_small: 'max_tokens',
}
