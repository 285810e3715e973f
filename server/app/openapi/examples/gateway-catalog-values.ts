const RATES = { input: '0.10', output: '0.50', cacheRead: '0.01', cacheWrite: '0.125' }
const PRICING = {
  currency: 'USD',
  ...RATES,
  lengthTiers: [{ above: 272_000, input: '0.20', output: '0.75', cacheRead: '0.02', cacheWrite: '0.25' }],
  peak: null,
  validFrom: '2026-01-01T00:00:00.000Z',
}
const CREATED = 1_795_132_800
const MODEL = {
  id: 'gpt-6-luna',
  object: 'model',
  created: CREATED,
  owned_by: 'openai',
  tier: 'economy',
  status: 'available',
  context: 1_050_000,
  maxOutput: 128_000,
  capabilities: { vision: true, tools: true, json_schema: true, reasoning: true },
  pricing: PRICING,
}
const VIRTUAL = { id: 'svc/budget', object: 'model', created: CREATED, owned_by: 'svc', tier: 'economy' }

/** What the examples of models and prices have in place of the values by field name. */
export const GATEWAY_CATALOG_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  ModelPricing: PRICING,
  Model: MODEL,
  VirtualModel: VIRTUAL,
  ModelList: { object: 'list', data: [MODEL], virtual: [VIRTUAL], embeddings: [] },
  PriceChange: {
    model: 'gpt-6-luna',
    validFrom: '2027-01-01T00:00:00.000Z',
    input: '0.12',
    output: '0.60',
    cacheRead: '0.012',
    cacheWrite: '0.15',
    lengthTiers: [{ above: 272_000, input: '0.24', output: '0.90' }],
    peak: null,
  },
  PriceSync: {
    source: 'request',
    checked: 2,
    changed: [{ model: 'gpt-6-luna', pricing: PRICING }],
    rejected: [{ model: 'glm-5', reason: 'the input price is not within the band of the tier mid' }],
  },
}
