import { DEFAULT_CONFIG, type RoutingConfig } from '../core/key.ts'
import type { ConfigRow } from './sql.ts'

/** What the account has set, with the defaults of the service for the rest. */
export const configOf = (row: ConfigRow): RoutingConfig => ({
  defaultModel: row.defaultModel ?? DEFAULT_CONFIG.defaultModel,
  thresholds: {
    mid: row.midThreshold ?? DEFAULT_CONFIG.thresholds.mid,
    premium: row.premiumThreshold ?? DEFAULT_CONFIG.thresholds.premium,
  },
  allow: row.allow ?? DEFAULT_CONFIG.allow,
  deny: row.deny ?? DEFAULT_CONFIG.deny,
  maxPriceUsd: row.maxPriceUsd ?? DEFAULT_CONFIG.maxPriceUsd,
  lambda: row.lambda ?? DEFAULT_CONFIG.lambda,
  sticky: row.sticky ?? DEFAULT_CONFIG.sticky,
  fallbacks: row.fallbacks ?? DEFAULT_CONFIG.fallbacks,
})
