import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { AmountIn, Id, Moment, named, Nullable, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { parseAmount } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { DisplayName, ScopeName, ServiceAccountRecord, ShownKey, serviceAccountRecord } from '../schema.ts'
import * as commands from './service-account.ts'

const common = { tag: 'Service accounts', access: { accept: ['jwt'] } } as const
const base = '/api/v1/service-accounts'
const params = Type.Object({ id: Id })
const Fields = {
  description: Type.Optional(Type.String({ maxLength: 1000, description: 'Note for yourself' })),
  scopes: Type.Optional(Type.Array(ScopeName, { minItems: 1, maxItems: 20, description: 'All by default' })),
  expiresAt: Type.Optional(
    Nullable({ ...Moment, description: 'When the key ends; null for never, which is the default' }),
  ),
  spendingLimit: Type.Optional(
    Nullable({
      ...AmountIn,
      description: 'The most that the key may pay into escrow in all, in USD; no limit by default',
    }),
  ),
}
const CreateBody = Type.Object({
  name: Type.Optional(DisplayName),
  ...Fields,
  agentId: Type.Optional({
    ...Id,
    description: 'The one agent that the key acts for; all of the account by default',
  }),
  organizationId: Type.Optional({
    ...Id,
    description: 'The one organization whose wallets the key reads and spends',
  }),
})
const WithKey = named(
  'ServiceAccountWithKey',
  Type.Object({
    ...ServiceAccountRecord.properties,
    apiKey: ShownKey('sk', 'sk_ key, shown once'),
  }),
)

// The schema has checked the text; `undefined` leaves the field unchanged.
const parsed = <T extends { expiresAt?: string | null; spendingLimit?: number | string | null }>({
  expiresAt,
  spendingLimit,
  ...rest
}: T) => ({
  ...rest,
  ...(spendingLimit === undefined ? {} : { spendingLimit: limitOf(spendingLimit) }),
  ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
})

const limitOf = (limit: number | string | null): bigint | null =>
  limit === null ? null : parseAmount(limit, { field: 'spendingLimit', zero: true })

/** Service accounts: names, scopes and lifetimes of `sk_` keys. */
export function serviceAccountRoutes(app: App, services: Services): void {
  createRoutes(app, services)
  readRoutes(app, services)
  changeRoutes(app)
  keyRoutes(app)
}

function createRoutes(app: App, services: Services): void {
  const create = { ...common, method: 'POST', body: CreateBody, success: [201, WithKey] } as const
  for (const { defaultName, ...route } of [
    {
      url: base,
      id: 'createServiceAccount',
      summary: 'Create a service account with an API key',
      example: { name: 'Nightly job', scopes: ['agent:read'] },
      defaultName: 'Service account',
    },
    {
      url: '/api/v1/keys',
      id: 'createApiKey',
      summary: 'Create an API key',
      example: { name: 'Laptop' },
      defaultName: 'API key',
    },
  ])
    command(app, {
      ...create,
      ...route,
      errors: [404, 409],
      run: async (tx, ctx, { body }) => {
        const fields = { name: defaultName, ...parsed(body) }
        const { serviceAccount, apiKey } = await commands.createOwnServiceAccount(tx, ctx, fields, services)
        return { ...serviceAccountRecord(serviceAccount, tx.clock), apiKey }
      },
    })
}

function readRoutes(app: App, { clock }: Services): void {
  const read = { ...common, method: 'GET' } as const
  query(app, {
    ...read,
    url: '/api/v1/keys/access-status',
    id: 'getKeyAccessStatus',
    summary: 'Check whether you can create another API key',
    success: [
      200,
      Type.Object({
        allowed: Type.Boolean({ description: 'Whether you can create another key now' }),
        reason: Type.Optional(Type.String({ description: 'Why not; absent if you can' })),
        limits: Type.Object(
          {
            maxServiceAccounts: Type.Integer({
              minimum: 0,
              description: 'How many service accounts you can have',
            }),
          },
          { description: 'Limits of the account' },
        ),
        active: Type.Integer({ minimum: 0, description: 'How many count: all that are not revoked' }),
      }),
    ],
    run: async (q, { principal }) => {
      const { active, max } = await commands.keyAllowance(q, principal.accountId)
      return {
        allowed: active < max,
        ...(active < max ? {} : { reason: 'The most service accounts exist: revoke one first' }),
        limits: { maxServiceAccounts: max },
        active,
      }
    },
  })
  query(app, {
    ...read,
    url: base,
    id: 'listServiceAccounts',
    summary: 'List your service accounts',
    query: Type.Object(PageQuery),
    success: [200, PageOf(ServiceAccountRecord)],
    run: async (q, ctx, { query }) => {
      const { items, ...page } = await commands.ownServiceAccounts(q, ctx, pageOf(query))
      return { items: items.map(each => serviceAccountRecord(each, clock)), ...page }
    },
  })
  query(app, {
    ...read,
    url: `${base}/{id}`,
    id: 'getServiceAccount',
    summary: 'Get a service account',
    params,
    success: [200, ServiceAccountRecord],
    run: async (q, ctx, { params }) =>
      serviceAccountRecord(await commands.readServiceAccount(q, ctx, params.id), clock),
  })
}

function changeRoutes(app: App): void {
  command(app, {
    ...common,
    method: 'PATCH',
    url: `${base}/{id}`,
    id: 'updateServiceAccount',
    summary: 'Update a service account',
    errors: [409],
    params,
    body: Type.Object({ ...Fields, name: Type.Optional(DisplayName) }),
    readOnly: ['agentId', 'organizationId', 'status', 'keyPrefix'],
    success: [200, ServiceAccountRecord],
    run: async (tx, ctx, { params, body }) => {
      const change = { ...params, ...parsed(body) }
      return serviceAccountRecord(await commands.updateServiceAccount(tx, ctx, change), tx.clock)
    },
  })
  command(app, {
    ...common,
    method: 'DELETE',
    url: `${base}/{id}`,
    id: 'revokeServiceAccount',
    summary: 'Revoke a service account and its keys',
    params,
    success: [200, ServiceAccountRecord],
    run: async (tx, ctx, { params }) =>
      serviceAccountRecord(await commands.revokeServiceAccount(tx, ctx, params.id), tx.clock),
  })
}

function keyRoutes(app: App): void {
  command(app, {
    ...common,
    method: 'POST',
    url: `${base}/{id}/rotate`,
    id: 'rotateServiceAccount',
    summary: 'Rotate the key of a service account',
    errors: [409],
    params,
    success: [
      201,
      Type.Object({
        ...WithKey.properties,
        oldKeyExpiresAt: { ...Moment, description: 'Until when the old key works too' },
      }),
    ],
    run: async (tx, ctx, { params }) => {
      const rotated = await commands.rotateServiceAccount(tx, ctx, params.id)
      return {
        ...serviceAccountRecord(rotated.serviceAccount, tx.clock),
        apiKey: rotated.apiKey,
        oldKeyExpiresAt: rotated.oldKeyExpiresAt.toISOString(),
      }
    },
  })
  command(app, {
    ...common,
    method: 'POST',
    url: `${base}/{id}/expire`,
    id: 'expireServiceAccount',
    summary: 'Expire a service account and its keys',
    errors: [409],
    params,
    success: [201, ServiceAccountRecord],
    run: async (tx, ctx, { params }) =>
      serviceAccountRecord(await commands.expireServiceAccount(tx, ctx, params.id), tx.clock),
  })
}
