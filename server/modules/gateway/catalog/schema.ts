import { Type, type Static } from '#platform/http/type'
import { Moment, named, Nullable } from '#platform/http/schema'
import { CAPABILITIES, PROVIDERS, TIERS } from '../core/model.ts'

export const MODEL_STATUSES = ['available', 'unconfigured', 'degraded', 'unavailable'] as const
export type ModelStatus = (typeof MODEL_STATUSES)[number]

const Price = Type.String({
  description: 'USD per million tokens',
  examples: ['0.10'],
  pattern: '^[0-9]+[.][0-9]+$',
})
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
    currency: Type.Literal('USD', { description: 'Prices are in USD' }),
    ...rates,
    lengthTiers: Type.Array(Type.Object({ above, ...rates }), {
      description: 'Rates of the whole request for a prompt of more tokens than `above`, the longest first',
    }),
    peak: Nullable(
      Type.Object({ days, hours, ...rates }, { description: 'Rates at these hours; null for none' }),
    ),
    validFrom: { ...Moment, description: 'Since when these prices are in force' },
  }),
)
export type PricingView = Static<typeof Pricing>

export const ModelRecord = named(
  'Model',
  Type.Object({
    id: Type.String({ maxLength: 200, description: 'Name to send as `model`' }),
    object: Type.Literal('model', { description: 'Kind of the object' }),
    created: Type.Integer({ description: 'When it was published, in seconds since 1970', minimum: 0 }),
    owned_by: Type.Enum(PROVIDERS, { description: 'Provider of the model' }),
    tier: Type.Enum(TIERS, { description: 'Price class that the router chooses from' }),
    status: Type.Enum(MODEL_STATUSES, { description: 'Whether it can be called now' }),
    context: Type.Integer({ description: 'Tokens of prompt and answer together', minimum: 1 }),
    maxOutput: Type.Integer({ description: 'Tokens of an answer', minimum: 0 }),
    capabilities: {
      ...Type.Object({
        vision: Type.Boolean({ description: 'Takes images' }),
        tools: Type.Boolean({ description: 'Calls tools' }),
        json_schema: Type.Boolean({ description: 'Answers by a JSON Schema' }),
        reasoning: Type.Boolean({ description: 'Reasons before it answers' }),
      } satisfies Record<(typeof CAPABILITIES)[number], object>),
      description: 'What it can do',
    },
    pricing: { ...Pricing, description: 'Prices in force now' },
  }),
)
export type ModelView = Static<typeof ModelRecord>

export const VirtualModelRecord = named(
  'VirtualModel',
  Type.Object({
    id: Type.String({ maxLength: 200, description: 'Name to send as `model`' }),
    object: Type.Literal('model', { description: 'Kind of the object' }),
    created: Type.Integer({ description: 'When it was published, in seconds since 1970', minimum: 0 }),
    owned_by: Type.Literal('svc', { description: 'The service routes it' }),
    tier: {
      ...Nullable(Type.Enum(TIERS)),
      description: 'Tier that it always takes; null if the router chooses',
    },
  }),
)
export type VirtualModelView = Static<typeof VirtualModelRecord>

export const ModelList = named(
  'ModelList',
  Type.Object({
    object: Type.Literal('list', { description: 'Kind of the object' }),
    data: Type.Array(ModelRecord, { description: 'Models that answer prompts' }),
    virtual: Type.Array(VirtualModelRecord, { description: 'Names under which the router chooses a model' }),
    embeddings: Type.Array(ModelRecord, { description: 'Models that make embeddings' }),
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
    model: Type.String({ maxLength: 100, description: 'Name of the model' }),
    validFrom: Type.Optional(
      Type.String({ maxLength: 40, description: 'ISO 8601; default: in five seconds' }),
    ),
    ...givenRates,
    lengthTiers: Type.Optional(
      Type.Array(Type.Object({ above, ...givenRates }), {
        maxItems: 10,
        description: 'Rates for long prompts; none when absent',
      }),
    ),
    peak: Type.Optional(
      Nullable(
        Type.Object({ days, hours, ...givenRates }, { description: 'Rates at some hours; null for none' }),
      ),
    ),
  }),
)
export type PriceChange = Static<typeof PriceChangeBody>
export type GivenRates = Pick<PriceChange, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>

export const SyncBody = Type.Object({
  changes: Type.Optional(
    Type.Array(PriceChangeBody, {
      maxItems: 100,
      description: 'Prices to set; without them the configured source is read',
    }),
  ),
})

export const SyncReport = named(
  'PriceSync',
  Type.Object({
    source: Type.Enum(['request', 'url', 'current'], { description: 'Where the prices came from' }),
    checked: Type.Integer({ description: 'Prices that were checked', minimum: 0 }),
    changed: Type.Array(
      Type.Object({
        model: Type.String({ maxLength: 100, description: 'Name of the model' }),
        pricing: { ...Pricing, description: 'Its prices from now on' },
      }),
      { description: 'Prices that were changed' },
    ),
    rejected: Type.Array(
      Type.Object({
        model: Type.String({ maxLength: 100, description: 'Name of the model' }),
        reason: Type.String({ description: 'Why' }),
      }),
      { description: 'Prices that were not accepted' },
    ),
  }),
)
export type SyncReport = Static<typeof SyncReport>
