import { at, key } from './constants.ts'

const LIMITS = {
  rpm: 60,
  tpm: 200_000,
  parallel: 8,
  dailyUsd: '5.00',
  weeklyUsd: null,
  monthlyUsd: '100.00',
  endUserDailyUsd: '0.50',
}
const KEY = {
  name: 'Chat bot',
  keyPrefix: 'rk_…aB3x',
  status: 'ACTIVE',
  limits: LIMITS,
  allowedModels: [],
  maxPriceUsd: '0.25',
  errorFormat: 'envelope',
  cacheSeconds: 0,
  redactPii: false,
  expiresAt: null,
  lastUsedAt: null,
}
const period = (usedUsd: string, limitUsd: string | null, remainingUsd: string | null, resetsAt: string) => ({
  usedUsd,
  limitUsd,
  remainingUsd,
  resetsAt,
})

/** What the examples of routing keys have in place of the values by field name. */
export const GATEWAY_KEY_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  RoutingKey: KEY,
  RoutingKeyWithKey: { ...KEY, key: key('rk') },
  RoutingKeyUsage: {
    ...KEY,
    lastUsedAt: at(12, '09:30'),
    usage: {
      requestsToday: 120,
      day: period('1.25', '5.00', '3.75', '2026-01-13T00:00:00.000Z'),
      week: period('1.25', null, null, '2026-01-19T00:00:00.000Z'),
      month: period('31.40', '100.00', '68.60', '2026-02-01T00:00:00.000Z'),
    },
  },
  RoutingConfig: {
    defaultModel: 'auto',
    thresholds: { mid: 0.35, premium: 0.7 },
    allow: [],
    deny: [],
    maxPriceUsd: '0.50',
    lambda: 0.1,
    sticky: true,
    fallbacks: true,
  },
}
