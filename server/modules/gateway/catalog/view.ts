import { formatMoney } from '#platform/kernel/money'
import { FORCED_TIER } from '../core/key.ts'
import { VIRTUAL_MODELS, type Model, type Price, type Rates } from '../core/model.ts'
import type { ModelStatus, ModelView, PricingView, VirtualModelView } from './schema.ts'

/** When the list of models was last composed: the vendors do not say when they made theirs. */
const CREATED = Date.parse('2026-11-20T00:00:00Z') / 1000

/** Nano-USD per token as USD per million tokens: 30 is `0.03`. */
export const perMillion = (nano: number): string => formatMoney(BigInt(nano) * 1000n)

const ratesView = ({ input, output, cacheRead, cacheWrite }: Rates) => ({
  input: perMillion(input),
  output: perMillion(output),
  cacheRead: perMillion(cacheRead),
  cacheWrite: perMillion(cacheWrite),
})

export const pricingView = ({ base, lengthTiers, peak, validFrom }: Price): PricingView => ({
  currency: 'USD',
  ...ratesView(base),
  lengthTiers: lengthTiers.map(({ above, rates }) => ({ above, ...ratesView(rates) })),
  peak: peak && {
    days: [...peak.days],
    hours: peak.hours.map(([from, to]) => [from, to]),
    ...ratesView(peak.rates),
  },
  validFrom: validFrom.toISOString(),
})

export const modelView = (model: Model, price: Price, status: ModelStatus): ModelView => ({
  id: model.id,
  object: 'model',
  created: CREATED,
  owned_by: model.provider,
  tier: model.tier,
  status,
  context: model.context,
  maxOutput: model.maxOutput,
  capabilities: { ...model.capabilities },
  pricing: pricingView(price),
})

export const virtualModelViews = (): VirtualModelView[] => VIRTUAL_MODELS.map(virtualModelView)

export const virtualModelView = (id: string): VirtualModelView => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: 'svc',
  tier: FORCED_TIER[id] ?? null,
})
