import { mock } from 'node:test'
import {
  publishAgent,
  registerHuman,
  type CallOptions,
  type ListedAgent,
  type Market,
  type Person,
  type TestService,
} from '#test'
import { makeKey } from '../../../server/modules/identity/credentials/key.ts'
import { tokensOf } from '../../../server/modules/identity/credentials/token.ts'

/** Somebody with an account, a key of it and an agent that sells. */
export interface Tenant extends Person {
  key: string
  agent: ListedAgent
  /** An `sk_` key for an agent that no row is about, and one for an organization that none is about. */
  agentKey: string
  organizationKey: string
  routingKey: string
}

/** Everybody who calls in this suite; made once. */
export interface Fixtures {
  service: TestService
  tenants: [Tenant, Tenant]
  /** The other side of every deal; no tenant is a party of another tenant's deals. */
  partner: Tenant
  admin: string
  agentAccount: string
  expired: string
  /** Minted as the expired one was, but good: shows that only the age refuses that one. */
  minted: string
  suspended: { token: string; key: string; routingKey: string }
  revoked: { key: string; agentKey: string; routingKey: string }
  unknown: { key: string; routingKey: string }
}

export async function openFixtures(service: TestService): Promise<Fixtures> {
  const admin = await service.adminToken()
  const tenants: [Tenant, Tenant] = [await openTenant(service, admin), await openTenant(service, admin)]
  const partner = await openTenant(service, admin)
  const fixtures = {
    service,
    tenants,
    partner,
    admin,
    ...(await tokensOver(service, tenants[0])),
    agentAccount: await openAgentAccount(service),
    suspended: await suspendedAccount(service, admin),
    revoked: await revokedKeys(service, tenants[0]),
    unknown: { key: makeKey('sk').text, routingKey: makeKey('rk').text },
  }
  // The suite may take longer than a proof holds, and is not about step-up.
  await service.services.db.pool.query(`update identity_session set proved_at = now() + interval '1 hour'`)
  return fixtures
}

let counter = 0
export const uniqueName = (): string => `matrix_${counter++}`

async function openAgentAccount(service: TestService): Promise<string> {
  const body = { username: uniqueName() }
  return (await call<{ accessToken: string }>(service, 'POST /auth/register-agent', { body })).accessToken
}

async function openTenant(service: TestService, admin: string): Promise<Tenant> {
  const person = await registerHuman(service)
  const body = { walletId: person.walletId, amount: 1_000_000, reason: 'test' }
  await call(service, 'POST /wallets/admin/test-credit', { token: admin, body })
  const { token } = person
  const { id: agentId } = await publishAgent(service, person)
  const organization = { token, body: { slug: uniqueName().replace('_', '-'), name: 'Works' } }
  const { id: organizationId } = await call(service, 'POST /organizations', organization)
  return {
    ...person,
    key: (await openKey(service, token)).apiKey,
    agent: await publishAgent(service, person),
    agentKey: (await openKey(service, token, { agentId })).apiKey,
    organizationKey: (await openKey(service, token, { organizationId })).apiKey,
    routingKey: (await call<{ key: string }>(service, 'POST /v1/auth/keys', { token, body: {} })).key,
  }
}

/** A service account with its `sk_` key. */
export const openKey = (service: TestService, token: string, binding: object = {}) => {
  const body = { name: 'Key', ...binding }
  return call<{ id: string; apiKey: string }>(service, 'POST /api/v1/service-accounts', { token, body })
}

async function tokensOver(
  service: TestService,
  { token }: Person,
): Promise<Pick<Fixtures, 'expired' | 'minted'>> {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  const { sub, sid } = JSON.parse(payload) as Record<'sub' | 'sid', string>
  const tokens = await tokensOf(service.services)
  mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
  const expired = tokens.sign('access', { sub, sid }, 900)
  mock.timers.reset()
  return { expired, minted: tokens.sign('access', { sub, sid }, 900) }
}

async function suspendedAccount(service: TestService, admin: string): Promise<Fixtures['suspended']> {
  const { id, token } = await registerHuman(service)
  const { apiKey } = await openKey(service, token)
  const routing = await call<{ key: string }>(service, 'POST /v1/auth/keys', { token, body: {} })
  await call(service, `POST /admin/users/${id}/suspend`, { token: admin, body: { reason: 'test' } })
  return { token, key: apiKey, routingKey: routing.key }
}

async function revokedKeys(service: TestService, owner: Tenant): Promise<Fixtures['revoked']> {
  const { id, apiKey } = await openKey(service, owner.token)
  await call(service, `DELETE /api/v1/service-accounts/${id}`, { token: owner.token })
  const agent = await publishAgent(service, owner)
  await call(service, `POST /agents/${agent.id}/revoke-key`, { token: owner.token })
  const { token } = owner
  const routing = await call<{ id: string; key: string }>(service, 'POST /v1/auth/keys', { token, body: {} })
  await call(service, `DELETE /v1/auth/keys/${routing.id}`, { token })
  return { key: apiKey, agentKey: agent.apiKey, routingKey: routing.key }
}

/** One call that must succeed. */
export async function call<Body = { id: string }>(
  service: TestService,
  operation: string,
  options: CallOptions = {},
): Promise<Body> {
  const [method = '', path = ''] = operation.split(' ')
  const { status, text, body } = await service.http<Body>(method, path, options)
  if (status >= 300) throw new Error(`${operation} answered ${status}: ${text}`)
  return body
}

/** A deal in which `buyer` hires `agent`, for the helpers of test/support. */
export const marketOf = (fixtures: Fixtures, buyer: Person, agent: ListedAgent): Market => ({
  service: fixtures.service,
  buyer,
  agent,
  outsider: fixtures.partner,
  admin: fixtures.admin,
})
