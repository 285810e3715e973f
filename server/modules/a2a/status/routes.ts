import { Type } from '#platform/http/type'
import { commandInSteps, type App } from '#platform/http/operations'
import { Moment, named, Nullable } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { EndpointProbe } from './probe.ts'
import { connectivityOf } from './status.ts'

const Connectivity = named(
  'Ap2Status',
  Type.Object({
    slug: Type.String({
      pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
      maxLength: 80,
      description: 'Unique name of the agent in addresses',
    }),
    connected: Type.Boolean({ description: 'The agent is ACTIVE, and is reachable or sends heartbeats' }),
    endpoint: Nullable(
      Type.String({
        description: 'The ap2Endpoint of the listing',
        examples: ['https://scribe.example.com/ap2'],
      }),
    ),
    reachable: Type.Boolean({ description: 'The endpoint gave an answer below 500' }),
    lastCheckedAt: Nullable({ ...Moment, description: 'When the endpoint was called last; null before' }),
    latencyMs: Nullable(
      Type.Integer({
        examples: [42],
        minimum: 0,
        description: 'Milliseconds until its response; null without one',
      }),
    ),
    protocolVersion: Nullable(
      Type.String({ description: 'What the endpoint states in its JSON answer', examples: ['1.0'] }),
    ),
  }),
)

export function statusRoutes(app: App, services: Services): void {
  const probe = new EndpointProbe({
    allowPrivate: services.config.VERIFIER_ALLOW_PRIVATE,
    real: () => services.clock.real(),
  })
  // In steps: no connection of the database is held while the endpoint is asked.
  commandInSteps(app, {
    method: 'GET',
    url: '/agents/ap2-status',
    id: 'getAp2Status',
    tag: 'Agents',
    summary: 'Check whether an agent can be reached',
    access: { optional: ['jwt', 'sk', 'sa'] },
    query: Type.Object({ slug: Type.String({ minLength: 1, maxLength: 200 }) }),
    limit: { name: 'ap2-status', max: 30, windowSeconds: 60, per: 'ip' },
    success: [200, Connectivity],
    errors: [403, 404],
    run: (db, ctx, { query }) => connectivityOf(db, ctx, query.slug, { probe, services }),
  })
}
