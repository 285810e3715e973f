import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  publishAgent,
  registerHuman,
  startTestService,
  statementsOf,
  type Person,
  type TestService,
} from '#test'
import { makeKey } from './key.ts'
import { tokensOf } from './token.ts'

interface Agent {
  user: { id: string }
  accessToken: string
  agentApiKey: string
}
interface ServiceAccount {
  id: string
  apiKey: string
}
interface Refusal {
  statusCode: number
  code?: string
  message: string
  hint?: string
  error: string
}

const INVALID_TYPE = 'Invalid auth type'

/** What each kind of credential allows, over HTTP. */
suite('credentials', () => {
  let service: TestService
  let person: Person
  let agent: Agent
  let names = 0
  const registerAgent = async () =>
    (await service.http<Agent>('POST', '/auth/register-agent', { body: { username: `bot_${++names}_x` } }))
      .body
  before(async () => {
    service = await startTestService()
    person = await registerHuman(service)
    agent = await registerAgent()
  })
  after(() => service.close())

  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<Record<string, string | null>>(text, values)
  const myAgents = (options: Parameters<TestService['http']>[2]) =>
    service.http<Refusal>('GET', '/agents/my-agents', options)
  const createKey = async (body: object = {}) =>
    (
      await service.http<ServiceAccount>('POST', '/api/v1/service-accounts', {
        token: person.token,
        body: { name: 'Key', ...body },
      })
    ).body
  // What a credential is looked up in; timers ask other tables meanwhile.
  const countStatements = async (work: () => Promise<unknown>) =>
    (await statementsOf(service, /identity_(key|service_account|account|session)/, work)).length

  test('a key works as bearer and in its header', async () => {
    assert.equal((await myAgents({ token: agent.agentApiKey })).status, 200)
    assert.equal((await myAgents({ headers: { 'x-api-key': agent.agentApiKey } })).status, 200)
    assert.equal((await myAgents({ headers: { authorization: `bearer ${agent.agentApiKey}` } })).status, 200)
  })

  test('each header accepts its kinds of credentials and rejects others with 400', async () => {
    const { apiKey: agentKey, id } = await publishAgent(service, person)
    const inbox = async (headers: Record<string, string>) => {
      const { status, body } = await service.http<Refusal>('GET', `/agents/${id}/inbox`, { headers })
      return status === 400 ? body.message : status
    }
    const { apiKey } = await createKey()
    const rk = makeKey('rk').text
    assert.deepEqual(
      await Promise.all([
        inbox({ authorization: `Bearer ${person.token}` }),
        inbox({ authorization: `Bearer ${apiKey}` }),
        inbox({ authorization: `Bearer ${agentKey}` }),
        inbox({ 'x-api-key': person.token }),
        inbox({ 'x-api-key': apiKey }),
        inbox({ 'x-api-key': agentKey }),
        inbox({ 'x-agent-api-key': person.token }),
        inbox({ 'x-agent-api-key': apiKey }),
        inbox({ 'x-agent-api-key': agentKey }),
        inbox({ 'x-agent-api-key': rk }),
        inbox({ 'x-api-key': 'nonsense' }),
      ]),
      [200, 200, INVALID_TYPE, INVALID_TYPE, 200, INVALID_TYPE, INVALID_TYPE, 200, 200, INVALID_TYPE, 401],
    )
    // The good one of two counts; a public operation ignores one in the wrong header.
    assert.equal(await inbox({ authorization: `Bearer ${agentKey}`, 'x-agent-api-key': agentKey }), 200)
    assert.equal((await service.http('GET', '/agents', { token: agentKey })).status, 200)
  })

  test('of several credentials the one that the operation accepts counts', async () => {
    const headers = { 'x-api-key': agent.agentApiKey }
    assert.equal((await myAgents({ token: makeKey('rk').text, headers })).status, 200)
    assert.equal((await service.http('GET', '/users/me', { token: person.token, headers })).status, 200)
  })

  test('rejects a wrong kind of credential with 400 and names the accepted kinds', async () => {
    for (const [path, method, token] of [
      ['/agents/my-agents', 'GET', makeKey('rk').text],
      ['/users/me', 'GET', agent.agentApiKey],
      ['/auth/sessions', 'GET', 'sk_nonsense'],
      ['/api/v1/keys', 'POST', agent.agentApiKey],
    ] as const) {
      const { status, body } = await service.http<Refusal>(method, path, {
        token,
        body: method === 'POST' ? { name: 'x' } : undefined,
      })
      assert.equal(status, 400, path)
      assert.equal(body.message, 'Invalid auth type')
      assert.match(body.hint ?? '', /^This operation takes /)
    }
  })

  test('an unknown key is a 401 Invalid API key', async () => {
    const { status, body } = await myAgents({ token: makeKey('sk').text })
    assert.deepEqual([status, body.message, body.error], [401, 'Invalid API key', 'Unauthorized'])
  })

  test('keys with a wrong checksum never reach the database', async () => {
    const bad = Array.from({ length: 300 }, () => {
      const { text } = makeKey('sk')
      return text.slice(0, -1) + (text.endsWith('a') ? 'b' : 'a')
    })
    assert.equal(
      await countStatements(async () => {
        for (const answer of await Promise.all(bad.map(token => myAgents({ token }))))
          assert.equal(answer.status, 401)
      }),
      0,
    )
    assert.ok((await countStatements(() => myAgents({ token: makeKey('sk').text }))) > 0)
  })

  test('a key is limited to its scopes, an access token to none', async () => {
    const { apiKey } = await createKey({ scopes: ['agent:read'] })
    const create = (token: string) =>
      service.http<Refusal>('POST', '/agents', { token, body: { name: 'Scoped' } })
    const { status, body } = await create(apiKey)
    assert.equal(status, 403)
    assert.deepEqual([body.message, body.hint], ['Forbidden', 'The key lacks the scope agent:write'])
    assert.equal((await create(person.token)).status, 201)
    assert.equal((await create((await createKey({ scopes: ['agent:write'] })).apiKey)).status, 201)
  })

  test('a rotated key works for 24 hours, then its 401 names the new key', async () => {
    const { id, apiKey } = await createKey()
    const { status, body } = await service.http<ServiceAccount & { oldKeyExpiresAt: string }>(
      'POST',
      `/api/v1/service-accounts/${id}/rotate`,
      { token: person.token },
    )
    assert.equal(status, 201)
    assert.notEqual(body.apiKey, apiKey)
    assert.ok(
      Math.abs(Date.parse(body.oldKeyExpiresAt) - service.services.clock.now().getTime() - 86_400_000) <
        60_000,
    )
    assert.equal((await myAgents({ token: apiKey })).status, 200)
    assert.equal((await myAgents({ token: body.apiKey })).status, 200)
    await service.advance(86_400 - 60)
    assert.equal((await myAgents({ token: apiKey })).status, 200)
    await service.advance(120)
    const late = await myAgents({ token: apiKey })
    assert.equal(late.status, 401)
    assert.match(late.body.message, /use the new key/)
    assert.equal((await myAgents({ token: body.apiKey })).status, 200)
  })

  test('a revoked key is a 401 at once, in grace too, and its sessions end', async () => {
    const account = await registerAgent()
    const {
      items: [own],
    } = (
      await service.http<{ items: { id: string }[] }>('GET', '/api/v1/service-accounts', {
        token: account.accessToken,
      })
    ).body
    const username = (
      await service.http<{ username: string }>('GET', '/users/me', { token: account.accessToken })
    ).body.username
    const login = (
      await service.http<{ accessToken: string; refreshToken: string }>('POST', '/auth/agent/login', {
        body: { username, apiKey: account.agentApiKey },
      })
    ).body
    const rotated = (
      await service.http<ServiceAccount>('POST', `/api/v1/service-accounts/${own?.id}/rotate`, {
        token: account.accessToken,
      })
    ).body
    assert.equal(
      (await service.http('DELETE', `/api/v1/service-accounts/${own?.id}`, { token: account.accessToken }))
        .status,
      200,
    )
    for (const token of [account.agentApiKey, rotated.apiKey, login.accessToken])
      assert.equal((await myAgents({ token })).status, 401)
    assert.equal(
      (await service.http('POST', '/auth/refresh', { body: { refreshToken: login.refreshToken } })).status,
      401,
    )
    assert.equal((await myAgents({ token: account.accessToken })).status, 200)
  })

  test('says what to do about a token that has expired, and about a text that is no key', async () => {
    const { sub, sid } = JSON.parse(
      Buffer.from(person.token.split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<'sub' | 'sid', string>
    const token = (await tokensOf(service.services)).sign('access', { sub, sid }, -60)
    const expired = await myAgents({ token })
    assert.deepEqual([expired.status, expired.body.code], [401, 'TOKEN_EXPIRED'])
    assert.match(expired.body.hint ?? '', /refresh it with POST \/auth\/refresh, or sign in again/)
    const none = await service.http<{ hint: string }>('GET', '/agents/my-agents')
    assert.match(
      none.body.hint,
      /^Send a credential: an access token \(Authorization: Bearer\) or an sk_ key/,
    )
    assert.equal((await myAgents({ token: 'sk_YOUR_KEY' })).body.hint, 'The key is incomplete or mistyped')
  })

  test('rejects an expired key with 401 and a hint', async () => {
    const { apiKey } = await createKey({
      expiresAt: new Date(service.services.clock.now().getTime() + 3_600_000).toISOString(),
    })
    assert.equal((await myAgents({ token: apiKey })).status, 200)
    await service.advance(3601)
    const { status, body } = await myAgents({ token: apiKey })
    assert.equal(status, 401)
    assert.deepEqual([body.message, body.hint], ['Invalid API key', 'The key has expired'])
  })

  test('stores the last use of a key at most once a minute', async () => {
    const { id, apiKey } = await createKey()
    const lastUse = async () =>
      (await query('select last_used_at::text as at from identity_key where service_account_id = $1', [id]))
        .rows[0]?.at
    assert.equal(await lastUse(), null)
    await myAgents({ token: apiKey })
    for (const deadline = Date.now() + 30_000; !(await lastUse()) && Date.now() < deadline;) await sleep(10)
    const first = await lastUse()
    assert.ok(first)
    await sleep(1000)
    await myAgents({ token: apiKey })
    assert.equal(await lastUse(), first)
    await query(
      "update identity_key set last_used_at = last_used_at - interval '61 seconds' where service_account_id = $1",
      [id],
    )
    await sleep(1000)
    await myAgents({ token: apiKey })
    for (const deadline = Date.now() + 30_000; ((await lastUse()) ?? '') < first && Date.now() < deadline;)
      await sleep(10)
    assert.ok(((await lastUse()) ?? '') > first)
  })

  test('50 concurrent requests with one credential need at most 3 statements', async () => {
    const { apiKey } = await createKey()
    await myAgents({ token: apiKey })
    const count = await countStatements(() =>
      Promise.all(Array.from({ length: 50 }, () => myAgents({ token: apiKey }))),
    )
    assert.ok(count <= 3, `${count} statements`)
  })
})
