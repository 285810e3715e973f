import { Type } from '#platform/http/type'
import { Moment, named, Nullable } from '#platform/http/schema'
import { PROVIDERS, TIERS } from '../core/model.ts'

const ModelStatus = Type.Enum(['available', 'degraded', 'unavailable', 'unconfigured'], {
  description:
    '`degraded`: some calls failed lately. `unavailable`: the breaker is open. `unconfigured`: its provider has no key here',
})
const Milliseconds = Type.Integer({ minimum: 0 })
const Count = Type.Integer({ minimum: 0 })
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) => ({
  object: Type.Literal('list'),
  data: Type.Array(item),
})

export const HealthRecord = named(
  'RoutingHealth',
  Type.Object({
    status: Type.Enum(['ok', 'degraded', 'unavailable'], {
      description: '`ok`: every configured model is available. `unavailable`: none is',
    }),
    simulated: Type.Boolean({ description: 'True while no provider has a key and a simulator answers' }),
    models: Type.Object({ total: Count, configured: Count, available: Count }),
    at: Moment,
  }),
)

const status = {
  model: Type.String(),
  provider: Type.Enum([...PROVIDERS]),
  tier: Type.Enum([...TIERS]),
  status: ModelStatus,
  latencyMs: Nullable(Milliseconds),
}
export const StatusList = Type.Object(list(named('ModelStatus', Type.Object(status))))

const FailureName = Type.String({ description: 'Kind of the failure, such as `timeout` or `rate_limited`' })
export const HealthList = Type.Object(
  list(
    named(
      'ModelHealth',
      Type.Object({
        ...status,
        breaker: Type.Enum(['closed', 'open', 'half-open']),
        calls: Type.Integer({ minimum: 0, description: 'Of the last 20' }),
        failures: Count,
        lastFailure: Nullable(FailureName),
        lastFailureAt: Nullable(Moment),
        lastSuccessAt: Nullable(Moment),
        retryAt: Nullable(Moment),
      }),
    ),
  ),
)

export const ProbeRecord = named(
  'ModelProbe',
  Type.Object({
    probed: Count,
    failed: Count,
    ...list(
      Type.Object({
        model: Type.String(),
        provider: Type.Enum([...PROVIDERS]),
        ok: Type.Boolean(),
        failure: Nullable(FailureName),
        latencyMs: Milliseconds,
      }),
    ),
  }),
)
