import { moneyNumber } from '#platform/kernel/money'
import { PROVIDERS, TIERS, VIRTUAL_MODELS, type Tier } from '../core/model.ts'
import { CHAT_MODELS } from './data/models.ts'
import { TIER_BANDS } from './plan-sync.ts'
import { ROUTING_FEE_BPS } from './price.ts'

/** Nano-USD per token in USD per million tokens. */
const perMillion = (nano: number): number => moneyNumber(BigInt(nano) * 1000n)

const bandOf = (tier: Tier) => {
  const [from, to] = TIER_BANDS[tier]
  return { tier, from: perMillion(from), to: perMillion(to) }
}

/** What the service says of its routing: models, virtual names, fee, and the input list prices of each tier. */
export const routingSummary = () => ({
  models: CHAT_MODELS.length,
  providers: PROVIDERS.length,
  virtual_models: VIRTUAL_MODELS,
  fee: ROUTING_FEE_BPS / 10_000,
  bands: TIERS.map(bandOf),
})
