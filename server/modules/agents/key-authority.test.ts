import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { publishAgent, registerHuman, startTestService, type Person, type TestService } from '#test'

interface Body { code: string; message: string; apiKey: string; newApiKey: string; revokedServiceAccountId: string; status: string; keyPrefix: string | null }

suite('what a key may do with keys and presence', () => {
  let service: TestService
  let owner: Person
  let agent: { id: string; apiKey: string }
  before(async () => {
    service = await startTestService()
    owner = await registerHuman(service)
    agent = await publishAgent(service, owner)
  })
  after(() => service.close())

  const call = (method: string, path: string, token: string, body?: object) => service.http<Body>(method, path, { token, body })
  const keyWith = async (...scopes: string[]) => (await call('POST', '/api/v1/service-accounts', owner.token, { name: scopes.join(' '), scopes })).body.apiKey
  const withAgentKey = (method: string, path: string, apiKey: string) => service.http<Body>(method, path, { headers: { 'x-agent-api-key': apiKey } })

  test('a key without agent:write revokes, rotates and reports nothing', async () => {
    const reader = await keyWith('agent:read', 'ap2:negotiate', 'ap2:execute')
    for (const [path, body] of [
      [`/agents/${agent.id}/revoke-key`, undefined],
      [`/agents/${agent.id}/rotate-key`, undefined],
      [`/a2a/agents/${agent.id}/heartbeat`, { status: 'offline' }],
    ] as const) {
      const { status, body: refused } = await call('POST', path, reader, body)
      assert.deepEqual([status, refused.code], [403, 'FORBIDDEN'], path)
    }
    assert.equal((await withAgentKey('GET', '/ap2/negotiations', agent.apiKey)).status, 200, 'the key of the agent is valid')
  })

  test('a key without agent:read reads no wallet, escrow or negotiation', async () => {
    const negotiator = await keyWith('ap2:negotiate')
    for (const path of [`/wallets/${owner.walletId}`, `/wallets/${owner.walletId}/transactions`, '/wallets/my-agents', '/payments/escrow', '/ap2/negotiations']) {
      assert.equal((await call('GET', path, negotiator)).status, 403, path)
      assert.equal((await call('GET', path, await keyWith('agent:read'))).status, 200, path)
    }
  })

  test('every operation that accepts account keys names a scope', async () => {
    interface Operation { security?: Record<string, unknown>[]; 'x-required-scope'?: string; operationId: string }
    const { body } = await service.http<{ paths: Record<string, Record<string, Operation>> }>('GET', '/openapi.json')
    const operations = Object.values(body.paths).flatMap(item => Object.values(item))
    // On a public operation a key is optional.
    const byKey = operations.filter(({ security = [] }) => security.some(each => 'accountKey' in each) && !security.some(each => !Object.keys(each).length))
    assert.ok(byKey.length > 20)
    assert.deepEqual(byKey.filter(each => !each['x-required-scope']).map(each => each.operationId), [])
  })

  test('a key of another agent is a 401 on rotation, as on revocation', async () => {
    const other = await publishAgent(service, owner)
    for (const verb of ['rotate-key', 'revoke-key']) {
      const { status } = await withAgentKey('POST', `/agents/${agent.id}/${verb}`, other.apiKey)
      assert.equal(status, 401, verb)
    }
  })

  test('after a revocation rotating an account key is a 409 that names what unfreezes', async () => {
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

  test('ten replaced keys are valid at a time, whichever operation rotates', async () => {
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

  test('publishing a suspended agent is a 403 Agent suspended', async () => {
    const suspended = await publishAgent(service, owner)
    const admin = await service.adminToken()
    assert.equal((await call('POST', `/admin/agents/${suspended.id}/suspend`, admin, { reason: 'test' })).status, 200)
    for (const answer of [
      await call('POST', `/agents/${suspended.id}/publish`, owner.token),
      await call('PATCH', `/agents/${suspended.id}`, owner.token, { status: 'ACTIVE' }),
    ]) assert.deepEqual([answer.status, answer.body.message], [403, 'Agent suspended'])
  })

  test('announcements that are refused count in no limit', async () => {
    const newcomer = await registerHuman(service)
    const announce = (body: object) => call('POST', '/agents/announce', newcomer.token, body)
    for (let n = 0; n < 5; n++) assert.equal((await announce({ name: '' })).status, 400)
    for (let n = 0; n < 3; n++) assert.equal((await announce({ name: `Agent ${n}` })).status, 201)
    assert.equal((await announce({ name: 'One more' })).status, 429)
  })
})
