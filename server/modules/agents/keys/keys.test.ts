import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from '#platform/kernel/sql'
import { fund, publishAgent, registerHuman, startTestService, type Person, type TestService } from '#test'

interface Rotated {
  newApiKey: string
  oldKeyExpiresAt: string
  message: string
}
interface Revoked {
  revokedServiceAccountId: string
  revokedAt: string
  frozenEscrows: object[]
  message: string
}

let service: TestService
let owner: Person
let otherAgentId: string

before(async () => {
  service = await startTestService()
  owner = await registerHuman(service)
  otherAgentId = (await publishAgent(service, await registerHuman(service))).id
})
after(() => service.close())

const key = (apiKey: string) => ({ headers: { 'x-agent-api-key': apiKey } })
const rotate = (id: string, apiKey: string) =>
  service.http<Rotated>('POST', `/agents/${id}/rotate-key`, key(apiKey))
const revoke = (id: string, credential: object) =>
  service.http<Revoked>('POST', `/agents/${id}/revoke-key`, credential)
const issue = (id: string, token = owner.token) =>
  service.http<{ apiKey: string; message: string }>('POST', `/agents/${id}/keys`, { token })

/** Whether a key is valid: with a valid key the heartbeat of another's agent is 403, else 401. */
const works = async (apiKey: string) =>
  (
    await service.http('POST', `/a2a/agents/${otherAgentId}/heartbeat`, {
      ...key(apiKey),
      body: { status: 'available' },
    })
  ).status === 403

test('rotates a key; the old one is valid for 24 h, then 401 names the new one', async () => {
  const agent = await publishAgent(service, owner)
  const { status, body } = await rotate(agent.id, agent.apiKey)
  assert.equal(status, 200)
  assert.match(body.newApiKey, /^sa_[0-9A-Za-z]{36}$/)
  assert.notEqual(body.newApiKey, agent.apiKey)
  assert.ok(
    Math.abs(Date.parse(body.oldKeyExpiresAt) - service.services.clock.now().getTime() - 86_400_000) < 60_000,
  )
  assert.deepEqual([await works(agent.apiKey), await works(body.newApiKey)], [true, true])
  assert.equal((await rotate(agent.id, agent.apiKey)).status, 401, 'a key in grace is replaced no more')
  await service.advance(86_401)
  const late = await service.http<{ message: string }>(
    'POST',
    `/agents/${otherAgentId}/rotate-key`,
    key(agent.apiKey),
  )
  assert.equal(late.status, 401)
  assert.match(late.body.message, /use the new key/)
  assert.equal(await works(body.newApiKey), true)
})

test('accepts at most one of 16 parallel rotations of one key', async () => {
  const agent = await publishAgent(service, owner)
  const statuses = (await Promise.all(Array.from({ length: 16 }, () => rotate(agent.id, agent.apiKey)))).map(
    answer => answer.status,
  )
  assert.equal(statuses.filter(status => status === 200).length, 1)
  assert.ok(
    statuses.every(status => [200, 401, 429].includes(status)),
    statuses.join(),
  )
})

test('rejects the fourth rotation of an agent within a minute with 429', async () => {
  const agent = await publishAgent(service, owner)
  let newest = agent.apiKey
  for (let n = 0; n < 3; n++) newest = (await rotate(agent.id, newest)).body.newApiKey
  const refused = await rotate(agent.id, newest)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const another = await publishAgent(service, owner)
  assert.equal((await rotate(another.id, another.apiKey)).status, 200)
})

test("other accounts cannot exhaust an agent's rotations", async () => {
  const [agent, outsider] = [
    await publishAgent(service, owner),
    await publishAgent(service, await registerHuman(service)),
  ]
  for (let n = 0; n < 4; n++) assert.equal((await rotate(agent.id, outsider.apiKey)).status, 401)
  assert.equal((await rotate(agent.id, agent.apiKey)).status, 200)
})

test('rotates with keys only: invalid key 401, access token 400', async () => {
  const agent = await publishAgent(service, owner)
  assert.equal((await rotate(agent.id, `sa_${'a'.repeat(36)}`)).status, 401)
  assert.equal((await service.http('POST', `/agents/${agent.id}/rotate-key`)).status, 401)
  assert.equal(
    (await service.http('POST', `/agents/${agent.id}/rotate-key`, { token: owner.token })).status,
    400,
  )
  assert.equal((await rotate(randomUUID(), agent.apiKey)).status, 404)
})

test('revokes every key of the agent at once, including rotated ones', async () => {
  const agent = await publishAgent(service, owner)
  const {
    body: { newApiKey },
  } = await rotate(agent.id, agent.apiKey)
  const { status, body } = await revoke(agent.id, key(newApiKey))
  assert.equal(status, 200)
  assert.ok(body.revokedServiceAccountId && body.message)
  assert.ok(Date.parse(body.revokedAt) <= service.services.clock.now().getTime())
  assert.deepEqual(body.frozenEscrows, [])
  assert.deepEqual([await works(agent.apiKey), await works(newApiKey)], [false, false])
})

test('rejects a revocation with a rotated key with 401 and keeps the new key', async () => {
  const agent = await publishAgent(service, owner)
  const { newApiKey } = (await rotate(agent.id, agent.apiKey)).body
  assert.equal((await revoke(agent.id, key(agent.apiKey))).status, 401)
  assert.deepEqual([await works(agent.apiKey), await works(newApiKey)], [true, true])
  assert.equal((await revoke(agent.id, key(newApiKey))).status, 200)
})

test('lets creator and owner revoke with their token; others get 401', async () => {
  const agent = await publishAgent(service, owner)
  assert.equal((await revoke(agent.id, { token: (await registerHuman(service)).token })).status, 401)
  assert.equal((await revoke(agent.id, {})).status, 401)
  assert.equal((await revoke(agent.id, { token: owner.token })).status, 200)
  assert.equal((await revoke(agent.id, { token: owner.token })).status, 404)
  assert.equal((await revoke(randomUUID(), { token: owner.token })).status, 404)
  const other = await publishAgent(service, owner)
  assert.equal(
    (await revoke(other.id, key((await publishAgent(service, owner)).apiKey))).status,
    401,
    'a key of another agent',
  )
  assert.equal(await works(other.apiKey), true)
})

test('issues a new key after a revocation, not while one is active', async () => {
  const agent = await publishAgent(service, owner)
  assert.equal((await issue(agent.id)).status, 409)
  await revoke(agent.id, key(agent.apiKey))
  const { status, body } = await issue(agent.id)
  assert.equal(status, 201)
  assert.deepEqual([await works(body.apiKey), await works(agent.apiKey)], [true, false])
  assert.equal((await rotate(agent.id, body.apiKey)).status, 200)
  assert.equal(
    (await service.http('POST', `/agents/${agent.id}/keys`, key(body.apiKey))).status,
    400,
    'a key makes no key',
  )
})

test('treats an sk_ key as a key of every agent of its account', async () => {
  const username = `a${randomUUID().replaceAll('-', '').slice(0, 12)}`
  const body = { username, walletType: 'managed' }
  const { body: account } = await service.http<{ agentApiKey: string }>('POST', '/auth/register-agent', {
    body,
  })
  const made = await service.http<{ id: string; apiKey: string; claimedById: null }>('POST', '/agents', {
    token: account.agentApiKey,
    body: { name: 'Made by a key' },
  })
  assert.deepEqual([made.status, made.body.claimedById], [201, null])
  const rotated = await rotate(made.body.id, account.agentApiKey)
  assert.equal(rotated.status, 200)
  assert.match(rotated.body.newApiKey, /^sk_/)
  assert.deepEqual([await works(account.agentApiKey), await works(rotated.body.newApiKey)], [true, true])
  assert.equal((await revoke(made.body.id, key(account.agentApiKey))).status, 401)
  assert.equal((await revoke(made.body.id, key(rotated.body.newApiKey))).status, 200)
  const all = [account.agentApiKey, rotated.body.newApiKey, made.body.apiKey]
  for (const each of all) assert.equal(await works(each), false)
})

test('freezes and lists held escrows on revocation; a new key unfreezes them', async () => {
  const [agent, buyer] = [await publishAgent(service, owner), await registerHuman(service)]
  await fund(service, buyer, 100)
  const perform = async <Body>(path: string, token: string, body: object) =>
    (await service.http<Body>('POST', path, { token, body })).body
  const { id: negotiationId } = await perform<{ id: string }>('/ap2/negotiate', buyer.token, {
    responderAgentId: agent.id,
    requestedService: 'work',
    budget: 60,
  })
  await perform('/ap2/respond', owner.token, { negotiationId, status: 'ACCEPTED' })
  const { escrowId } = await perform<{ escrowId: string }>('/payments/ap2/initiate', buyer.token, {
    negotiationId,
  })
  const statusOf = async () =>
    (await service.http<{ status: string }>('GET', `/payments/escrow/${escrowId}`, { token: buyer.token }))
      .body.status
  assert.equal(await statusOf(), 'HELD')
  const { body } = await revoke(agent.id, key(agent.apiKey))
  assert.deepEqual(body.frozenEscrows, [
    { escrowId, amount: '60.00', counterpartyWalletId: buyer.walletId, originalStatus: 'HELD' },
  ])
  assert.equal(await statusOf(), 'FROZEN')
  assert.equal((await issue(agent.id)).status, 201)
  assert.equal(await statusOf(), 'HELD')
})

test('keeps the key valid through a claim; the new owner issues the next', async () => {
  const creator = await registerHuman(service)
  const { body } = await service.http<{ agent_id: string; api_key: string; claim_url: string }>(
    'POST',
    '/agents/announce',
    { token: creator.token, body: { name: 'Handed over' } },
  )
  assert.equal(
    (
      await service.http('POST', `/agents/claim/${body.claim_url.split('/claim/')[1]}`, {
        token: owner.token,
      })
    ).status,
    200,
  )
  const admin = await service.adminToken()
  const setAccount = (id: string, action: 'suspend' | 'reinstate') =>
    service.http('POST', `/admin/users/${id}/${action}`, { token: admin, body: { reason: 'test' } })
  const message = async () =>
    (
      await service.http<{ message: string }>('POST', `/a2a/agents/${otherAgentId}/heartbeat`, {
        ...key(body.api_key),
        body: { status: 'available' },
      })
    ).body.message
  await setAccount(creator.id, 'suspend')
  assert.match(await message(), /^Forbidden/, 'a later suspension of its creator does not affect the key')
  await setAccount(creator.id, 'reinstate')
  await setAccount(owner.id, 'suspend')
  assert.match(await message(), /^Agent suspended/, "it is its new owner's")
  await setAccount(owner.id, 'reinstate')
  assert.equal(
    (await revoke(body.agent_id, { token: creator.token })).status,
    200,
    'its creator may revoke still',
  )
  assert.equal((await issue(body.agent_id, creator.token)).status, 403)
  assert.equal((await issue(body.agent_id)).status, 201)
  assert.equal((await revoke(body.agent_id, { token: owner.token })).status, 200, 'and so may its claimer')
})

test('rejects the key of a suspended agent with 403 at once', async () => {
  const agent = await publishAgent(service, owner)
  assert.equal(
    (
      await service.http('POST', `/admin/agents/${agent.id}/suspend`, {
        token: await service.adminToken(),
        body: { reason: 'test' },
      })
    ).status,
    200,
  )
  const { status, body } = await rotate(agent.id, agent.apiKey)
  assert.deepEqual([status, body.message], [403, 'Agent suspended'])
})

test('records rotation, revocation and suspension in the audit log', async () => {
  const agent = await publishAgent(service, owner)
  await rotate(agent.id, agent.apiKey)
  await revoke(agent.id, { token: owner.token })
  const admin = await service.adminToken()
  await service.http('POST', `/admin/agents/${agent.id}/suspend`, { token: admin })
  await service.http('POST', `/admin/agents/${agent.id}/reinstate`, { token: admin })
  const rows = await service.services.db.rows(
    sql<{ action: string }>`select action from platform_audit where target_id = ${agent.id}`,
  )
  const actions = new Set(rows.map(row => row.action))
  for (const action of ['key.issued', 'key.rotated', 'key.revoked', 'agent.suspended', 'agent.reinstated'])
    assert.ok(actions.has(action), action)
})
