import type { Clock } from '#platform/kernel/clock'
import type { ModelHealth } from '../core/health.ts'
import { FORCED_TIER, type RoutingConfig } from '../core/key.ts'
import { TIERS, VIRTUAL_MODELS, type Catalog, type Model, type Tier } from '../core/model.ts'
import type { Complexity, Decision, QualityBonus, RankedModel, RouteInput, Router } from '../core/routing.ts'
import type { Upstream } from '../core/upstream.ts'
import { Assessor } from './complexity.ts'
import { estimateCost, type CostEstimate } from './cost.ts'
import { exclusionOf, requirementsOf, type Exclusion } from './filters.ts'
import type { TaskKind } from './kind.ts'
import { qualityPrior } from './quality.ts'
import { modelNotFound, lastExclusion, refusalOf } from './refusal.ts'
import { conversationOf, Conversations } from './sticky.ts'

export interface RouterParts {
  catalog: Catalog
  upstream: Pick<Upstream, 'isConfigured'>
  health: Pick<ModelHealth, 'isAvailable'>
  clock: Clock
  qualityBonus?: QualityBonus
}

/** Whether the decision binds the conversation to its model, or only shows what would be selected. */
export interface PreviewingRouter extends Router {
  preview(input: RouteInput): Decision
}

/** Stage 1 and stage 2 of the selection. Its conversations are in memory, so each instance has a router of its own. */
export function createRouter(given: RouterParts): PreviewingRouter {
  const parts: Parts = { ...given, assessor: new Assessor(), conversations: new Conversations() }
  return {
    decide(input) {
      const { conversation, ...decision } = select(parts, input)
      const [first] = decision.order
      if (conversation && first)
        parts.conversations.remember(conversation, first.id, parts.clock.real().getTime())
      return decision
    },
    preview(input) {
      const { conversation: _, ...decision } = select(parts, input)
      return decision
    },
  }
}

interface Parts extends RouterParts {
  assessor: Assessor
  conversations: Conversations
}

/** A model with all that stage 2 weighs. */
interface Candidate {
  model: Model
  cost: CostEstimate
  score: number
  excludedBecause?: Exclusion
}

type Selected = Decision & { conversation?: string }

function select(parts: Parts, input: RouteInput): Selected {
  const name = input.request.model || input.key.config.defaultModel
  if (!isVirtual(name)) return pin(parts, input, name)
  const { complexity, kind } = parts.assessor.assess(input.request.messages)
  const forced = FORCED_TIER[name]
  const wanted = forced ?? tierOf(complexity, input.key.config)
  // A forced tier has no substitute: another one costs, or can do, what the caller did not ask for.
  const models = parts.catalog.models().filter(({ tier }) => tier === (forced ?? tier))
  const candidates = rank(parts, input, { kind, models })
  const usable = inOrder(candidates, wanted)
  if (usable.length === 0)
    throw refusalOf(lastExclusion(candidates.flatMap(each => each.excludedBecause ?? [])), null)
  const conversation = input.key.config.sticky ? conversationOf(input) : undefined
  const previous = conversation && parts.conversations.modelOf(conversation, parts.clock.real().getTime())
  const stay = usable.find(({ id, tier }) => id === previous && isAtLeast(tier, wanted))
  const order = stay ? [stay, ...usable.filter(model => model !== stay)] : usable
  return {
    ...decisionOf(order, input.key.config, candidates),
    complexity,
    kind,
    sticky: !!stay,
    conversation,
  }
}

/** A model that the caller names is used, or the request is refused. */
function pin(parts: RouterParts, input: RouteInput, name: string): Selected {
  const models = parts.catalog.models()
  const named = models.find(({ id }) => id === name)
  if (!named) throw modelNotFound(name, models)
  // Alone, and priced only where a maximum price asks for it: the rest would take longer than the decision.
  const exclusion = exclusionOf(
    {
      model: named,
      get cost() {
        return costOf(parts, input, named)
      },
    },
    input,
    requirementsOf(input),
    parts,
  )
  if (exclusion) throw refusalOf(exclusion, name)
  const score = scoreOf(parts, input, { model: named, kind: 'chat', costShare: 1 })
  return {
    ...decisionOf([named], input.key.config, [{ model: named, score }]),
    complexity: null,
    sticky: false,
  }
}

function decisionOf(
  order: readonly Model[],
  config: RoutingConfig,
  candidates: readonly Omit<Candidate, 'cost'>[],
) {
  const [first] = order
  return {
    tier: first?.tier ?? 'economy',
    order: config.fallbacks ? order : order.slice(0, 1),
    candidates: candidates.map(({ model, score, excludedBecause }): RankedModel => ({
      model,
      score,
      ...(excludedBecause ? { excludedBecause } : {}),
    })),
  }
}

const isVirtual = (name: string): boolean => VIRTUAL_MODELS.some(each => each === name)

const tierOf = ({ score }: Complexity, { thresholds }: RoutingConfig): Tier =>
  score >= thresholds.premium ? 'premium' : score >= thresholds.mid ? 'mid' : 'economy'

/** What the dearest model of a tier loses against one without cost, at a lambda of 1: about the range of quality in a tier. */
const COST_WEIGHT = 0.1

/** The models, the best first: quality for this kind of task, less lambda times the cost relative to the dearest of the tier. */
function rank(
  parts: RouterParts,
  input: RouteInput,
  { kind, models }: { kind: TaskKind; models: readonly Model[] },
): Candidate[] {
  const requirements = requirementsOf(input)
  const priced = models.map(model => ({ model, cost: costOf(parts, input, model) }))
  const dearest: Record<Tier, bigint> = { economy: 1n, mid: 1n, premium: 1n }
  for (const { model, cost } of priced) if (cost.usual > dearest[model.tier]) dearest[model.tier] = cost.usual
  return priced
    .map(({ model, cost }): Candidate => {
      const costShare = Number(cost.usual) / Number(dearest[model.tier])
      const score = scoreOf(parts, input, { model, kind, costShare })
      return { model, cost, score, excludedBecause: exclusionOf({ model, cost }, input, requirements, parts) }
    })
    .sort((a, b) => b.score - a.score)
}

const costOf = (
  { catalog, clock }: RouterParts,
  { request, prompt }: RouteInput,
  model: Model,
): CostEstimate => estimateCost(catalog, { model, request, promptTokens: prompt.tokens }, clock.now())

/** `costShare` is the cost relative to the dearest model of the tier. */
function scoreOf(
  { qualityBonus }: RouterParts,
  { key }: RouteInput,
  { model, kind, costShare }: { model: Model; kind: TaskKind; costShare: number },
): number {
  const quality = qualityPrior(model, kind) + (qualityBonus?.(key.accountId, model.id, kind) ?? 0)
  return Math.round((quality - key.config.lambda * COST_WEIGHT * costShare) * 10_000) / 10_000
}

/** The models that may answer: those of the tier, of the higher tiers upward, of the lower tiers downward. */
function inOrder(candidates: readonly Candidate[], wanted: Tier): Model[] {
  const at = TIERS.indexOf(wanted)
  const tiers = [...TIERS.slice(at), ...TIERS.slice(0, at).reverse()]
  const usable = candidates.filter(({ excludedBecause }) => !excludedBecause).map(({ model }) => model)
  return tiers.flatMap(tier => usable.filter(model => model.tier === tier))
}

const isAtLeast = (tier: Tier, wanted: Tier): boolean => TIERS.indexOf(tier) >= TIERS.indexOf(wanted)
