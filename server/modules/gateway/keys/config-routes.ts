import { command, query, type App } from '#platform/http/operations'
import { changeConfig, ConfigBody, configView, readConfig, RoutingConfigRecord } from './config.ts'
import type { Parts } from './routing-key.ts'

const common = { tag: 'Routing gateway', access: { accept: ['jwt'] }, url: '/v1/routing/config' } as const

/** How an account wants its requests routed. */
export function routingConfigRoutes(app: App, parts: Pick<Parts, 'ring' | 'catalog'>): void {
  query(app, {
    ...common,
    method: 'GET',
    id: 'getRoutingConfig',
    summary: 'Get your routing configuration',
    success: [200, RoutingConfigRecord],
    run: async (q, ctx) => configView(await readConfig(q, ctx)),
  })
  command(app, {
    ...common,
    method: 'POST',
    id: 'updateRoutingConfig',
    summary: 'Change your routing configuration',
    body: ConfigBody,
    example: { defaultModel: 'svc/balanced', maxPriceUsd: 0.5, sticky: true },
    success: [201, RoutingConfigRecord],
    run: async (tx, ctx, { body }) => configView(await changeConfig(tx, ctx, body, parts)),
  })
}
