import { makeAdmin, type TestService } from '#test'
import { mock } from 'node:test'
import { makeKey } from '../../../server/modules/identity/credentials/key.ts'
import { tokensOf } from '../../../server/modules/identity/credentials/token.ts'
import { canary, nextTenantTag } from './canaries.ts'
import { accessToken, keyCredentials, NONE, PASSWORD, type Tenant } from './tenants.ts'
import type { Credential } from '../replies/request.ts'

/** Sends a request that must succeed, and learns from its reply. Returns its body, with the cookies that it sets. */
export type Ask = <Body = { id: string }>(
  tenant: number,
  operation: string,
  options: AskOptions,
) => Promise<Body & { cookies: readonly string[] }>
export interface AskOptions {
  credential: Credential
  path?: Record<string, string>
  headers?: Record<string, string>
  body?: unknown
  /** Nothing is learned from the reply. */
  isSecret?: true
  /** The tenant that what the reply shows belongs to, where it is not open yet. */
  tag?: string
}

interface Registered {
  user: { id: string }
  accessToken: string
  refreshToken: string
}

async function register(
  ask: Ask,
  index: number,
): Promise<{ tenant: Tenant; me: Credential; refreshToken: string }> {
  const tag = nextTenantTag()
  const email = `${canary(tag, 'POST /auth/register email')}@example.com`
  // The account of the set-up is not learned: its sessions last as long as the scenario.
  const {
    user,
    accessToken: token,
    refreshToken,
  } = await ask<Registered>(index, 'POST /auth/register', {
    isSecret: true,
    credential: NONE,
    body: { email, displayName: canary(tag, 'POST /auth/register displayName'), password: PASSWORD },
  })
  const me = accessToken(token)
  return {
    tenant: {
      index,
      tag,
      email,
      userId: user.id,
      isAdmin: false,
      about: new Map([['user', user.id]]),
      credentials: [me],
    },
    me,
    refreshToken,
  }
}

/** An account with a wallet that holds money, an agent, an organization and every kind of credential. */
export async function openTenant(ask: Ask, index: number, admin: Credential): Promise<Tenant> {
  const { tenant, me } = await register(ask, index)
  const { tag, userId, email } = tenant
  const own: Ask = (by, operation, options) => ask(by, operation, { ...options, tag })
  const { id: walletId } = await own(index, 'GET /wallets/user/{userId}', {
    credential: me,
    path: { userId },
  })
  await ask(3, 'POST /wallets/admin/test-credit', {
    credential: admin,
    body: { walletId, amount: 10_000, reason: 'fuzz' },
  })
  await own(index, 'POST /wallets/{id}/fund', {
    credential: me,
    path: { id: walletId },
    body: { amount: 500 },
  })
  const name = canary(tag, 'POST /agents name')
  const agent = await own<{ id: string; slug: string; apiKey: string }>(index, 'POST /agents', {
    credential: me,
    body: { name },
  })
  await own(index, 'POST /agents/{id}/publish', { credential: me, path: { id: agent.id } })
  tenant.about.set('agent', agent.id).set('agentSlug', agent.slug).set('wallet', walletId)
  const organization = await own(index, 'POST /organizations', {
    credential: me,
    body: { slug: canary(tag, 'POST /organizations slug'), name: canary(tag, 'POST /organizations name') },
  })
  const key = async (body: object, kind?: string): Promise<Credential[]> => {
    const made = await own<{ apiKey: string }>(index, 'POST /api/v1/service-accounts', {
      credential: me,
      body: { name: canary(tag, 'POST /api/v1/service-accounts name'), ...body },
    })
    return keyCredentials(made.apiKey, kind)
  }
  const routing = await own<{ key: string }>(index, 'POST /v1/auth/keys', { credential: me, body: {} })
  // Accounts whose credentials requests may end.
  for (const name of ['first', 'second'])
    await own(index, 'POST /auth/register', {
      credential: NONE,
      body: {
        email: `${name}-${email}`,
        displayName: canary(tag, 'POST /auth/register displayName'),
        password: PASSWORD,
      },
    })
  tenant.credentials.push(
    await openCookieSession(own, tenant),
    ...(await key({})),
    ...(await key({ scopes: ['agent:read'] }, 'read-only')),
    ...(await key({ agentId: agent.id }, 'agent-bound')),
    ...(await key({ organizationId: organization.id }, 'organization-bound')),
    ...keyCredentials(agent.apiKey),
    ...keyCredentials(routing.key),
  )
  return tenant
}

/** As a browser at a page of the service has it. */
async function openCookieSession(ask: Ask, { index, email }: Tenant): Promise<Credential> {
  const { cookies } = await ask(index, 'POST /auth/login', {
    isSecret: true,
    credential: NONE,
    headers: { 'sec-fetch-site': 'same-origin', 'x-svc-session': 'cookie' },
    body: { email, password: PASSWORD },
  })
  return {
    kind: 'session cookie',
    headers: { 'sec-fetch-site': 'same-origin', cookie: cookies.map(each => each.split(';')[0]).join('; ') },
  }
}

/** The admin of the service and another one, who decides what the first asks for. */
export async function openAdmins(service: TestService, ask: Ask): Promise<Tenant> {
  const { tenant } = await register(ask, 3)
  await makeAdmin(service, { id: tenant.userId })
  tenant.credentials.unshift(accessToken(await service.adminToken()))
  return { ...tenant, isAdmin: true }
}

/** Credentials that nothing accepts any more: expired, revoked, of a suspended account, never given. */
export async function openRefused(
  service: TestService,
  ask: Ask,
  admin: Credential,
): Promise<{ refused: Credential[]; suspended: string }> {
  const suspended = await openTenant(ask, 3, admin)
  await ask(3, 'POST /admin/users/{id}/suspend', {
    credential: admin,
    path: { id: suspended.userId },
    body: { reason: 'fuzz' },
  })
  const { tenant, me, refreshToken } = await register(ask, 3)
  const revoked = await ask<{ id: string; apiKey: string }>(3, 'POST /api/v1/service-accounts', {
    credential: me,
    body: { name: 'Revoked' },
  })
  await ask(3, 'DELETE /api/v1/service-accounts/{id}', { credential: me, path: { id: revoked.id } })
  const refused = [
    ...suspended.credentials.map(each => ({ ...each, kind: `suspended ${each.kind}` })),
    ...keyCredentials(revoked.apiKey, 'revoked'),
    { ...accessToken(await expiredToken(service, me, tenant)), kind: 'expired access token' },
    ...keyCredentials(makeKey('sk').text, 'unknown'),
    ...keyCredentials(makeKey('sa').text, 'unknown'),
    ...keyCredentials(makeKey('rk').text, 'unknown'),
    { ...accessToken(refreshToken), kind: 'refresh token as a bearer' },
    { ...accessToken('not.a.token'), kind: 'malformed token' },
    { ...accessToken('sk_nonsense'), kind: 'malformed key' },
    { kind: 'basic', headers: { authorization: 'Basic dXNlcjpwYXNz' } },
  ]
  return { refused, suspended: suspended.userId }
}

async function expiredToken(service: TestService, me: Credential, { userId }: Tenant): Promise<string> {
  const [, payload = ''] = me.headers.authorization?.split('.') ?? []
  const { sid } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }
  const tokens = await tokensOf(service.services)
  mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
  const expired = tokens.sign('access', { sub: userId, sid }, 900)
  mock.timers.reset()
  return expired
}
