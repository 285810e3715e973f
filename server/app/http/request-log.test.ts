import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishAgent, registerHuman, startTestService } from '#test'

interface Line {
  msg: string
  req?: { method: string; url: string }
  status?: number
  code?: string
  ip?: string
  account?: string
  credential?: string
  key?: string
  requestId?: string
}

test('a request line names the principal, the address and the outcome, also of a refusal, and no secret', async () => {
  const service = await startTestService({ TRUSTED_PROXIES: 'loopback' })
  try {
    const [person, other, admin] = [
      await registerHuman(service),
      await registerHuman(service),
      await service.adminToken(),
    ]
    const agent = await publishAgent(service, person)
    const { apiKey, id: serviceAccount } = (
      await service.http<{ apiKey: string; id: string }>('POST', '/api/v1/service-accounts', {
        token: person.token,
        body: { name: 'Reader', scopes: ['agent:read'] },
      })
    ).body
    assert.ok(serviceAccount)
    const ask = async (
      method: string,
      path: string,
      options: { token?: string; body?: unknown } = {},
    ): Promise<Line> => {
      const { headers } = await service.http(method, path, {
        ...options,
        headers: { 'x-forwarded-for': '203.0.113.77' },
      })
      const lines = service.logged.map(line => JSON.parse(line) as Line)
      return (
        lines.find(({ msg, requestId }) => msg === 'request' && requestId === headers.get('x-request-id')) ??
        assert.fail(`no line for ${path}`)
      )
    }
    const seen = async (...call: Parameters<typeof ask>) => {
      const { status, code, ip, account, credential } = await ask(...call)
      assert.equal(ip, '203.0.113.77')
      return [status, code, account, credential]
    }
    assert.deepEqual(await seen('GET', '/users/me', { token: person.token }), [
      200,
      undefined,
      person.id,
      'jwt',
    ])
    assert.deepEqual(await seen('GET', '/admin/audit', { token: person.token }), [
      403,
      'FORBIDDEN',
      person.id,
      'jwt',
    ])
    assert.deepEqual(await seen('PATCH', `/agents/${agent.id}`, { token: apiKey, body: { name: 'New' } }), [
      403,
      'FORBIDDEN',
      person.id,
      'sk',
    ])
    assert.deepEqual(
      await seen('PATCH', `/agents/${agent.id}`, { token: other.token, body: { name: 'New' } }),
      [403, 'FORBIDDEN', other.id, 'jwt'],
    )
    assert.deepEqual(
      await seen('POST', '/auth/login', { body: { email: person.email, password: 'wrong password' } }),
      [401, 'INVALID_CREDENTIALS', undefined, undefined],
    )
    assert.deepEqual(await seen('GET', '/users/me'), [401, 'UNAUTHORIZED', undefined, undefined])
    assert.deepEqual(await seen('GET', '/no/such/path'), [404, 'ROUTE_NOT_FOUND', undefined, undefined])
    await service.http('POST', `/admin/users/${person.id}/suspend`, {
      token: admin,
      body: { reason: 'test' },
    })
    assert.deepEqual(await seen('GET', '/users/me', { token: person.token }), [
      403,
      'ACCOUNT_SUSPENDED',
      person.id,
      undefined,
    ])
    const token = 'abcdefghijklmnopqrstuvwxyz012345'
    assert.equal((await ask('GET', `/%72eset/${token}`)).req?.url, '/reset/***')
    assert.equal(
      (await ask('GET', `/agents/${apiKey}?x=${agent.apiKey}`)).req?.url,
      '/agents/sk_***?x=sa_***',
    )
    const all = service.logged.join('')
    for (const secret of [token, apiKey, agent.apiKey, person.token]) assert.ok(!all.includes(secret))
  } finally {
    await service.close()
  }
})
