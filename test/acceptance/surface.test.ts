import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { registerHuman, sharedService, type Person, type TestService } from '#test'

/** What holds on every route: docs/API.md. */
suite('the HTTP surface', () => {
  let service: TestService
  let person: Person
  before(async () => {
    service = await sharedService()
    person = await registerHuman(service)
  })
  after(() => service.close())

  interface Envelope {
    statusCode: number
    message: string | string[]
    error: string
  }
  const refused = async (status: number, reason: string, ...call: Parameters<TestService['http']>) => {
    const answer = await service.http<Envelope>(...call)
    assert.equal(answer.status, status, answer.text)
    assert.deepEqual([answer.body.statusCode, answer.body.error], [status, reason])
    assert.ok(answer.headers.get('x-request-id'))
    return answer.body
  }
  const json = { 'content-type': 'application/json' }

  test('an unknown route is a 404 and a wrong method a 405 in the envelope', async () => {
    await refused(404, 'Not Found', 'GET', '/nothing/here')
    await refused(405, 'Method Not Allowed', 'DELETE', '/healthz')
  })

  test('bad JSON, another media type and an empty body are a 400 that says so', async () => {
    await refused(400, 'Bad Request', 'POST', '/auth/login', { body: '{"email":', headers: json })
    await refused(400, 'Bad Request', 'POST', '/auth/login', {
      body: 'a=b',
      headers: { 'content-type': 'text/plain' },
    })
    await refused(400, 'Bad Request', 'POST', '/auth/login', {
      body: '<a/>',
      headers: { 'content-type': 'application/xml' },
    })
    const { message } = await refused(400, 'Bad Request', 'POST', '/auth/login', { headers: json })
    assert.ok(Array.isArray(message) && message.some(line => line.includes('email')))
  })

  test('a body above 1 MiB is a 413', async () => {
    await refused(413, 'Payload Too Large', 'POST', '/auth/login', { body: { email: 'x'.repeat(1_100_000) } })
  })

  test('a body is never coerced, a query is', async () => {
    await refused(400, 'Bad Request', 'POST', '/auth/login', { body: { email: 5, password: 'longenough' } })
    await refused(400, 'Bad Request', 'POST', '/ap2/negotiate', {
      token: person.token,
      body: { requestedService: null, budget: 5, responderSlug: 'x' },
    })
    assert.equal((await service.http('GET', '/agents?limit=5&offset=&search=')).status, 200)
    await refused(400, 'Bad Request', 'GET', '/agents?limit=many')
  })

  test('text that no database can hold is a 400', async () => {
    await refused(400, 'Bad Request', 'POST', '/auth/login', {
      body: '{"email":"a\\u0000@example.com","password":"longenough"}',
      headers: json,
    })
    assert.ok([400, 404].includes((await service.http('GET', '/agents/slug/%00')).status))
    await refused(400, 'Bad Request', 'GET', '/agents/%zz')
  })

  test('rejects read-only fields of a record with 400', async () => {
    const { token } = person
    const made = async (path: string) =>
      (await service.http<{ id: string }>('POST', path, { token, body: { name: 'Read' } })).body.id
    const agent = `/agents/${await made('/agents')}`
    for (const [path, ...fields] of [
      [agent, 'walletId', 'walletAddress', 'x402WalletAddress'],
      [`${agent}/budget`, 'remaining', 'spentThisPeriod', 'resetsOn', 'currency'],
      [`/api/v1/service-accounts/${await made('/api/v1/keys')}`, 'agentId', 'organizationId', 'status'],
      [`/v1/auth/keys/${await made('/v1/auth/keys')}`, 'status', 'keyPrefix'],
    ] as const) {
      for (const field of fields)
        await refused(400, 'Bad Request', 'PATCH', path, { token, body: { [field]: 'REVOKED' } })
    }
  })

  test('unknown body fields are named in the answer, reserved ones refused, a foreign identity forbidden', async () => {
    const named = await service.http('POST', '/agents', {
      token: person.token,
      body: { name: 'Named', color: 'red' },
    })
    assert.equal(named.status, 201, named.text)
    assert.equal(named.headers.get('x-svc-ignored-fields'), 'color')
    for (const field of ['trustTier', 'trustScore', 'balance', 'claimedById', 'verificationStatus']) {
      await refused(400, 'Bad Request', 'POST', '/agents', {
        token: person.token,
        body: { name: 'Reserved', [field]: 'x' },
      })
    }
    await refused(403, 'Forbidden', 'POST', '/agents', {
      token: person.token,
      body: { name: 'Foreign', creatorId: 'someone-else' },
    })
    assert.equal(
      (
        await service.http('POST', '/agents', {
          token: person.token,
          body: { name: 'Own', creatorId: person.id },
        })
      ).status,
      201,
    )
  })

  test('no credential is a 401, a wrong kind a 400 Invalid auth type, a garbled one a 401', async () => {
    await refused(401, 'Unauthorized', 'GET', '/agents/my-agents')
    await refused(401, 'Unauthorized', 'GET', '/agents/my-agents', { token: 'not.a.token' })
    await refused(401, 'Unauthorized', 'GET', '/agents/my-agents', { token: 'sk_nonsense' })
    const { message } = await refused(400, 'Bad Request', 'GET', '/agents/my-agents', {
      token: 'rk_nonsense',
    })
    assert.match(String(message), /^Invalid auth type/)
  })

  test('an unknown id is a 404 whatever its form, also in a UUID column', async () => {
    for (const id of ['nonsense', '0198c0de-0000-7000-8000-000000000001', '%F0%9F%98%80']) {
      await refused(404, 'Not Found', 'GET', `/agents/${id}`)
      await refused(404, 'Not Found', 'GET', `/wallets/${id}`, { token: person.token })
    }
  })

  test('a request id is taken over when it is harmless', async () => {
    assert.equal(
      (await service.http('GET', '/healthz', { headers: { 'x-request-id': 'abc-123' } })).headers.get(
        'x-request-id',
      ),
      'abc-123',
    )
    assert.notEqual(
      (await service.http('GET', '/healthz', { headers: { 'x-request-id': 'a b' } })).headers.get(
        'x-request-id',
      ),
      'a b',
    )
  })

  test('health, readiness and metrics answer', async () => {
    assert.equal((await service.http('GET', '/healthz')).status, 200)
    assert.equal((await service.http<{ database: string }>('GET', '/readyz')).body.database, 'ok')
    const metrics = await service.http('GET', '/metrics')
    assert.match(
      metrics.text,
      /svc_http_request_seconds_count\{method="GET",route="\/healthz",status="200"\} [1-9]/,
    )
  })

  test('the description is served as JSON and YAML, and the reference page from this server alone', async () => {
    interface Document {
      openapi: string
      paths: Record<
        string,
        Record<
          string,
          {
            operationId?: string
            security?: unknown
            responses: Record<string, unknown>
            requestBody?: { content: Record<string, { example?: unknown }> }
          }
        >
      >
    }
    const { body } = await service.http<Document>('GET', '/openapi.json')
    assert.equal(body.openapi, '3.1.0')
    const operations = Object.values(body.paths).flatMap(item => Object.values(item))
    const ids = operations.map(operation => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const operation of operations) {
      assert.ok(operation.operationId && operation.security, operation.operationId)
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        assert.notEqual(media.example, undefined, operation.operationId)
    }
    assert.match((await service.http('GET', '/openapi.yaml')).text, /^openapi: 3\.1\.0/)
    const page = await fetch(`${service.baseUrl}/docs`)
    assert.equal(page.status, 200)
    assert.doesNotMatch(await page.text(), /(src|href)="(https?:)?\/\//)
  })
})
