import { Type, type TSchema } from '#platform/http/type'
import { Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import { PROVIDERS, TIERS } from '../core/model.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Rate = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const MomentIn = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description }))

export const TierName = Type.Enum([...TIERS])
const ProviderName = Type.Enum([...PROVIDERS])
const OutcomeName = Type.Enum(['completed', 'partial', 'cancelled', 'failed', 'cached'], {
  description: 'partial broke off, cancelled was ended by the caller, cached came from the response cache',
})
const SurfaceNames = Type.Enum(['chat', 'messages', 'responses', 'embeddings'])
const Cursor = Type.Optional(Type.String({ maxLength: 300, description: 'nextCursor of the previous page' }))

/** `{object: "list", data}` with the cursor of the next page. */
const cursorPage = <T extends TSchema>(item: T) =>
  Type.Object({
    object: Type.Literal('list', { description: 'Kind of the object' }),
    data: Type.Array(item, { maxItems: 100, description: 'This page, newest first' }),
    nextCursor: Nullable(
      Type.String({ maxLength: 500, description: '`cursor` of the next page; null on the last one' }),
    ),
  })

export const PeriodQuery = {
  from: MomentIn('Begin of the period; by default 30 days before its end'),
  to: MomentIn('End of the period, which is not part of it; by default now'),
}
const period = {
  from: { ...Moment, description: 'Begin of the period' },
  to: { ...Moment, description: 'End of the period, which is not part of it' },
}

export const UsageFilters = Type.Object({
  from: MomentIn('Requests from this moment on'),
  to: MomentIn('Requests before this moment'),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Exact id of the response, requested model or end user',
    }),
  ),
  model: Type.Optional(Type.String({ maxLength: 100, description: 'The model that answered' })),
  key: Type.Optional(Type.String({ maxLength: 100, description: 'Id of a routing key' })),
  outcome: Type.Optional(OutcomeName),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Page size, 20 by default' })),
  cursor: Cursor,
})

const usageFields = {
  id: Type.String({ maxLength: 200, description: 'Id of the response' }),
  createdAt: { ...Moment, description: 'When the request arrived' },
  keyId: { ...Id, description: 'Id of the routing key' },
  surface: { ...SurfaceNames, description: 'API by which it was requested' },
  requestedModel: Type.String({ maxLength: 200, description: 'Model that the caller named' }),
  model: Type.String({ maxLength: 100, description: 'The model that answered' }),
  provider: { ...ProviderName, description: 'Provider of that model' },
  tier: { ...TierName, description: 'Tier of that model' },
  complexity: Nullable(
    Type.Number({ minimum: 0, maximum: 1, description: '0 to 1; null where the caller named a model' }),
  ),
  tokens: Type.Object(
    {
      input: Count('All tokens of the prompt'),
      output: Count('All tokens of the answer'),
      cacheRead: Count('Part of input'),
      cacheWrite: Count('Part of input'),
      reasoning: Count('Part of output'),
    },
    { description: 'Tokens that were counted' },
  ),
  costUsd: { ...Money, description: 'Cost without fee, in USD' },
  feeUsd: { ...Money, description: 'Fee of the service in USD' },
  latencyMs: Count('Milliseconds until the end of the answer'),
  ttftMs: Nullable(Count('Milliseconds until the first byte; null without a stream')),
  attempts: Type.Array(
    Type.Object({
      model: Type.String({ maxLength: 100, description: 'Name of the model' }),
      result: Type.String({ pattern: '^[a-z_]+$', description: 'Result of the call' }),
      latencyMs: Type.Number({ minimum: 0, description: 'Milliseconds that it took' }),
    }),
    { description: 'Models that were called, in this order' },
  ),
  outcome: OutcomeName,
  finishReason: Nullable(Type.String({ minLength: 1, description: 'Why the answer ended; null if unknown' })),
  stream: Type.Boolean({ description: 'Whether it was streamed' }),
  simulated: Type.Boolean({ description: 'Paid with test credit' }),
  user: Nullable(Type.String({ description: 'The end user that the caller named' })),
}
export const UsagePage = cursorPage(named('RoutedRequest', Type.Object(usageFields)))

export const LogQuery = Type.Object({
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9][0-9]?|100)$', maxLength: 3, description: 'Page size, 20 by default' }),
  ),
  cursor: Cursor,
})
export const LogPage = cursorPage(
  named(
    'RoutingLogEntry',
    Type.Object({
      ...usageFields,
      decision: Type.Object(
        {},
        { additionalProperties: true, description: 'Why the router chose this model' },
      ),
    }),
  ),
)

const figures = {
  requests: Count('Requests in the period'),
  tokens: Count('Of prompts and answers'),
  inputTokens: Count('Of prompts'),
  outputTokens: Count('Of answers'),
  cachedTokens: Count('Part of inputTokens'),
  reasoningTokens: Count('Part of outputTokens'),
  costUsd: { ...Money, description: 'Cost without fee, in USD' },
  feeUsd: { ...Money, description: 'Fee of the service in USD' },
  avgLatencyMs: Count('Milliseconds until the end of an answer, on average'),
  errorRate: Rate('Share of requests that failed or broke off, 0 to 1'),
  retryRate: Rate('Share of requests with several attempts, 0 to 1'),
}
export const SummaryRecord = named('UsageSummary', Type.Object({ ...figures, ...period }))
export const KeysSummaryRecord = named(
  'UsageSummaryOfKeys',
  Type.Object({
    ...figures,
    ...period,
    keys: Type.Array(Type.Object({ keyId: Id, ...figures }), {
      description: 'The same figures for each key',
    }),
  }),
)
export const ByModelRecord = named(
  'UsageByModel',
  Type.Object({
    object: Type.Literal('list', { description: 'Kind of the object' }),
    data: Type.Array(
      Type.Object({
        model: Type.String({ maxLength: 100, description: 'Name of the model' }),
        provider: { ...ProviderName, description: 'Provider of the model' },
        tier: { ...TierName, description: 'Tier of the model' },
        ...figures,
      }),
      { description: 'One row for each model' },
    ),
    ...period,
  }),
)
export const ByTierRecord = named(
  'UsageByTier',
  Type.Object({
    object: Type.Literal('list', { description: 'Kind of the object' }),
    data: Type.Array(Type.Object({ tier: { ...TierName, description: 'The tier' }, ...figures }), {
      description: 'One row for each tier',
    }),
    ...period,
  }),
)

export const SavingsQuery = Type.Object({
  ...PeriodQuery,
  baselineModel: Type.Optional(
    Type.String({ maxLength: 100, description: 'A listed model; by default the one with the highest price' }),
  ),
})
export const SavingsRecord = named(
  'RoutingSavings',
  Type.Object({
    baselineModel: Type.String({ maxLength: 100, description: 'The model of the comparison' }),
    baselineUsd: { ...Money, description: 'Cost of the same tokens at the baseline, without fee' },
    actualUsd: { ...Money, description: 'Cost of the requests, without fee' },
    savedUsd: { ...Money, description: 'The difference; negative if the requests cost more' },
    savedPct: Type.Number({ maximum: 100, description: 'The difference in percent of baselineUsd' }),
    ...period,
  }),
)

export const OutcomeBody = Type.Object({
  generationId: Type.String({ minLength: 1, maxLength: 100, description: 'Id of the response' }),
  rating: Type.Optional(Type.Enum(['good', 'bad'], { description: 'Whether the answer was good' })),
  score: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'In place of rating: from 0 (bad) to 1 (good)' }),
  ),
  comment: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'For your own records' })),
})
export const OutcomeRecord = named(
  'RoutingOutcome',
  Type.Object({
    generationId: Type.String({ description: 'Id of the response' }),
    model: Type.String({ maxLength: 100, description: 'The model that answered' }),
    kind: Type.String({ description: 'Kind of task, as the router saw it' }),
    score: Type.Number({ minimum: 0, maximum: 1, description: '0 (bad) to 1 (good)' }),
    rating: Type.Enum(['good', 'bad'], { description: 'good from a score of 0.5 on' }),
    comment: Nullable(Type.String({ maxLength: 2000, description: 'Text of the caller; null without one' })),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)
export const OutcomePage = cursorPage(OutcomeRecord)
export const OutcomeQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Page size, 20 by default' })),
  cursor: Cursor,
})
