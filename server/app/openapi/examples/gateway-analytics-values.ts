import { uuid } from './constants.ts'

const GENERATION = `gen-${uuid('e1')}`
const PERIOD = { from: '2025-12-13T09:00:00.000Z', to: '2026-01-12T09:30:00.000Z' }
const FIGURES = {
  requests: 1200,
  tokens: 1_450_000,
  inputTokens: 1_100_000,
  outputTokens: 350_000,
  cachedTokens: 400_000,
  reasoningTokens: 90_000,
  costUsd: '4.127400',
  feeUsd: '0.330192',
  avgLatencyMs: 910,
  errorRate: 0.0025,
  retryRate: 0.01,
}
const REQUEST = {
  id: GENERATION,
  requestedModel: 'auto',
  model: 'glm-5',
  provider: 'zai',
  tier: 'mid',
  complexity: 0.46,
  tokens: { input: 860, output: 310, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  costUsd: '0.001852',
  feeUsd: '0.000148',
  latencyMs: 840,
  ttftMs: null,
  attempts: [{ model: 'glm-5', result: 'ok', latencyMs: 836 }],
  finishReason: 'stop',
  stream: false,
  simulated: false,
  user: null,
}

/** What the examples of usage, analytics and outcomes have in place of the values by field name. */
export const GATEWAY_ANALYTICS_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  RoutedRequest: REQUEST,
  RoutingLogEntry: { ...REQUEST, decision: { kind: 'code', sticky: false } },
  UsageSummary: { ...FIGURES, ...PERIOD },
  UsageSummaryOfKeys: { ...FIGURES, ...PERIOD, keys: [{ keyId: uuid('e2'), ...FIGURES }] },
  UsageByModel: { data: [{ model: 'glm-5', provider: 'zai', tier: 'mid', ...FIGURES }], ...PERIOD },
  UsageByTier: { data: [{ tier: 'mid', ...FIGURES }], ...PERIOD },
  RoutingSavings: {
    baselineModel: 'gpt-5.2-pro',
    baselineUsd: '81.90',
    actualUsd: '4.1274',
    savedUsd: '77.7726',
    savedPct: 94.96,
    ...PERIOD,
  },
  RoutingOutcome: {
    generationId: GENERATION,
    model: 'glm-5',
    kind: 'code',
    score: 1,
    rating: 'good',
    comment: null,
  },
}
