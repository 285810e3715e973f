import type { PromptSize } from './call.ts'
import type { ChatRequest } from './chat.ts'
import type { RoutingKey } from './key.ts'
import type { Capability, Model, Tier } from './model.ts'

export interface RouteConstraints {
  /** Highest cost of the request with fee, in micro-USD. */
  maxPriceUsd?: bigint
  allow?: readonly string[]
  deny?: readonly string[]
  capabilities?: readonly Capability[]
}

export interface RouteInput {
  key: RoutingKey
  request: ChatRequest
  prompt: PromptSize
  constraints?: RouteConstraints
}

export interface Complexity {
  /** From 0 to 1. */
  score: number
  /** The features that contributed most. */
  features: readonly { name: string; weight: number }[]
}

export interface RankedModel {
  model: Model
  /** Utility of stage 2; higher is better. */
  score: number
  excludedBecause?: string
}

/**
 * What reported outcomes of an account add to the quality of a model, which is from 0 to 1, for a kind of task: from -0.1 to
 * 0.1, in memory.
 */
export type QualityBonus = (accountId: string, modelId: string, kind: string) => number

export interface Decision {
  /** Null where the caller named a model. */
  complexity: Complexity | null
  /** The kind of task, by which outcomes are grouped; absent where the caller named a model. */
  kind?: string
  tier: Tier
  /** In the order in which they are tried: the selected one, then its fallbacks. Never empty. */
  order: readonly Model[]
  /** All models with their scores, or why they were excluded. */
  candidates: readonly RankedModel[]
  /** The conversation was on this model before. */
  sticky: boolean
}

export interface Router {
  /**
   * Selects the model of a request: no network, no database. ApiError 404 `model_not_found`, 400 `unsupported_parameter` if a
   * named model lacks what the request asks for, 403 if the key does not allow it, 503 if no model is left.
   */
  decide(input: RouteInput): Decision
}

export type PermissionExclusion = 'not_allowed_by_key' | 'not_allowed_by_account' | 'not_allowed_by_request'

/** Whose lists exclude a model: those of the key, the account or the request; undefined if the caller may use it. */
export function permissionExclusion(
  { id }: Model,
  { key, constraints }: Pick<RouteInput, 'key' | 'constraints'>,
): PermissionExclusion | undefined {
  if (!isListed(id, key.allowedModels)) return 'not_allowed_by_key'
  if (!isListed(id, key.config.allow) || key.config.deny.includes(id)) return 'not_allowed_by_account'
  if (!isListed(id, constraints?.allow) || constraints?.deny?.includes(id)) return 'not_allowed_by_request'
  return undefined
}

/** An empty list allows every model. */
const isListed = (id: string, list: readonly string[] = []): boolean => list.length === 0 || list.includes(id)
