import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { sql } from '#platform/kernel/sql'
import { registerHuman, sharedService, type Person, type TestService } from '#test'

interface Announcement {
  api_key: string
  claim_url: string
  agent_slug: string
  agent_id: string
  wallet_address: string
  trust_tier: string
  onboarding: Record<string, string>
  message: string
}
interface Claimed {
  id: string
  status: string
  creatorId: string
  claimedById: string
  ownerId: string
  walletId: string
  message: string
}

let service: TestService
let creator: Person

before(async () => {
  service = await sharedService()
  creator = await registerHuman(service)
})
after(() => service.close())

/** Each announcement by a person of its own: 3 an hour is the limit. */
async function announce(body: object = { name: 'Newcomer' }) {
  const person = await registerHuman(service)
  const { status, body: announcement } = await service.http<Announcement>('POST', '/agents/announce', {
    token: person.token,
    body,
  })
  assert.equal(status, 201, announcement.message)
  return { person, ...announcement, token: announcement.claim_url.split('/claim/')[1] ?? '' }
}
const claim = (token: string, credential = creator.token) =>
  service.http<Claimed>('POST', `/agents/claim/${token}`, { token: credential })

async function registerAgentAccount(): Promise<string> {
  const { status, text, body } = await service.http<{ accessToken: string }>('POST', '/auth/register-agent', {
    body: { username: `a${randomBytes(6).toString('hex')}`, walletType: 'managed' },
  })
  assert.equal(status, 201, text)
  return body.accessToken
}

test('returns key, claim link, slug, address and next steps when announced', async () => {
  const announcement = await announce({ name: 'Fresh Agent', description: 'Does things' })
  assert.match(announcement.api_key, /^sa_[0-9A-Za-z]{36}$/)
  assert.ok(announcement.claim_url.startsWith(`${service.baseUrl}/claim/`))
  assert.equal(announcement.agent_slug, 'fresh-agent')
  assert.match(announcement.wallet_address, /^0x[0-9a-fA-F]{40}$/)
  assert.equal(announcement.trust_tier, 'UNVERIFIED')
  assert.ok(announcement.onboarding.next_steps && announcement.onboarding.typical_requirements_before_live)
  assert.ok(Object.values(announcement.onboarding).every(value => typeof value === 'string'))
  const agent = await service.http<Claimed>('GET', `/agents/${announcement.agent_id}`)
  assert.deepEqual(
    [agent.body.status, agent.body.claimedById, agent.body.ownerId],
    ['DRAFT', null, announcement.person.id],
  )
})

test('rejects the fourth announcement of an account within an hour with 429', async () => {
  const person = await registerHuman(service)
  const announceOne = () =>
    service.http('POST', '/agents/announce', { token: person.token, body: { name: 'One of many' } })
  for (let n = 0; n < 3; n++) assert.equal((await announceOne()).status, 201)
  const refused = await announceOne()
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 3500)
})

test('requires a credential and a name to announce an agent', async () => {
  assert.equal((await service.http('POST', '/agents/announce', { body: { name: 'Nobody' } })).status, 401)
  const person = await registerHuman(service)
  assert.equal(
    (await service.http('POST', '/agents/announce', { token: person.token, body: {} })).status,
    400,
  )
})

test('makes the claiming person the owner of listing and wallet', async () => {
  const { person, agent_id: id, token } = await announce()
  assert.equal(
    (await service.http('PATCH', `/agents/${id}`, { token: creator.token, body: { description: 'mine?' } }))
      .status,
    403,
  )
  const { status, body } = await claim(token)
  assert.equal(status, 200)
  assert.deepEqual(
    [body.id, body.creatorId, body.claimedById, body.ownerId],
    [id, person.id, creator.id, creator.id],
  )
  assert.equal((await service.http('GET', `/wallets/${body.walletId}`, { token: creator.token })).status, 200)
  assert.equal((await service.http('GET', `/wallets/${body.walletId}`, { token: person.token })).status, 403)
  assert.equal(
    (await service.http('PATCH', `/agents/${id}`, { token: creator.token, body: { description: 'mine' } }))
      .status,
    200,
  )
})

test('rejects an unknown, used or expired claim token with 404', async () => {
  for (const token of ['nonsense', randomBytes(24).toString('base64url'), '%F0%9F%92%A9']) {
    const { status, body } = await claim(token)
    assert.deepEqual([status, body.message], [404, 'Invalid or already-used claim token'])
  }
  const used = await announce()
  assert.equal((await claim(used.token)).status, 200)
  assert.equal((await claim(used.token)).status, 404)
  const expired = await announce()
  await service.services.db.run(
    sql`update agents_claim_token set expires_at = ${service.services.clock.real()}
      where agent_id = ${expired.agent_id}`,
  )
  assert.equal((await claim(expired.token)).status, 404)
})

test('rejects a claim of an owned agent with 409; only the owner makes links', async () => {
  const { agent_id: id, token, person } = await announce()
  assert.equal((await claim(token)).status, 200)
  const link = await service.http<{ claimUrl: string; expiresAt: string }>(
    'POST',
    `/agents/${id}/claim-link`,
    {
      token: creator.token,
    },
  )
  assert.equal(link.status, 201)
  assert.ok(Math.abs(Date.parse(link.body.expiresAt) - Date.now() - 30 * 86_400_000) < 60_000)
  assert.equal((await service.http('POST', `/agents/${id}/claim-link`, { token: person.token })).status, 403)
  const again = await claim(link.body.claimUrl.split('/claim/')[1] ?? '', person.token)
  assert.deepEqual([again.status, again.body.message], [409, 'Agent already claimed'])
})

test('makes one of 32 people with the same link the owner', async () => {
  const { agent_id: id, token } = await announce()
  const people = await Promise.all(Array.from({ length: 4 }, () => registerHuman(service)))
  const answers = await Promise.all(Array.from({ length: 32 }, (_, i) => claim(token, people[i % 4]?.token)))
  assert.equal(answers.filter(answer => answer.status === 200).length, 1)
  assert.equal(answers.filter(answer => answer.status === 404).length, 31)
  const winner = answers.find(answer => answer.status === 200)
  assert.equal((await service.http<Claimed>('GET', `/agents/${id}`)).body.ownerId, winner?.body.ownerId)
})

test('accepts one of several links of an agent that are used in parallel', async () => {
  const { agent_id: id, person, token } = await announce()
  const links = await Promise.all(
    Array.from({ length: 7 }, () =>
      service.http<{ claimUrl: string }>('POST', `/agents/${id}/claim-link`, { token: person.token }),
    ),
  )
  const tokens = [token, ...links.map(link => link.body.claimUrl.split('/claim/')[1] ?? '')]
  const answers = await Promise.all(tokens.map(each => claim(each)))
  assert.equal(answers.filter(answer => answer.status === 200).length, 1)
  assert.equal(answers.filter(answer => answer.status === 409).length, 7)
})

test('lets only people claim: agent account 403, no credential 401, key 400', async () => {
  const { token, api_key } = await announce()
  assert.equal((await claim(token, await registerAgentAccount())).status, 403)
  assert.equal((await service.http('POST', `/agents/claim/${token}`)).status, 401)
  assert.equal(
    (await service.http('POST', `/agents/claim/${token}`, { headers: { 'x-agent-api-key': api_key } }))
      .status,
    400,
  )
  assert.equal((await claim(token)).status, 200)
})

test('the database contains no claim token in plain text', async () => {
  const { token } = await announce()
  const rows = await service.services.db.rows(
    sql<{ text: string }>`select encode(token_hash, 'escape') as text from agents_claim_token`,
  )
  assert.ok(rows.length && rows.every(row => !row.text.includes(token)))
})

test('a key makes a claim link only with every scope and no spending limit', async () => {
  const { agent_id: id, person } = await announce()
  const statusWith = async (fields: object) => {
    const { body } = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
      token: person.token,
      body: fields,
    })
    return (await service.http('POST', `/agents/${id}/claim-link`, { token: body.apiKey })).status
  }
  assert.equal(await statusWith({ scopes: ['agent:read', 'agent:write'] }), 403)
  assert.equal(await statusWith({ spendingLimit: 0 }), 403)
  assert.equal(await statusWith({}), 201)
})

const newKey = async (token: string) =>
  (await service.http<{ id: string; apiKey: string }>('POST', '/api/v1/keys', { token, body: {} })).body
const keyOf = async (token: string): Promise<string> => (await newKey(token)).id

const ENDS: Record<string, (person: Person, agentId: string) => Promise<{ status: number }>> = {
  'a new password': ({ token }) =>
    service.http('POST', '/auth/change-password', {
      token,
      body: { currentPassword: 'correct horse battery staple', newPassword: 'a wholly new password' },
    }),
  'the revocation of the keys of the agent': ({ token }, agentId) =>
    service.http('POST', `/agents/${agentId}/revoke-key`, { token }),
  'the revocation of a key of the account': async ({ token }) =>
    service.http('DELETE', `/api/v1/service-accounts/${await keyOf(token)}`, { token }),
  'the expiry of a key of the account': async ({ token }) =>
    service.http('POST', `/api/v1/service-accounts/${await keyOf(token)}/expire`, { token }),
  'a key of the account that may do less': async ({ token }) =>
    service.http('PATCH', `/api/v1/service-accounts/${await keyOf(token)}`, {
      token,
      body: { scopes: ['agent:read'] },
    }),
  'a key of the account that ends earlier': async ({ token }) =>
    service.http('PATCH', `/api/v1/service-accounts/${await keyOf(token)}`, {
      token,
      body: { expiresAt: '2100-01-01T00:00:00.000Z' },
    }),
  'a key of the account with which the keys of another agent are revoked': async ({ token }) => {
    const { body } = await service.http<{ id: string }>('POST', '/agents', { token, body: { name: 'Other' } })
    const headers = { 'x-agent-api-key': (await newKey(token)).apiKey }
    return service.http('POST', `/agents/${body.id}/revoke-key`, { headers })
  },
  'the deletion of the account': ({ token }) => service.http('DELETE', '/users/me', { token }),
  'a suspension': async ({ id }) =>
    service.http('POST', `/admin/users/${id}/suspend`, {
      token: await service.adminToken(),
      body: { reason: 'test' },
    }),
}
for (const [what, change] of Object.entries(ENDS))
  test(`${what} ends the open claim links`, async () => {
    const { person, agent_id: id, token } = await announce()
    const { status } = await change(person, id)
    assert.ok(status >= 200 && status < 300, `${status}`)
    assert.equal((await claim(token)).status, 404)
  })
