import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { registerHuman, startTestService, type Person, type TestService } from '#test'

/** What docs/SECURITY.md says of every answer, on a service whose public address is https. */
suite('every answer to a browser', () => {
  let service: TestService
  let person: Person
  type Answer = Awaited<ReturnType<TestService['http']>> & { path: string }
  /** Of every readable path, with a credential and without. */
  const [known, anonymous]: [Answer[], Answer[]] = [[], []]
  before(async () => {
    service = await startTestService({ PUBLIC_URL: 'https://market.example' })
    person = await registerHuman(service)
    type Document = { paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }> }
    const { body } = await service.http<Document>('GET', '/openapi.json')
    // A stream does not end.
    const isStream = (operation: object) => JSON.stringify(operation).includes('text/event-stream')
    const documented = Object.entries(body.paths).flatMap(([path, { get }]) =>
      get && !path.includes('{') && !isStream(get) ? [path] : [],
    )
    const others = ['/', '/login', '/app', '/docs', '/favicon.ico', '/assets/pages.js', '/nothing']
    for (const path of [...documented, ...others]) {
      known.push({ path, ...(await service.http('GET', path, { token: person.token })) })
      anonymous.push({ path, ...(await service.http('GET', path)) })
    }
  })
  after(() => service.close())

  const directivesOf = (policy: string | null) =>
    new Map(
      (policy ?? '').split('; ').map(each => {
        const [name = '', ...values] = each.split(' ')
        return [name, values.join(' ')]
      }),
    )

  test('has a content policy, no sniffing, no referrer and HSTS with all subdomains', () => {
    assert.ok(known.length > 100, `${known.length} paths`)
    for (const { path, headers, status } of [...known, ...anonymous]) {
      const policy = directivesOf(headers.get('content-security-policy'))
      assert.deepEqual(
        [
          policy.get('default-src'),
          policy.get('object-src'),
          policy.get('base-uri'),
          policy.get('frame-ancestors'),
          headers.get('x-content-type-options'),
          headers.get('strict-transport-security'),
        ],
        ["'none'", "'none'", "'none'", "'none'", 'nosniff', 'max-age=31536000; includeSubDomains'],
        `${path} ${status}`,
      )
      assert.ok(!/unsafe-(inline|eval)/.test(policy.get('script-src') ?? ''), path)
      assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, path)
    }
  })

  test('that holds data of an account is not stored by browsers and caches', () => {
    const open = new Set(anonymous.flatMap(({ path, status }) => (status === 401 ? [] : [path])))
    for (const { path, headers } of known)
      if (!open.has(path)) assert.match(headers.get('cache-control') ?? '', /no-store/, path)
  })

  test('with a body names its type, and its charset where it is text', () => {
    for (const { path, headers, text } of known) {
      if (!text) continue
      const type = headers.get('content-type') ?? ''
      assert.match(type, /^[\w.+-]+\/[\w.+-]+/, path)
      if (type.startsWith('text/')) assert.match(type, /charset=utf-8/i, `${path}: ${type}`)
    }
  })

  test('TRACE and methods that no route has are refused', async () => {
    for (const method of ['TRACE', 'CONNECT', 'PROPFIND']) {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
      socket.end(
        `${method} /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-secret: canary\r\nconnection: close\r\n\r\n`,
      )
      let text = ''
      socket.on('data', (data: Buffer) => (text += data.toString()))
      await once(socket, 'close')
      assert.doesNotMatch(text, /^HTTP\/1.1 2|canary/, method)
    }
  })

  test('a prototype in a body or query changes nothing, and a parameter given twice is refused', async () => {
    const { token } = person
    for (const text of [
      '{"__proto__": {"role": "ADMIN"}, "displayName": "Ada"}',
      '{"constructor": {"prototype": {"role": "ADMIN"}}, "displayName": "Ada"}',
    ]) {
      const { status } = await service.http('PATCH', '/users/me', {
        token,
        body: text,
        headers: { 'content-type': 'application/json' },
      })
      assert.ok([200, 400].includes(status), `${text}: ${status}`)
      const { body } = await service.http<{ role: string }>('GET', '/users/me', { token })
      assert.deepEqual([body.role, Object.hasOwn(Object.prototype, 'role')], ['USER', false])
    }
    const polluted = await service.http('GET', '/agents?__proto__[limit]=1&constructor[prototype][limit]=1')
    assert.ok([200, 400].includes(polluted.status))
    for (const query of ['limit=1&limit=2', 'limit[]=1', 'offset=0&offset=5'])
      assert.equal((await service.http('GET', `/agents?${query}`)).status, query === 'limit[]=1' ? 200 : 400)
  })
})
