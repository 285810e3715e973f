import { Type } from '#platform/http/type'
import { Moment, named, Nullable } from '#platform/http/schema'
import { PROVIDERS, TIERS } from '../core/model.ts'

const ModelStatus = Type.Enum(['available', 'degraded', 'unavailable', 'unconfigured'], {
  description:
    '`degraded`: some calls failed lately. `unavailable`: the breaker is open. `unconfigured`: its provider has no key here',
})
const Milliseconds = Type.Integer({ minimum: 0, description: 'Milliseconds of the last successful call' })
const Count = Type.Integer({ minimum: 0 })
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) => ({
  object: Type.Literal('list', { description: 'Kind of the object' }),
  data: Type.Array(item, { description: 'The list' }),
})

export const HealthRecord = named(
  'RoutingHealth',
  Type.Object({
    status: Type.Enum(['ok', 'degraded', 'unavailable'], {
      description: '`ok`: every configured model is available. `unavailable`: none is',
    }),
    simulated: Type.Boolean({ description: 'True while no provider has a key and a simulator answers' }),
    models: Type.Object(
      {
        total: { ...Count, description: 'Listed models' },
        configured: { ...Count, description: 'Of these, models whose provider has a key here' },
        available: { ...Count, description: 'Of these, models that can be called now' },
      },
      { description: 'Number of models' },
    ),
    at: { ...Moment, description: 'When it was computed' },
  }),
)

const status = {
  model: Type.String({ maxLength: 100, description: 'Name of the model' }),
  provider: Type.Enum([...PROVIDERS], { description: 'Provider of the model' }),
  tier: Type.Enum([...TIERS], { description: 'Tier of the model' }),
  status: ModelStatus,
  latencyMs: {
    ...Nullable(Milliseconds),
    description: 'Milliseconds until an answer, averaged; null without a call',
  },
}
export const StatusList = Type.Object(list(named('ModelAvailability', Type.Object(status))))

const FailureName = Type.String({ description: 'Kind of the failure, such as `timeout` or `rate_limited`' })
export const HealthList = Type.Object(
  list(
    named(
      'ModelHealth',
      Type.Object({
        ...status,
        breaker: Type.Enum(['closed', 'open', 'half-open'], {
          description: 'Circuit breaker: `open` stops calls until `retryAt`',
        }),
        calls: Type.Integer({ minimum: 0, description: 'Of the last 20' }),
        failures: { ...Count, description: 'Of these, failed ones' },
        lastFailure: { ...Nullable(FailureName), description: 'Kind of the last failure; null without one' },
        lastFailureAt: Nullable({ ...Moment, description: 'When a call failed last; null if none did' }),
        lastSuccessAt: Nullable({ ...Moment, description: 'When a call succeeded last; null if none did' }),
        retryAt: Nullable({
          ...Moment,
          description: 'When the next call is tried; null unless the breaker is open',
        }),
      }),
    ),
  ),
)

export const ProbeRecord = named(
  'ModelProbe',
  Type.Object({
    probed: { ...Count, description: 'Models that were called' },
    failed: { ...Count, description: 'Of these, models that failed' },
    costUsd: Type.String({
      pattern: '^[0-9]+([.][0-9]+)?$',
      description: 'What the providers charge for it in USD: the operator bears it',
      examples: ['0.0012'],
    }),
    ...list(
      Type.Object({
        model: Type.String({ maxLength: 100, description: 'Name of the model' }),
        provider: Type.Enum([...PROVIDERS], { description: 'Provider of the model' }),
        ok: Type.Boolean({ description: 'Whether it answered' }),
        failure: { ...Nullable(FailureName), description: 'Kind of the failure; null if it answered' },
        latencyMs: { ...Milliseconds, description: 'Milliseconds until the answer or the failure' },
      }),
    ),
  }),
)
