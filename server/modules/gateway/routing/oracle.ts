import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import { countTokens, upperBoundTokens } from '../catalog/index.ts'
import type { ChatRequest } from '../core/chat.ts'
import type { RoutingKey } from '../core/key.ts'
import type { Catalog } from '../core/model.ts'
import type { RouteConstraints, RouteInput } from '../core/routing.ts'
import { estimateCost } from './cost.ts'
import type { RouteBody, RouteDecision } from './schema.ts'
import type { PreviewingRouter, RouterParts } from './select.ts'

export interface OracleParts extends Pick<RouterParts, 'clock'> {
  catalog: Catalog
  router: PreviewingRouter
}

/** What a chat completion with this body would do: nothing is charged, nothing leaves the service, nothing is remembered. */
export function previewRoute(parts: OracleParts, key: RoutingKey, body: RouteBody): RouteDecision {
  const { constraints, request } = readBody(body)
  const promptTokens = countTokens(request)
  const prompt = { tokens: promptTokens, bound: upperBoundTokens(request) }
  const input: RouteInput = { key, request, prompt, constraints }
  const { order, tier, complexity, kind, sticky, candidates } = parts.router.preview(input)
  const [model, ...fallbacks] = order
  if (!model) throw apiError(COMMON.UNAVAILABLE)
  const at = parts.clock.now()
  const costOf = (each: typeof model) =>
    estimateCost(parts.catalog, { model: each, request, promptTokens }, at)
  const cost = costOf(model)
  const premium = parts.catalog
    .models()
    .filter(each => each.tier === 'premium')
    .map(each => ({ model: each.id, usual: costOf(each).usual }))
    .reduce((least, each) => (each.usual < least.usual ? each : least))
  return {
    model: model.id,
    provider: model.provider,
    tier,
    complexity: complexity && { score: complexity.score, features: [...complexity.features] },
    kind: kind ?? null,
    sticky,
    candidates: candidates.map(({ model: { id }, score, excludedBecause }) => ({
      model: id,
      score,
      ...(excludedBecause ? { excludedBecause } : {}),
    })),
    estimatedCost: { min: formatMoney(cost.least), max: formatMoney(cost.most), currency: 'USD' },
    fallbacks: fallbacks.map(({ id }) => id),
    savingsVsPremium: {
      model: premium.model,
      amount: formatMoney(premium.usual - cost.usual),
      percent: Math.round((1 - Number(cost.usual) / Number(premium.usual)) * 10_000) / 100,
    },
  }
}

function readBody({ messages, prompt, model, constraints, ...rest }: RouteBody): {
  request: ChatRequest
  constraints: RouteConstraints
} {
  if ((messages === undefined) === (prompt === undefined))
    throw invalid('Either messages or prompt is required')
  const present = Object.entries(rest).filter(([, value]) => value !== null)
  const request = {
    ...Object.fromEntries(present),
    messages: messages ?? [{ role: 'user', content: prompt }],
    model: model ?? '',
  } as unknown as ChatRequest
  const { maxPriceUsd, ...lists } = constraints ?? {}
  return {
    request,
    constraints: {
      ...lists,
      ...(maxPriceUsd === undefined
        ? {}
        : { maxPriceUsd: parseAmount(maxPriceUsd, { field: 'constraints.maxPriceUsd' }) }),
    },
  }
}
