import { Type, type Static } from '#platform/http/type'
import { Moment, named, Nullable } from '#platform/http/schema'
import { CAPABILITIES, PROVIDERS, TIERS } from '../core/model.ts'

export const MODEL_STATUSES = ['available', 'unconfigured', 'degraded', 'unavailable'] as const
export type ModelStatus = (typeof MODEL_STATUSES)[number]

const Price = Type.String({ description: 'USD per million tokens', examples: ['0.10'] })
const rates = { input: Price, output: Price, cacheRead: Price, cacheWrite: Price }
const above = Type.Integer({ minimum: 1, maximum: 100_000_000, description: 'Tokens of the prompt' })
const days = Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), {
  minItems: 1,
  maxItems: 7,
  description: 'Weekdays in UTC; 0 is Sunday',
})
const hours = Type.Array(
  Type.Array(Type.Integer({ minimum: 0, maximum: 24 }), { minItems: 2, maxItems: 2 }),
  { minItems: 1, maxItems: 12, description: 'Hours in UTC: from the first until before the second' },
)

const Pricing = named(
  'ModelPricing',
  Type.Object({
    currency: Type.Literal('USD'),
    ...rates,
    lengthTiers: Type.Array(Type.Object({ above, ...rates }), {
      description: 'Rates of the whole request for a prompt of more tokens than `above`, the longest first',
    }),
    peak: Nullable(Type.Object({ days, hours, ...rates })),
    validFrom: Moment,
  }),
)
export type PricingView = Static<typeof Pricing>

export const ModelRecord = named(
  'Model',
  Type.Object({
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Seconds since 1970' }),
    owned_by: Type.Enum(PROVIDERS),
    tier: Type.Enum(TIERS),
    status: Type.Enum(MODEL_STATUSES),
    context: Type.Integer({ description: 'Tokens of prompt and answer together' }),
    maxOutput: Type.Integer({ description: 'Tokens of an answer' }),
    capabilities: Type.Object({
      vision: Type.Boolean(),
      tools: Type.Boolean(),
      json_schema: Type.Boolean(),
      reasoning: Type.Boolean(),
    } satisfies Record<(typeof CAPABILITIES)[number], object>),
    pricing: Pricing,
  }),
)
export type ModelView = Static<typeof ModelRecord>

export const VirtualModelRecord = named(
  'VirtualModel',
  Type.Object({
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Seconds since 1970' }),
    owned_by: Type.Literal('svc'),
    tier: Nullable(Type.Enum(TIERS)),
  }),
)
export type VirtualModelView = Static<typeof VirtualModelRecord>

export const ModelList = named(
  'ModelList',
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(ModelRecord),
    virtual: Type.Array(VirtualModelRecord),
    embeddings: Type.Array(ModelRecord),
  }),
)

const GivenPrice = Type.Union([Type.Number(), Type.String({ maxLength: 20 })], {
  description: 'USD per million tokens, at most 3 decimals',
  examples: ['0.10'],
})
const givenRates = {
  input: GivenPrice,
  output: GivenPrice,
  cacheRead: Type.Optional(GivenPrice),
  cacheWrite: Type.Optional(GivenPrice),
}

export const PriceChangeBody = named(
  'PriceChange',
  Type.Object({
    model: Type.String({ maxLength: 100 }),
    validFrom: Type.Optional(
      Type.String({ maxLength: 40, description: 'ISO 8601; default: in five seconds' }),
    ),
    ...givenRates,
    lengthTiers: Type.Optional(Type.Array(Type.Object({ above, ...givenRates }), { maxItems: 10 })),
    peak: Type.Optional(Nullable(Type.Object({ days, hours, ...givenRates }))),
  }),
)
export type PriceChange = Static<typeof PriceChangeBody>
export type GivenRates = Pick<PriceChange, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>

export const SyncBody = Type.Object({
  changes: Type.Optional(Type.Array(PriceChangeBody, { maxItems: 100 })),
})

export const SyncReport = named(
  'PriceSync',
  Type.Object({
    source: Type.Enum(['request', 'url', 'current']),
    checked: Type.Integer({ description: 'Prices that were checked' }),
    changed: Type.Array(Type.Object({ model: Type.String(), pricing: Pricing })),
    rejected: Type.Array(Type.Object({ model: Type.String(), reason: Type.String() })),
  }),
)
export type SyncReport = Static<typeof SyncReport>
