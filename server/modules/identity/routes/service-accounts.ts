import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Actor } from '#platform/http/actor'
import { route, type App } from '#platform/http/route'
import { Id, Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/services'
import type { KeyAuthor } from '../key-life.ts'
import { tellOwner } from '../notice.ts'
import { DisplayName, ScopeName, ServiceAccountRecord, serviceAccountRecord } from '../schema.ts'
import * as acts from '../service-account.ts'
import { accountById } from '../sql/accounts.ts'

const tag = 'Service accounts'
const base = '/api/v1/service-accounts'
const Path = Type.Object({ id: Id })
const Fields = {
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  scopes: Type.Optional(Type.Array(ScopeName, { minItems: 1, maxItems: 20, description: 'All by default' })),
  expiresAt: Type.Optional(Nullable(Moment)),
}
const CreateBody = Type.Object({
  name: Type.Optional(DisplayName),
  ...Fields,
  agentId: Type.Optional({ ...Id, description: 'The one agent that the key acts for; all of the account by default' }),
  organizationId: Type.Optional({ ...Id, description: 'The one organization whose wallets the key reads and spends' }),
})
const WithKey = named('ServiceAccountWithKey', Type.Object({
  ...ServiceAccountRecord.properties,
  apiKey: Type.String({ description: 'sk_ key, shown once' }),
}))

const authorOf = (actor: Actor, request: FastifyRequest): KeyAuthor => ({
  actorId: actor.accountId,
  actorKind: actor.kind,
  ip: request.ip,
  requestId: request.id,
})

// The schema has checked the text; `undefined` leaves the field as it is.
const withDate = <T extends { expiresAt?: string | null }>({ expiresAt, ...rest }: T) => ({
  ...rest,
  ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
})

/** Service accounts: names, scopes and lives of `sk_` keys. */
export function serviceAccountRoutes(app: App, services: Services): void {
  const { db, clock } = services
  const create = async (
    actor: Actor,
    body: Parameters<typeof withDate>[0] & { name: string } & acts.Binding,
    request: FastifyRequest,
  ) => {
    const { serviceAccount, apiKey } = await db.transaction(async tx => {
      const made = await acts.createOwnServiceAccount(tx, actor, withDate(body), authorOf(actor, request))
      await tellOwner(tx, services, await tx.one(accountById(actor.accountId)), 'An API key was made for your account.')
      return made
    })
    return { ...serviceAccountRecord(serviceAccount, clock.now()), apiKey }
  }
  const common = {
    method: 'POST' as const,
    tag,
    auth: 'jwt' as const,
    body: CreateBody,
    reply: { 201: WithKey },
    errors: [404, 409],
  }
  route(app, {
    ...common,
    url: base,
    id: 'createServiceAccount',
    summary: 'Create a service account with an API key',
    example: { name: 'Nightly job', scopes: ['agent:read'] },
    handle: async ({ actor, body, request }) => create(actor, { name: 'Service account', ...body }, request),
  })
  route(app, {
    ...common,
    url: '/api/v1/keys',
    id: 'createApiKey',
    summary: 'Create an API key',
    example: { name: 'Laptop' },
    handle: async ({ actor, body, request }) => create(actor, { name: 'API key', ...body }, request),
  })
  readRoutes(app, services)
  changeRoutes(app, services)
  keyRoutes(app, services)
}

function readRoutes(app: App, { db, clock }: Services): void {
  const common = { method: 'GET' as const, tag, auth: 'jwt' as const }
  route(app, {
    ...common,
    url: '/api/v1/keys/access-status',
    id: 'getKeyAccessStatus',
    summary: 'Check whether you can create another API key',
    reply: {
      200: Type.Object({
        allowed: Type.Boolean(),
        reason: Type.Optional(Type.String()),
        limits: Type.Object({ maxServiceAccounts: Type.Integer() }),
        active: Type.Integer(),
      }),
    },
    handle: async ({ actor }) => {
      const { active, max } = await acts.keyAllowance(db, actor.accountId)
      return {
        allowed: active < max,
        ...(active < max ? {} : { reason: 'The most service accounts exist: revoke one first' }),
        limits: { maxServiceAccounts: max },
        active,
      }
    },
  })
  route(app, {
    ...common,
    url: base,
    id: 'listServiceAccounts',
    summary: 'List your service accounts',
    query: Type.Object(PageQuery),
    reply: { 200: PageOf(ServiceAccountRecord) },
    handle: async ({ actor, query }) => {
      const page = pageOf(query)
      const { serviceAccounts, counted } = await acts.ownServiceAccounts(db, actor, page)
      return pageAnswer(
        serviceAccounts.map(each => serviceAccountRecord(each, clock.now())),
        counted,
        page,
      )
    },
  })
  route(app, {
    ...common,
    url: `${base}/{id}`,
    id: 'getServiceAccount',
    summary: 'Get a service account',
    params: Path,
    reply: { 200: ServiceAccountRecord },
    handle: async ({ actor, params }) =>
      serviceAccountRecord(await acts.readServiceAccount(db, actor, params.id), clock.now()),
  })
}

function changeRoutes(app: App, { db, clock }: Services): void {
  const common = { tag, auth: 'jwt' as const, params: Path, errors: [409] }
  route(app, {
    ...common,
    method: 'PATCH',
    url: `${base}/{id}`,
    id: 'updateServiceAccount',
    summary: 'Update a service account',
    body: Type.Object({ ...Fields, name: Type.Optional(DisplayName) }),
    reply: { 200: ServiceAccountRecord },
    handle: async ({ actor, params, body, request }) => {
      const change = { id: params.id, ...withDate(body) }
      const changed = await db.transaction(tx =>
        acts.updateServiceAccount(tx, actor, change, authorOf(actor, request)),
      )
      return serviceAccountRecord(changed, clock.now())
    },
  })
  route(app, {
    ...common,
    method: 'DELETE',
    url: `${base}/{id}`,
    id: 'revokeServiceAccount',
    summary: 'Revoke a service account and its keys',
    never: [409],
    reply: { 200: ServiceAccountRecord },
    handle: async ({ actor, params, request }) =>
      serviceAccountRecord(
        await db.transaction(tx => acts.revokeServiceAccount(tx, actor, params.id, authorOf(actor, request))),
        clock.now(),
      ),
  })
}

function keyRoutes(app: App, { db, clock }: Services): void {
  const common = { method: 'POST' as const, tag, auth: 'jwt' as const, params: Path, errors: [409] }
  route(app, {
    ...common,
    url: `${base}/{id}/rotate`,
    id: 'rotateServiceAccount',
    summary: 'Rotate the key of a service account',
    reply: { 201: Type.Object({ ...WithKey.properties, oldKeyExpiresAt: Moment }) },
    handle: async ({ actor, params, request }) => {
      const { serviceAccount, apiKey, oldKeyExpiresAt } = await db.transaction(tx =>
        acts.rotateServiceAccount(tx, actor, params.id, authorOf(actor, request)),
      )
      return {
        ...serviceAccountRecord(serviceAccount, clock.now()),
        apiKey,
        oldKeyExpiresAt: oldKeyExpiresAt.toISOString(),
      }
    },
  })
  route(app, {
    ...common,
    url: `${base}/{id}/expire`,
    id: 'expireServiceAccount',
    summary: 'Expire a service account and its keys',
    reply: { 201: ServiceAccountRecord },
    handle: async ({ actor, params, request }) =>
      serviceAccountRecord(
        await db.transaction(tx => acts.expireServiceAccount(tx, actor, params.id, authorOf(actor, request))),
        clock.now(),
      ),
  })
}
