import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { registerHuman, startTestService, type Person, type TestService } from '#test'

/** Hostile requests and browser headers: no request may stop others, no response may be cached or misinterpreted. */
suite('bodies that no honest client sends', () => {
  let service: TestService
  let person: Person
  before(async () => {
    service = await startTestService({ CORS_ORIGINS: 'https://app.example.com', TRUSTED_PROXIES: 'loopback' })
    person = await registerHuman(service)
  })
  after(() => service.close())

  interface Envelope {
    hint?: string
    message: string | string[]
    error: string
    code?: string
  }
  const keys = (body: unknown) =>
    service.http<Envelope>('POST', '/api/v1/service-accounts', { token: person.token, body })

  test('validation stops at the first error of an oversized body', async () => {
    const { status, body } = await keys({ name: 'x', scopes: Array.from({ length: 500_000 }, () => 1) })
    assert.deepEqual([status, body.message.length], [400, 1])
  })

  test('reports every validation error of a small body, one message each', async () => {
    const { body } = await keys({ name: ' ', scopes: ['none'], expiresAt: 'soon' })
    assert.deepEqual(
      new Set(body.message),
      new Set([
        'name must not be blank',
        'scopes.0 must be one of "agent:read", "agent:write", "ap2:negotiate", "ap2:execute"',
        'expiresAt must be a valid date-time or null',
      ]),
    )
    const { body: type } = await service.http<Envelope>('POST', '/auth/register', {
      body: { email: 'a@example.com', displayName: 'A', password: 'long enough', userType: 'ROBOT' },
    })
    assert.deepEqual(type.message, ['userType must be one of "HUMAN", "AGENT"'])
  })

  test('a date that the database cannot hold is a 400, wherever it stands', async () => {
    const cursor = Buffer.from(`+099999-01-01T00:00:00.000Z ${randomUUID()}`).toString('base64url')
    for (const query of ['from=0000-01-01T00:00:00Z', 'to=9999-12-31T23:59:59-23:59', `cursor=${cursor}`]) {
      const { status, text } = await service.http('GET', `/v1/usage?${query}`, { token: person.token })
      assert.equal(status, 400, `${query}: ${text}`)
    }
    for (const expiresAt of ['0000-06-01T00:00:00Z', '9999-12-31T23:59:59-23:59'])
      assert.deepEqual((await keys({ name: 'x', expiresAt })).body.message, [
        'expiresAt must be a valid date-time or null',
      ])
  })

  test('a leap second, a lone surrogate and 5,000 levels are a 400, an escaped backslash is none', async () => {
    assert.deepEqual((await keys({ name: 'x', expiresAt: '2030-12-31T23:59:60Z' })).body.message, [
      'expiresAt must be a valid date-time or null',
    ])
    const surrogate = await keys('{"name":"Surrogate","\\ud800":1}')
    assert.deepEqual([surrogate.status, surrogate.headers.get('x-svc-ignored-fields')], [201, '%EF%BF%BD'])
    const deep = await service.http<Envelope>('POST', '/agents', {
      token: person.token,
      body: `{"name":"Deep","inputSchema":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`,
    })
    assert.deepEqual(deep.body.message, ['the body must not be nested deeper than 64 levels'])
    const brackets = await service.http('POST', '/agents', {
      token: person.token,
      body: { name: `Brackets ${'['.repeat(80)}`, description: '\\"[[' },
    })
    assert.equal(brackets.status, 201, brackets.text)
    assert.equal((await keys({ name: 'an escaped \\u0000' })).status, 201)
    assert.equal((await keys('{"name":"a \\\\\\u0000"}')).status, 400)
  })

  test('a JSON null is not an empty body: 400, and nothing happens', async () => {
    for (const [method, path] of [
      ['DELETE', '/users/me'],
      ['PATCH', '/users/me'],
      ['POST', '/wallets'],
      ['POST', '/agents'],
      ['POST', '/auth/logout'],
    ] as const) {
      const { status, body } = await service.http<Envelope>(method, path, {
        token: person.token,
        body: 'null',
      })
      assert.deepEqual(
        [status, body.code, body.message],
        [400, 'VALIDATION_FAILED', ['the body must not be null']],
        path,
      )
    }
    assert.equal((await service.http('GET', '/users/me', { token: person.token })).status, 200)
  })

  test('each value has one sentence', async () => {
    const { body } = await service.http<Envelope>('POST', '/auth/register', {
      body: { email: 'none', displayName: '', password: 'x' },
    })
    assert.deepEqual(body.message, [
      'email must be a valid email',
      'displayName must not be empty',
      'password must have at least 8 characters',
    ])
    const wrongType = await service.http<Envelope>('POST', '/ap2/negotiate', {
      token: person.token,
      body: { responderSlug: 'x', requestedService: 'x', budget: {} },
    })
    assert.deepEqual(wrongType.body.message, ['budget must be number or string'])
  })
})
