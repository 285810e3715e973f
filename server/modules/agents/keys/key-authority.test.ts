import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { publishAgent, registerHuman, sharedService, type Person, type TestService } from '#test'

interface Body {
  code: string
  message: string
  apiKey: string
  newApiKey: string
  revokedServiceAccountId: string
  status: string
  keyPrefix: string | null
}

suite('permissions of keys for keys and presence', () => {
  let service: TestService
  let owner: Person
  let agent: { id: string; apiKey: string }
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
    agent = await publishAgent(service, owner)
  })
  after(() => service.close())

  const call = (method: string, path: string, token: string, body?: object) =>
    service.http<Body>(method, path, { token, body })
  const keyWith = async (...scopes: string[]) =>
    (await call('POST', '/api/v1/service-accounts', owner.token, { name: scopes.join(' '), scopes })).body
      .apiKey
  const withAgentKey = (method: string, path: string, apiKey: string) =>
    service.http<Body>(method, path, { headers: { 'x-agent-api-key': apiKey } })

  test('rejects revocation, rotation and heartbeats without agent:write', async () => {
    const reader = await keyWith('agent:read', 'ap2:negotiate', 'ap2:execute')
    for (const [path, body] of [
      [`/agents/${agent.id}/revoke-key`, undefined],
      [`/agents/${agent.id}/rotate-key`, undefined],
      [`/a2a/agents/${agent.id}/heartbeat`, { status: 'offline' }],
    ] as const) {
      const { status, body: refused } = await call('POST', path, reader, body)
      assert.deepEqual([status, refused.code], [403, 'FORBIDDEN'], path)
    }
    assert.equal(
      (await withAgentKey('GET', '/ap2/negotiations', agent.apiKey)).status,
      200,
      'the key of the agent is valid',
    )
  })

  test('rejects reads of wallets, escrows and negotiations without agent:read', async () => {
    const negotiator = await keyWith('ap2:negotiate')
    for (const path of [
      `/wallets/${owner.walletId}`,
      `/wallets/${owner.walletId}/transactions`,
      '/wallets/my-agents',
      '/payments/escrow',
      '/ap2/negotiations',
    ]) {
      assert.equal((await call('GET', path, negotiator)).status, 403, path)
      assert.equal((await call('GET', path, await keyWith('agent:read'))).status, 200, path)
    }
  })

  test('declares a scope on every operation that accepts account keys', async () => {
    interface Operation {
      security?: Record<string, unknown>[]
      'x-required-scope'?: string
      operationId: string
    }
    const { body } = await service.http<{ paths: Record<string, Record<string, Operation>> }>(
      'GET',
      '/openapi.json',
    )
    const operations = Object.values(body.paths).flatMap(item => Object.values(item))
    // On a public operation a key is optional.
    const byKey = operations.filter(
      ({ security = [] }) =>
        security.some(each => 'accountKey' in each) && !security.some(each => !Object.keys(each).length),
    )
    assert.ok(byKey.length > 20)
    assert.deepEqual(
      byKey.filter(each => !each['x-required-scope']).map(each => each.operationId),
      [],
    )
  })

  test('rejects a key of another agent with 401 on rotation and revocation', async () => {
    const other = await publishAgent(service, owner)
    for (const verb of ['rotate-key', 'revoke-key']) {
      const { status } = await withAgentKey('POST', `/agents/${agent.id}/${verb}`, other.apiKey)
      assert.equal(status, 401, verb)
    }
  })

  test('rejects rotation of an account key after a revocation with 409', async () => {
    const revoked = await publishAgent(service, owner)
    const manager = await keyWith('agent:write')
    const { body } = await call('POST', `/agents/${revoked.id}/revoke-key`, owner.token)
    const refused = await call('POST', `/agents/${revoked.id}/rotate-key`, manager)
    assert.deepEqual([refused.status, refused.body.code], [409, 'KEYS_REVOKED'])
    const named = await call('GET', `/api/v1/service-accounts/${body.revokedServiceAccountId}`, owner.token)
    assert.deepEqual([named.status, named.body.status, named.body.keyPrefix], [200, 'REVOKED', null])
    assert.equal((await call('POST', `/agents/${revoked.id}/keys`, owner.token)).status, 201)
    assert.equal((await call('POST', `/agents/${revoked.id}/rotate-key`, manager)).status, 200)
  })

  test('keeps at most ten rotated keys valid, whichever operation rotates', async () => {
    let key = await keyWith('agent:write')
    const agents = [agent, ...(await Promise.all([1, 2, 3, 4].map(() => publishAgent(service, owner))))]
    const answers = []
    // Three a minute and agent.
    for (let n = 0; n < 12; n++) {
      const { status, body } = await call('POST', `/agents/${agents[n % agents.length]?.id}/rotate-key`, key)
      answers.push(status)
      if (status === 200) key = body.newApiKey
    }
    assert.deepEqual(answers, [...Array<number>(10).fill(200), 409, 409])
  })

  test('rejects the publication of a suspended agent with 403', async () => {
    const suspended = await publishAgent(service, owner)
    const admin = await service.adminToken()
    assert.equal(
      (await call('POST', `/admin/agents/${suspended.id}/suspend`, admin, { reason: 'test' })).status,
      200,
    )
    for (const answer of [
      await call('POST', `/agents/${suspended.id}/publish`, owner.token),
      await call('PATCH', `/agents/${suspended.id}`, owner.token, { status: 'ACTIVE' }),
    ])
      assert.deepEqual([answer.status, answer.body.message], [403, 'Agent suspended'])
  })

  test('does not count rejected announcements', async () => {
    const newcomer = await registerHuman(service)
    const announce = (body: object) => call('POST', '/agents/announce', newcomer.token, body)
    for (let n = 0; n < 5; n++) assert.equal((await announce({ name: '' })).status, 400)
    for (let n = 0; n < 3; n++) assert.equal((await announce({ name: `Agent ${n}` })).status, 201)
    assert.equal((await announce({ name: 'Another' })).status, 429)
  })
})
