import { uuid } from './constants.ts'

const ID = `gen-${uuid('e1')}`
const USAGE = { prompt_tokens: 24, completion_tokens: 9, total_tokens: 33, cost: 0.000056 }

/** What the examples of answers of models have in place of the values by field name. */
export const GATEWAY_CALLS_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  ChatCompletion: {
    id: ID,
    created: 1_768_210_200,
    choices: [
      { index: 0, message: { role: 'assistant', content: 'The capital is Paris.' }, finish_reason: 'stop' },
    ],
    usage: USAGE,
    svc_meta: { simulated: false },
  },
  ModelProbe: {
    probed: 1,
    failed: 0,
    data: [{ model: 'glm-5', provider: 'zai', ok: true, failure: null, latencyMs: 412 }],
  },
  RouteDecision: {
    model: 'glm-5',
    provider: 'zai',
    tier: 'mid',
    complexity: { score: 0.46, features: [{ name: 'code', weight: 0.21 }] },
    kind: 'code',
    sticky: false,
    candidates: [
      { model: 'glm-5', score: 0.71 },
      { model: 'qwen3.7-flash', score: 0.42, excludedBecause: 'not_allowed_by_key' },
    ],
    estimatedCost: { min: '0.00003', max: '0.0284', currency: 'USD' },
    fallbacks: ['grok-4.3'],
    savingsVsPremium: { model: 'claude-opus-5', amount: '0.2214', percent: 88.6 },
  },
}
