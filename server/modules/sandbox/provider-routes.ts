import { Type } from '#platform/http/type'
import { FAULT_KINDS, PROVIDERS, providerFaults } from '#gateway'
import { commandInSteps, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'

const DRIP_MS = 250

const Provider = Type.Union(
  PROVIDERS.map(provider => Type.Literal(provider)),
  { description: 'A provider of `GET /v1/models`' },
)
const Failure = Type.Object({
  kind: Type.Union(
    FAULT_KINDS.map(kind => Type.Literal(kind)),
    { description: 'docs/gateway.md says what each kind does' },
  ),
  count: Type.Integer({ minimum: 0, maximum: 10_000, description: 'How many of the next calls; 0 ends it' }),
  delayMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60_000,
      description: 'Between the pieces of slow_drip; default 250',
    }),
  ),
})

/** What an admin makes the providers of the routing gateway do, the simulated and the real ones. */
export function providerRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    method: 'POST',
    url: '/sandbox/providers/{provider}/faults',
    id: 'breakProvider',
    tag: 'Sandbox',
    summary: 'Make the next calls to a model provider fail',
    description:
      'For trying retries, fallbacks and the breaker of the routing gateway. Concerns the instance that responds, and replaces what was set before.',
    access: { accept: ['jwt'], role: 'ADMIN' },
    params: Type.Object({ provider: Provider }),
    excludeErrors: [404],
    body: Failure,
    example: { kind: 'cut_mid_stream', count: 1 },
    success: [
      201,
      Type.Object({ provider: Provider, kind: Failure.properties.kind, count: Failure.properties.count }),
    ],
    run: async (_db, _ctx, { params: { provider }, body: { kind, count, delayMs = DRIP_MS } }) => {
      providerFaults(services).inject(provider, { kind, delayMs }, count)
      return { provider, kind, count }
    },
  })
}
