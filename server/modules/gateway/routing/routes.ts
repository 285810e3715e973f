import type { App } from '#platform/http/operations'
import { installOpenaiErrors, modelOperation } from '../calls/index.ts'
import type { KeyRing } from '../core/key.ts'
import { previewRoute, type OracleParts } from './oracle.ts'
import { RouteBody, RouteDecision } from './schema.ts'

const EXAMPLE = {
  prompt: 'Prove that the square root of 2 is irrational',
  max_tokens: 1000,
  constraints: { maxPriceUsd: 0.05 },
}

/** Shows which model a chat completion would select. */
export function routingRoutes(app: App, { ring, ...parts }: OracleParts & { ring: KeyRing }): void {
  void app.register(async oracle => {
    installOpenaiErrors(oracle, keyId => ring.keyOf(keyId))
    for (const route of [
      { url: '/v1/route', id: 'previewRoute', summary: 'Show which model a request would select' },
      {
        url: '/v1/routing/select',
        id: 'previewRouteByAlias',
        summary: 'Show which model a request would select (alias of POST /v1/route)',
      },
    ])
      modelOperation(oracle, ring, {
        ...route,
        body: RouteBody,
        example: EXAMPLE,
        answer: RouteDecision,
        excludeErrors: [402, 429, 502, 504],
        run: async ({ key, body }) => ({ body: previewRoute(parts, key, body), headers: {} }),
      })
  })
}
