import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { registerHuman, startTestService, type Person, type TestService } from '#test'

interface ServiceAccount {
  id: string
  name: string
  scopes: string[]
  status: string
  apiKey: string
  message: string
  hint?: string
}

const BASE = '/api/v1/service-accounts'
const NAMED = { name: 'Nightly job' }

suite('the life of a service account', () => {
  let service: TestService
  let owner: Person
  before(async () => {
    service = await startTestService()
    owner = await registerHuman(service)
  })
  after(() => service.close())

  const call = (method: string, path: string, body?: object) =>
    service.http<ServiceAccount>(method, path, { token: owner.token, body })
  const create = async (body: object = NAMED) => (await call('POST', BASE, body)).body
  const works = async (token: string) =>
    (await service.http('GET', '/agents/my-agents', { token })).status === 200
  const audited = async (action: string, targetId: string) => {
    const text = `select details, ip from platform_audit a join platform_audit_private p on p.audit_id = a.id
      where action = $1 and target_id = $2`
    return (await service.services.db.pool.query<{ details: object; ip: string }>(text, [action, targetId]))
      .rows
  }

  test('begins without a body too: the name has a default', async () => {
    for (const [path, name] of [
      [BASE, 'Service account'],
      ['/api/v1/keys', 'API key'],
    ] as const) {
      for (const body of [undefined, {}]) {
        const made = await call('POST', path, body)
        assert.deepEqual([made.status, made.body.name], [201, name])
        assert.ok(await works(made.body.apiKey))
      }
      assert.equal((await call('POST', path, { name: '\u202Ex' })).status, 400)
    }
  })

  test('an expired one has no key to rotate, until its date is later', async () => {
    const { id } = await create()
    await call('POST', `${BASE}/${id}/expire`)
    const refused = await call('POST', `${BASE}/${id}/rotate`)
    assert.deepEqual(
      [refused.status, refused.body.message, refused.body.hint],
      [409, 'Cannot rotate while EXPIRED', 'Set a later expiresAt first'],
    )
    assert.equal((await call('PATCH', `${BASE}/${id}`, { expiresAt: null })).status, 200)
    const rotated = await call('POST', `${BASE}/${id}/rotate`)
    assert.equal(rotated.status, 201)
    assert.ok(await works(rotated.body.apiKey))
  })

  test('every rotated key works for 24 hours, at most ten of them at a time', async () => {
    const { id, apiKey } = await create()
    const answers = await Promise.all(Array.from({ length: 14 }, () => call('POST', `${BASE}/${id}/rotate`)))
    const made = answers.filter(answer => answer.status === 201).map(answer => answer.body.apiKey)
    const refused = answers.filter(answer => answer.status !== 201)
    assert.equal(made.length, 10)
    for (const { status, body } of refused)
      assert.deepEqual(
        [status, body.message.startsWith('Too many rotated keys are still in their 24-hour grace period')],
        [409, true],
      )
    for (const key of [apiKey, ...made]) assert.ok(await works(key))
    await service.advance(86_401)
    assert.ok(!(await works(apiKey)))
    assert.equal((await call('POST', `${BASE}/${id}/rotate`)).status, 201)
    assert.equal((await call('DELETE', `${BASE}/${id}`)).status, 200)
    for (const key of made) assert.ok(!(await works(key)))
  })

  const ENDINGS: Record<string, (id: string, token: string) => Promise<{ status: number }>> = {
    'its date': (id, token) => {
      const expiresAt = new Date(service.services.clock.now().getTime() + 60_000).toISOString()
      return service.http('PATCH', `${BASE}/${id}`, { token, body: { expiresAt } })
    },
    'its rotation': (id, token) => service.http('POST', `${BASE}/${id}/rotate`, { token }),
  }
  for (const [what, end] of Object.entries(ENDINGS))
    test(`a session that began with a key ends when the key does, by ${what}`, async () => {
      const username = `a${randomBytes(5).toString('hex')}`
      const { body: made } = await service.http<{ accessToken: string; agentApiKey: string }>(
        'POST',
        '/auth/register-agent',
        { body: { username } },
      )
      const token = made.accessToken
      const list = await service.http<{ items: ServiceAccount[] }>('GET', BASE, { token })
      const { body: session } = await service.http<{ accessToken: string; refreshToken: string }>(
        'POST',
        '/auth/agent/login',
        { body: { username, apiKey: made.agentApiKey } },
      )
      const me = async (of: string) => (await service.http('GET', '/users/me', { token: of })).status
      const refresh = (refreshToken: string) =>
        service.http<{ refreshToken: string }>('POST', '/auth/refresh', { body: { refreshToken } })
      assert.ok((await end(list.body.items[0]?.id ?? '', token)).status < 300)
      assert.equal(await me(session.accessToken), 200)
      const renewed = await refresh(session.refreshToken)
      assert.equal(renewed.status, 200)
      await service.advance(86_401)
      assert.equal(await me(session.accessToken), 401)
      assert.equal((await refresh(renewed.body.refreshToken)).status, 401)
      assert.equal(await me(token), 200)
    })

  test('the audit log records old and new scopes, and revoked sessions', async () => {
    const { id } = await create({ ...NAMED, scopes: ['agent:read'], expiresAt: '2040-01-01T00:00:00Z' })
    await call('PATCH', `${BASE}/${id}`, { scopes: ['agent:read', 'ap2:execute'], expiresAt: null })
    const [event] = await audited('key.changed', id)
    assert.deepEqual(event?.details, {
      from: { scopes: ['agent:read'], expiresAt: '2040-01-01T00:00:00.000Z', spendingLimit: null },
      to: { scopes: ['agent:read', 'ap2:execute'], expiresAt: null, spendingLimit: null },
    })
    assert.equal(event.ip, '127.0.0.1')
    await service.http('POST', '/auth/login', {
      body: { email: owner.email, password: 'correct horse battery staple' },
    })
    const list = await service.http<{ items: { id: string }[] }>('GET', '/auth/sessions', {
      token: owner.token,
    })
    const session = list.body.items[0]?.id ?? ''
    assert.equal((await call('DELETE', `/auth/sessions/${session}`)).status, 204)
    assert.equal((await audited('session.revoked', session)).length, 1)
  })
})
