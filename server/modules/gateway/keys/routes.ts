import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { Id } from '#platform/http/schema'
import { KeyUsage, readKeyUsage } from './usage.ts'
import type { Services } from '#platform/kernel/services'
import * as commands from './routing-key.ts'
import type { Parts } from './routing-key.ts'
import * as schema from './schema.ts'

const common = { tag: 'Routing gateway', access: { accept: ['jwt'] } } as const
const params = Type.Object({ id: Id })
const url = '/v1/auth/keys/{id}'

/** Routing keys: `rk_` keys with their limits. */
export function routingKeyRoutes(app: App, services: Services, parts: Parts): void {
  createRoutes(app, services, parts)
  listRoutes(app, services)
  usageRoute(app)
  command(app, {
    ...common,
    method: 'PATCH',
    url,
    id: 'updateRoutingKey',
    summary: 'Update a routing key',
    params,
    body: schema.KeyBody,
    readOnly: ['status', 'keyPrefix'],
    example: { limits: { rpm: 120 } },
    errors: [409],
    success: [200, schema.RoutingKeyRecord],
    run: async (tx, ctx, { params, body }) =>
      schema.routingKeyRecord(
        await commands.updateRoutingKey(tx, ctx, { ...params, fields: body }, parts),
        tx.now,
      ),
  })
  command(app, {
    ...common,
    method: 'DELETE',
    url,
    id: 'revokeRoutingKey',
    summary: 'Revoke a routing key',
    params,
    success: [200, schema.RoutingKeyRecord],
    run: async (tx, ctx, { params }) =>
      schema.routingKeyRecord(await commands.revokeRoutingKey(tx, ctx, params.id, parts), tx.now),
  })
}

function usageRoute(app: App): void {
  query(app, {
    ...common,
    access: { accept: ['rk'] },
    method: 'GET',
    url: '/v1/key',
    id: 'getRoutingKeyUsage',
    summary: 'Get the routing key of the request with what it has used',
    success: [200, KeyUsage],
    snapshot: true,
    run: (q, { principal }) => readKeyUsage(q, principal),
  })
}

function createRoutes(app: App, { secrets }: Services, parts: Parts): void {
  for (const route of [
    { url: '/v1/auth/keys', id: 'createRoutingKey', summary: 'Create a routing key' },
    {
      url: '/routing/keys',
      id: 'createRoutingKeyByAlias',
      summary: 'Create a routing key (alias of POST /v1/auth/keys)',
    },
  ])
    command(app, {
      ...common,
      ...route,
      method: 'POST',
      body: schema.KeyBody,
      example: { name: 'Chat bot', limits: { rpm: 60, monthlyUsd: 20 } },
      idempotent: true,
      sealResponse: secrets,
      success: [201, schema.RoutingKeyWithKey],
      run: async (tx, ctx, { body }) => {
        const { key, text } = await commands.createRoutingKey(tx, ctx, body, parts)
        return { ...schema.routingKeyRecord(key, tx.now), key: text }
      },
    })
}

function listRoutes(app: App, { clock }: Services): void {
  for (const route of [
    { url: '/v1/auth/keys', id: 'listRoutingKeys', summary: 'List your routing keys' },
    {
      url: '/v1/keys',
      id: 'listRoutingKeysByAlias',
      summary: 'List your routing keys (alias of GET /v1/auth/keys)',
    },
    {
      url: '/v1/routing/keys',
      id: 'listRoutingKeysByLegacyAlias',
      summary: 'List your routing keys (legacy alias of GET /v1/auth/keys)',
    },
  ])
    query(app, {
      ...common,
      ...route,
      method: 'GET',
      success: [200, schema.RoutingKeyList],
      run: async (q, ctx) => {
        const keys = await commands.ownRoutingKeys(q, ctx)
        return { object: 'list' as const, data: keys.map(key => schema.routingKeyRecord(key, clock.now())) }
      },
    })
}
