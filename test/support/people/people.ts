import { randomBytes } from 'node:crypto'
import { invalidateCredentialCache } from '../../../server/modules/identity/credentials/authenticator.ts'
import { sql } from '../../../server/platform/kernel/sql.ts'
import type { TestService } from '../service/service.ts'

export interface Person {
  id: string
  email: string
  token: string
  refreshToken: string
  walletId: string
}

const PASSWORD = 'correct horse battery staple'

/** A HUMAN account with its wallet. */
export async function registerHuman(
  service: TestService,
  headers: Record<string, string> = {},
): Promise<Person> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const registered = await service.http<{ user: { id: string }; accessToken: string; refreshToken: string }>(
    'POST',
    '/auth/register',
    { headers, body: { email, displayName: 'Test Person', password: PASSWORD } },
  )
  if (registered.status !== 201) throw new Error(`cannot register: ${registered.status} ${registered.text}`)
  const {
    user: { id },
    accessToken: token,
    refreshToken,
  } = registered.body
  const wallet = await service.http<{ id: string }>('GET', `/wallets/user/${id}`, { token, headers })
  return { id, email, token, refreshToken, walletId: wallet.body.id }
}

/** An account that has been an admin since it exists, whom no other admin made one: independent of all others. */
export const makeAdmin = ({ services: { db } }: TestService, { id }: Pick<Person, 'id'>): Promise<void> =>
  db.transaction(async tx => {
    await tx.run(
      sql`update identity_account set role = 'ADMIN', admin_since = created_at, promoted_by = null where id = ${id}`,
    )
    await invalidateCredentialCache(tx)
  })

/** Another admin, beside that of `adminToken`: the second one that an approval needs. */
export async function registerAdmin(service: TestService): Promise<Person> {
  const person = await registerHuman(service)
  await makeAdmin(service, person)
  return person
}

/** Makes a person a member of an organization: one invites, the other accepts. */
export async function joinOrganization(
  service: TestService,
  by: Pick<Person, 'token'>,
  person: Pick<Person, 'id' | 'token'>,
  { slug, role }: { slug: string; role: string },
): Promise<void> {
  const invited = await service.http('POST', `/organizations/${slug}/members`, {
    token: by.token,
    body: { userId: person.id, role },
  })
  if (invited.status !== 201) throw new Error(`cannot invite: ${invited.status} ${invited.text}`)
  const joined = await service.http('POST', `/organizations/${slug}/accept`, { token: person.token })
  if (joined.status !== 200) throw new Error(`cannot join: ${joined.status} ${joined.text}`)
}

export interface ListedAgent {
  id: string
  slug: string
  walletId: string
  apiKey: string
  owner: Person
}

/** An ACTIVE agent of `owner` with its `sa_` key. */
export async function publishAgent(
  service: TestService,
  owner: Person,
  fields: Record<string, unknown> = {},
): Promise<ListedAgent> {
  const created = await service.http<{ id: string; slug: string; walletId: string; apiKey: string }>(
    'POST',
    '/agents',
    { token: owner.token, body: { name: `Agent ${randomBytes(4).toString('hex')}`, ...fields } },
  )
  if (created.status !== 201) throw new Error(`cannot create an agent: ${created.status} ${created.text}`)
  const published = await service.http('POST', `/agents/${created.body.id}/publish`, { token: owner.token })
  if (published.status !== 201) throw new Error(`cannot publish: ${published.status} ${published.text}`)
  const { id, slug, walletId, apiKey } = created.body
  return { id, slug, walletId, apiKey, owner }
}

/** Funds a person's wallet by sandbox card. `amount` in USD. */
export async function fund(service: TestService, person: Person, amount: number): Promise<void> {
  const { status, text } = await service.http('POST', `/wallets/${person.walletId}/fund`, {
    token: person.token,
    body: { amount },
  })
  if (status !== 201) throw new Error(`cannot fund: ${status} ${text}`)
}

export interface ClaimedAgent extends ListedAgent {
  creator: Person
}

/** An ACTIVE agent that `creator` announced and `owner` claimed. */
export async function claimedAgent(
  service: TestService,
  creator: Person,
  owner: Person,
): Promise<ClaimedAgent> {
  const must = async <Body>(path: string, token: string, body?: unknown): Promise<Body> => {
    const answer = await service.http<Body>('POST', path, { token, body })
    if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const {
    agent_id: id,
    api_key: apiKey,
    claim_url: url,
  } = await must<{ agent_id: string; api_key: string; claim_url: string }>(
    '/agents/announce',
    creator.token,
    { name: `Agent ${randomBytes(4).toString('hex')}` },
  )
  await must(`/agents/${id}/publish`, creator.token)
  const { slug, walletId } = await must<{ slug: string; walletId: string }>(
    `/agents/claim/${url.split('/').at(-1)}`,
    owner.token,
  )
  return { id, slug, walletId, apiKey, owner, creator }
}
