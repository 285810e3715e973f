import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { registerHuman, sharedService, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

interface Made {
  id: string
  accessToken: string
  agentApiKey: string
  apiKey: string
  newApiKey: string
  code: string
  user: { id: string }
}

/** What a key proves about its owner, and to which sessions. */
suite('a key as a proof', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, token: string | undefined, body: object = {}) =>
    service.http<Made>('POST', path, { token, body })
  const query = (text: string, values: unknown[]) => service.services.db.pool.query(text, values)
  /** As if the account and all that it has were so much older. */
  const age = async (accountId: string, minutes: number) => {
    const by = `interval '${minutes} minutes'`
    await query(
      `update identity_session set created_at = created_at - ${by}, proved_at = null, ended_at = ended_at - ${by} where account_id = $1`,
      [accountId],
    )
    await query(
      `update identity_key set proves_since = proves_since - ${by} where account_id = $1 and proves_since > '-infinity'`,
      [accountId],
    )
  }
  const agent = async () => {
    const username = `a${randomBytes(5).toString('hex')}`
    const { body } = await post('/auth/register-agent', undefined, { username })
    return { username, id: body.user.id, token: body.accessToken, key: body.agentApiKey }
  }
  const login = async (username: string, apiKey: string) =>
    (await post('/auth/agent/login', undefined, { username, apiKey })).body.accessToken
  const stepUp = async (token: string, apiKey: string) => {
    const { status, body } = await post('/auth/step-up', token, { apiKey })
    return [status, body.code]
  }
  const makesKey = async (token: string) => (await post('/api/v1/keys', token)).status

  test('proves the owner of younger sessions only, which cannot have created it', async () => {
    const { username, id, token, key } = await agent()
    const { body: made } = await post('/api/v1/keys', token)
    const { body: limited } = await post('/api/v1/keys', token, { spendingLimit: 5 })
    await age(id, 6)
    assert.deepEqual(await stepUp(token, made.apiKey), [403, 'STEP_UP_REQUIRED'])
    assert.equal(await makesKey(token), 403)
    // The session of the sign-in is younger than the key; the older one may have been stolen.
    const byNewKey = await login(username, made.apiKey)
    assert.equal(await makesKey(byNewKey), 403)
    assert.deepEqual(await stepUp(byNewKey, limited.apiKey), [401, 'INVALID_CREDENTIALS'])
    assert.equal(await makesKey(await login(username, key)), 201)
    assert.deepEqual((await stepUp(token, key))[0], 200)
    assert.equal(await makesKey(token), 201)
  })

  test('made by a session that ended counts a day later', async () => {
    const { username, id, token } = await agent()
    const { body: made } = await post('/api/v1/keys', token)
    const byNewKey = await login(username, made.apiKey)
    const { body: sessions } = await service.http<{ items: { id: string }[] }>('GET', '/auth/sessions', {
      token: byNewKey,
    })
    for (const { id: session } of sessions.items)
      await service.http('DELETE', `/auth/sessions/${session}`, { token: byNewKey })
    await age(id, 6)
    assert.equal(await makesKey(await login(username, made.apiKey)), 403)
    await query(
      `update identity_session set ended_at = now(), ended_reason = 'test' where account_id = $1 and ended_at is null`,
      [id],
    )
    await age(id, 24 * 60)
    assert.equal(await makesKey(await login(username, made.apiKey)), 201)
  })

  test('proves like the old key if its holder rotated it, not if a session did', async () => {
    const { username, id, token, key } = await agent()
    const { body: listed } = await post('/agents', token, { name: 'Of the account' })
    await age(id, 6)
    const rotated = await post(`/agents/${listed.id}/rotate-key`, key)
    assert.equal(rotated.status, 200, rotated.text)
    assert.deepEqual((await stepUp(token, rotated.body.newApiKey))[0], 200)
    const { body: all } = await service.http<{ items: { id: string }[] }>('GET', '/api/v1/service-accounts', {
      token,
    })
    const again = await post(`/api/v1/service-accounts/${all.items[0]?.id}/rotate`, token)
    assert.equal(again.status, 201, again.text)
    await age(id, 6)
    assert.deepEqual(await stepUp(token, again.body.apiKey), [403, 'STEP_UP_REQUIRED'])
    assert.equal(await makesKey(await login(username, again.body.apiKey)), 403)
  })

  test('does not sign an account with a second factor in freshly', async () => {
    const { username, id, key } = await agent()
    await query(
      `insert into identity_mfa (account_id, secret, backup_salt, created_at, enabled_at) values ($1, 'sealed', $2, now(), now())`,
      [id, randomBytes(16)],
    )
    assert.equal(await makesKey(await login(username, key)), 403)
  })

  test('more scopes, a later expiry or a higher limit need a proof; less does not', async () => {
    const { id, token } = await registerHuman(service)
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { body: key } = await post('/api/v1/service-accounts', token, {
      name: 'Narrow',
      scopes: ['agent:read', 'agent:write'],
      expiresAt,
      spendingLimit: 50,
    })
    await age(id, 6)
    const patch = async (body: object) =>
      (await service.http('PATCH', `/api/v1/service-accounts/${key.id}`, { token, body })).status
    assert.equal(await patch({ scopes: ['agent:read', 'ap2:execute'] }), 403)
    assert.equal(await patch({ expiresAt: null }), 403)
    assert.equal(await patch({ spendingLimit: null }), 403)
    assert.equal(await patch({ spendingLimit: 51 }), 403)
    assert.equal(await patch({ expiresAt: new Date(Date.now() + 7_200_000).toISOString() }), 403)
    assert.equal(
      await patch({
        name: 'Renamed',
        scopes: ['agent:read'],
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
        spendingLimit: 49,
      }),
      200,
    )
  })

  test('ends with a new password where the request says so; keys of one agent stay', async () => {
    const { token } = await registerHuman(service)
    const { body: listed } = await post('/agents', token, { name: 'Of the account' })
    const { body: whole } = await post('/api/v1/keys', token)
    const { body: bound } = await post('/api/v1/keys', token, { agentId: listed.id })
    const change = (more: object) =>
      post('/auth/change-password', token, { currentPassword: PASSWORD, newPassword: PASSWORD, ...more })
    const works = async (key: string) =>
      (await service.http('GET', '/agents/my-agents', { token: key })).status
    assert.equal((await change({})).status, 200)
    assert.equal(await works(whole.apiKey), 200)
    assert.equal((await change({ revokeApiKeys: true })).status, 200)
    assert.deepEqual([await works(whole.apiKey), await works(bound.apiKey)], [401, 200])
  })
})
