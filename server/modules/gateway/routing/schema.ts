import { Type, type Static } from '#platform/http/type'
import { AmountIn, Money, named, Nullable } from '#platform/http/schema'
import { ChatBody } from '../calls/index.ts'
import { CAPABILITIES, PROVIDERS, TIERS } from '../core/model.ts'

const ModelNames = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100, description }))

const { messages, ...parameters } = ChatBody.properties

/** RouteOracleDto: what a chat completion would be asked for, or a bare prompt, with constraints. */
export const RouteBody = Type.Object(
  {
    ...parameters,
    messages: Type.Optional(messages),
    prompt: Type.Optional(
      Type.String({ minLength: 1, description: 'Instead of messages: one message of the user' }),
    ),
    constraints: Type.Optional(
      Type.Object(
        {
          maxPriceUsd: Type.Optional(
            Type.Union([...AmountIn.anyOf], { description: 'Highest cost of the request with fee, in USD' }),
          ),
          allow: ModelNames('Models that may be selected; empty for all'),
          deny: ModelNames('Models that may not be selected'),
          capabilities: Type.Optional(
            Type.Array(Type.Enum([...CAPABILITIES]), {
              maxItems: CAPABILITIES.length,
              description: 'What the model must be able to do',
            }),
          ),
        },
        { description: 'Limits of the choice' },
      ),
    ),
  },
  { additionalProperties: true },
)
export type RouteBody = Static<typeof RouteBody>

const Feature = Type.Object({
  name: Type.String({ maxLength: 200, description: 'Name of the feature' }),
  weight: Type.Number({ description: 'What the feature adds to the value that the score is made of' }),
})

export const RouteDecision = named(
  'RouteDecision',
  Type.Object({
    model: Type.String({ maxLength: 100, description: 'The model that would be called' }),
    provider: Type.Enum([...PROVIDERS], { description: 'Provider of that model' }),
    tier: Type.Enum([...TIERS], { description: 'Tier of that model' }),
    complexity: Nullable(
      Type.Object(
        {
          score: Type.Number({ minimum: 0, maximum: 1, description: 'Complexity of the request, 0 to 1' }),
          features: Type.Array(Feature, { description: 'What the score is made of' }),
        },
        { description: 'Null for a listed model' },
      ),
    ),
    kind: Nullable(
      Type.String({ description: 'Kind of task, by which outcomes count; null for a listed model' }),
    ),
    sticky: Type.Boolean({ description: 'The conversation was on this model before' }),
    candidates: Type.Array(
      Type.Object({
        model: Type.String({ maxLength: 100, description: 'Name of the model' }),
        score: Type.Number({ description: 'Quality for this kind of task, less the weight of the cost' }),
        excludedBecause: Type.Optional(
          Type.String({
            examples: ['not_allowed_by_key'],
            description: 'Why it cannot be selected; absent if it can',
          }),
        ),
      }),
      { description: 'Models that were compared, the best first' },
    ),
    estimatedCost: Type.Object(
      {
        min: { ...Money, description: 'For a short answer' },
        max: { ...Money, description: 'For the longest answer' },
        currency: Type.Literal('USD', { description: 'Costs are in USD' }),
      },
      { description: 'Cost of the request with fee' },
    ),
    fallbacks: Type.Array(Type.String(), { description: 'Models that are tried next, in this order' }),
    savingsVsPremium: Type.Object(
      {
        model: Type.String({ maxLength: 100, description: 'The cheapest premium model for this request' }),
        amount: Type.String({
          description: 'For an answer of 400 tokens, in USD; negative if the selected model costs more',
        }),
        percent: Type.Number({ description: '`amount` in percent of the cost of that model' }),
      },
      { description: 'What the choice saves' },
    ),
  }),
)
export type RouteDecision = Static<typeof RouteDecision>
