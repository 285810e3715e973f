import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { registerHuman, startTestService, type Person, type TestService } from '#test'

/** Hostile requests and browser headers: no request may stop others, no response may be cached or misinterpreted. */
suite('the surface under strange requests', () => {
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

  test('HEAD answers as GET without the body, another method names those that are', async () => {
    for (const path of ['/healthz', '/', '/openapi.json', '/agents']) {
      const { status, text } = await service.http('HEAD', path)
      assert.deepEqual([status, text], [200, ''], path)
    }
    assert.equal((await service.http('HEAD', '/users/me')).status, 401)
    const { status, headers, body } = await service.http<Envelope>('PUT', '/users/me', {
      token: person.token,
    })
    assert.deepEqual(
      [status, headers.get('allow'), body.error],
      [405, 'DELETE, GET, HEAD, PATCH', 'Method Not Allowed'],
    )
    assert.equal((await service.http('GET', `/agents/claim/${'x'.repeat(9)}`)).status, 405)
    assert.equal((await service.http('POST', '/nothing')).status, 404)
    const browser = await service.http('GET', '/nothing', {
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    })
    assert.deepEqual(
      [browser.status, browser.headers.get('content-type'), browser.text.includes('<h1>')],
      [404, 'text/html; charset=utf-8', true],
    )
  })

  test('a browser of a named origin may use every method of the document', async () => {
    const { body } = await service.http<{ paths: Record<string, Record<string, unknown>> }>(
      'GET',
      '/openapi.json',
    )
    const methods = new Set(
      Object.values(body.paths)
        .flatMap(item => Object.keys(item))
        .map(method => method.toUpperCase()),
    )
    const { headers } = await service.http('OPTIONS', '/users/me', {
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'PATCH' },
    })
    const allowed = headers.get('access-control-allow-methods')?.split(/, */)
    for (const method of methods) assert.ok(allowed?.includes(method), method)
  })

  test('responses are not cached or sniffed by default; a 401 names the scheme', async () => {
    const answers = [
      await service.http('POST', '/auth/login', {
        body: { email: person.email, password: 'correct horse battery staple' },
      }),
      await keys({ name: 'Headers' }),
      await service.http('GET', '/users/me', { token: person.token }),
      await service.http('GET', '/nothing'),
    ]
    for (const { headers } of answers)
      assert.deepEqual(
        [headers.get('cache-control'), headers.get('x-content-type-options')],
        ['no-store', 'nosniff'],
      )
    for (const { headers } of answers) {
      assert.deepEqual(
        [headers.get('content-security-policy'), headers.get('referrer-policy')],
        [
          "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          'no-referrer',
        ],
      )
    }
    assert.equal((await service.http('GET', '/docs/')).headers.get('referrer-policy'), 'no-referrer')
    const refused = await service.http<Envelope>('GET', '/users/me', { token: 'not.a.token' })
    assert.deepEqual(
      [refused.status, refused.headers.get('www-authenticate'), refused.body.code],
      [401, 'Bearer', 'TOKEN_INVALID'],
    )
    assert.equal(
      (await service.http('GET', '/assets/pages.css')).headers.get('cache-control'),
      'public, max-age=300',
    )
  })

  test('generates the document once; serves it compressed, and 304 for a known ETag', async () => {
    const plain = await service.http('GET', '/openapi.json', { headers: { 'accept-encoding': 'identity' } })
    const etag = plain.headers.get('etag') ?? ''
    assert.equal(
      (await service.http('GET', '/openapi.json', { headers: { 'if-none-match': etag } })).status,
      304,
    )
    const yaml = (await service.http('GET', '/openapi.yaml')).headers.get('etag') ?? ''
    assert.equal(
      (await service.http('GET', '/openapi.yaml', { headers: { 'if-none-match': yaml } })).status,
      304,
    )
    const raw = await exchange(
      `GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`,
    )
    const [head, body] = [
      raw.subarray(0, raw.indexOf('\r\n\r\n')).toString(),
      raw.subarray(raw.indexOf('\r\n\r\n') + 4),
    ]
    assert.match(head, /content-encoding: gzip/i)
    assert.equal(gunzipSync(body).toString(), plain.text)
    const copy = await service.http('GET', '/docs/json')
    assert.deepEqual([copy.status, copy.headers.get('location')], [301, '/openapi.json'])
  })

  test('the documentation loads nothing from elsewhere and works without TLS', async () => {
    const policy = (await service.http('GET', '/docs/')).headers.get('content-security-policy') ?? ''
    assert.match(policy, /script-src 'self'/)
    assert.match(policy, /base-uri 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /https:|upgrade-insecure-requests|unsafe/)
  })

  test('a body may be left out when all its fields may', async () => {
    const { body } = await service.http<{
      paths: Record<string, Record<string, { requestBody?: { required?: boolean } }>>
    }>('GET', '/openapi.json')
    const required = (method: string, path: string) => body.paths[path]?.[method]?.requestBody?.required
    assert.deepEqual(
      [required('delete', '/users/me'), required('patch', '/users/me'), required('post', '/auth/login')],
      [false, false, true],
    )
    for (const [path, item] of Object.entries(body.paths)) {
      for (const [method, { requestBody }] of Object.entries(item))
        if (requestBody) assert.equal(typeof requestBody.required, 'boolean', `${method} ${path}`)
    }
  })

  test('metrics are open in sandbox mode and require the token in production', async () => {
    assert.equal((await service.http('GET', '/metrics')).status, 200)
    const METRICS_TOKEN = 'a-token-of-prometheus-with-32-characters'
    const closed = await service.instance({ METRICS_TOKEN })
    assert.equal((await closed.http('GET', '/metrics')).status, 401)
    assert.equal((await closed.http('GET', '/metrics', { token: `${METRICS_TOKEN}2` })).status, 401)
    assert.equal((await closed.http('GET', '/metrics', { token: METRICS_TOKEN })).status, 200)
    await closed.close()
    const production = await service.instance({
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example',
      STRIPE_WEBHOOK_SECRET: 'whsec_5c0ffee55c0ffee55c0ffee55c0ffee5',
      SMTP_URL: 'smtp://127.0.0.1:9',
      VERIFIER_ALLOW_PRIVATE: '',
    })
    const { status, headers } = await production.http('GET', '/metrics')
    assert.deepEqual(
      [status, headers.get('strict-transport-security')],
      [401, 'max-age=31536000; includeSubDomains'],
    )
    await production.close()
  })

  test('what the HTTP parser refuses, and a request without one Host header, is the envelope with a request id', async () => {
    const host = 'Host: localhost\r\n'
    for (const [name, request, status, code] of [
      [
        'headers of 20 KiB',
        `GET / HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
        431,
        'HEADERS_TOO_LARGE',
      ],
      ['no HTTP', 'hello\r\n\r\n', 400, 'BAD_REQUEST'],
      ['a header without a name', `GET / HTTP/1.1\r\n${host}: x\r\n\r\n`, 400, 'BAD_REQUEST'],
      ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
      ['two Hosts', `GET /healthz HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
      [
        'another version',
        `GET /healthz HTTP/2.0\r\n${host}Connection: close\r\n\r\n`,
        505,
        'VERSION_NOT_SUPPORTED',
      ],
    ] as const) {
      const [head = '', json = ''] = (await exchange(request)).toString().split('\r\n\r\n')
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), name)
      assert.match(head, /\r\nx-request-id: [\w-]{36}/i, name)
      const body = JSON.parse(json) as Envelope & { statusCode: number }
      assert.deepEqual([body.statusCode, body.code, typeof body.hint], [status, code, 'string'], name)
    }
    assert.match((await exchange('GET /healthz HTTP/1.0\r\n\r\n')).toString(), /^HTTP\/1.1 200 /)
  })

  test('a mail address that is longer than any is a 400', async () => {
    assert.equal((await service.http('GET', `/sandbox/mail?to=${'x'.repeat(400)}`)).status, 400)
  })

  test('an IPv6 household is one address to a limit', async () => {
    const check = (ip: string) =>
      service.http('GET', '/auth/check-username?username=somebody', { headers: { 'x-forwarded-for': ip } })
    const statuses = await Promise.all(
      Array.from({ length: 22 }, async (_, host) => (await check(`2001:db8:1:2::${host}`)).status),
    )
    assert.deepEqual(
      [statuses.filter(status => status === 200).length, statuses.filter(status => status === 429).length],
      [20, 2],
    )
    assert.equal((await check('2001:db8:1:3::1')).status, 200)
    assert.equal((await check('::ffff:192.0.2.1')).status, 200)
  })

  /** Bytes there and back, as no client library would send them. */
  async function exchange(request: string): Promise<Buffer> {
    const { hostname, port } = new URL(service.baseUrl)
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write(request)
    await once(socket, 'close')
    return Buffer.concat(chunks)
  }
})
