import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { linkTo, StreamClient, sharedService, type Answer, type Instance, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }
const WANTED = { ...SAME_ORIGIN, 'x-svc-session': 'cookie' }

interface SignedIn {
  user: { id: string }
  accessToken: string
  refreshToken: string
  expiresIn: number
}

/** A browser at the pages of the service: it keeps cookies and sends them to their paths. */
class Visitor {
  readonly cookies = new Map<string, { value: string; path: string; line: string }>()
  readonly service: Instance
  readonly email = `${randomBytes(6).toString('hex')}@example.com`

  constructor(service: Instance) {
    this.service = service
  }

  async send<Body = SignedIn>(
    method: string,
    path: string,
    { body, headers = WANTED }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Answer<Body>> {
    const sent = [...this.cookies].filter(([, cookie]) => path.startsWith(cookie.path))
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ')
    const answer = await this.service.http<Body>(method, path, {
      ...(body ? { body } : {}),
      headers: { ...headers, ...(cookie ? { cookie } : {}) },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const cookiePath = /; Path=([^;]+)/.exec(line)?.[1] ?? '/'
      if (value === '' || line.includes('Max-Age=0;')) this.cookies.delete(name)
      else this.cookies.set(name, { value, path: cookiePath, line })
    }
    return answer
  }

  register(headers: Record<string, string> = WANTED): Promise<Answer<SignedIn>> {
    const body = { email: this.email, displayName: 'Ada', password: PASSWORD }
    return this.send('POST', '/auth/register', { body, headers })
  }

  /** The status of an operation that requires a credential. */
  async me(headers: Record<string, string> = SAME_ORIGIN): Promise<number> {
    return (await this.send('GET', '/users/me', { headers })).status
  }

  session(): string[] {
    return [...this.cookies.keys()].filter(name => /svc_(access|refresh|signed_in)$/.test(name)).toSorted()
  }
}

suite('a session in cookies', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  async function signedIn(): Promise<Visitor> {
    const visitor = new Visitor(service)
    assert.equal((await visitor.register()).status, 201)
    return visitor
  }
  const ageUsedTokens = () =>
    service.services.db.pool.query(
      "update identity_refresh_token set used_at = used_at - interval '11 seconds' where used_at is not null",
    )

  test('each sign-in sets cookies that scripts cannot read, and keeps tokens out of the body', async () => {
    const visitor = new Visitor(service)
    const { email } = visitor
    const linkFor = async (request: string, path: 'verify' | 'login' | 'reset') => {
      await service.http('POST', request, { body: { email } })
      return linkTo(service, email, path)
    }
    const signIns: [string, () => Promise<object>][] = [
      ['/auth/register', async () => ({ email, displayName: 'Ada', password: PASSWORD })],
      ['/auth/login', async () => ({ email, password: PASSWORD })],
      [
        '/auth/verify-email',
        async () => ({ token: await linkTo(service, email, 'verify'), password: PASSWORD }),
      ],
      [
        '/auth/magic-link/consume',
        async () => ({ token: await linkFor('/auth/magic-link/request', 'login') }),
      ],
      [
        '/auth/reset-password',
        async () => ({ token: await linkFor('/auth/forgot-password', 'reset'), newPassword: PASSWORD }),
      ],
      ['/auth/refresh', async () => ({})],
    ]
    for (const [path, body] of signIns) {
      const { status, text, body: answer } = await visitor.send('POST', path, { body: await body() })
      assert.ok(status < 300, `${path}: ${text}`)
      assert.deepEqual([answer.accessToken, answer.refreshToken, answer.expiresIn], ['', '', 900], path)
      assert.deepEqual(visitor.session(), ['svc_access', 'svc_refresh', 'svc_signed_in'])
      assert.equal(await visitor.me(), 200, path)
      // Confirming an address gives tokens only to a caller who is signed in, and so does refreshing.
      if (path !== '/auth/login' && path !== '/auth/reset-password') visitor.cookies.clear()
    }
    await visitor.send('POST', '/auth/login', { body: { email, password: PASSWORD } })
    const lineOf = (name: string) => visitor.cookies.get(name)?.line ?? ''
    assert.match(lineOf('svc_access'), /Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.match(lineOf('svc_refresh'), /Max-Age=2592000; Path=\/auth; HttpOnly; SameSite=Lax$/)
    assert.match(lineOf('svc_signed_in'), /^svc_signed_in=1; Max-Age=2592000; Path=\/; SameSite=Lax$/)
  })

  test('without the header nothing changes, also for agents', async () => {
    const visitor = new Visitor(service)
    const { body } = await visitor.register({ ...SAME_ORIGIN, 'x-svc-session': 'token' })
    assert.ok(body.accessToken && body.refreshToken)
    const agent = await visitor.send('POST', '/auth/register-agent', {
      body: { username: `bot_${randomBytes(4).toString('hex')}` },
      headers: SAME_ORIGIN,
    })
    assert.ok(agent.body.accessToken)
    assert.deepEqual(visitor.session(), [])
  })

  test('the cookie counts as the access token: step-up, sessions and streams', async () => {
    const visitor = await signedIn()
    const step = await visitor.send('POST', '/auth/step-up', { body: { password: PASSWORD } })
    assert.ok(step.status < 300, step.text)
    const { body } = await visitor.send<{ items: { current: boolean }[] }>('GET', '/auth/sessions')
    assert.deepEqual(
      body.items.map(({ current }) => current),
      [true],
    )
    const agent = await visitor.send<{ id: string }>('POST', '/agents', {
      body: { name: 'Scribe', description: 'Writes', slug: `scribe-${randomBytes(4).toString('hex')}` },
    })
    assert.equal(agent.status, 201, agent.text)
    const cookie = `svc_access=${visitor.cookies.get('svc_access')?.value}`
    const stream = await StreamClient.open(`${service.baseUrl}/agents/${agent.body.id}/events`, {
      ...SAME_ORIGIN,
      cookie,
    })
    assert.equal(stream.status, 200)
    stream.close()
  })

  test('a credential in a header counts in place of the cookie', async () => {
    const visitor = await signedIn()
    assert.equal(await visitor.me({ ...SAME_ORIGIN, authorization: 'Bearer nonsense' }), 401)
    assert.equal(await visitor.me({ ...SAME_ORIGIN, 'x-api-key': 'sk_nonsense' }), 400)
    assert.equal(await visitor.me({ ...SAME_ORIGIN, authorization: '' }), 401)
  })

  test('the cookie is ignored in requests that may come from another site', async () => {
    const visitor = await signedIn()
    const own = service.baseUrl
    const write = async (headers: Record<string, string>) =>
      (await visitor.send('PATCH', '/users/me', { body: { displayName: 'Eve' }, headers })).status
    const cases: [headers: Record<string, string>, read: number, write: number][] = [
      [{ 'sec-fetch-site': 'same-origin' }, 200, 200],
      [{ 'sec-fetch-site': 'none' }, 200, 401],
      [{ 'sec-fetch-site': 'same-site' }, 401, 401],
      [{ 'sec-fetch-site': 'cross-site' }, 401, 401],
      // The metadata of the browser counts more than the origin.
      [{ 'sec-fetch-site': 'cross-site', origin: own }, 401, 401],
      [{ origin: own }, 200, 200],
      [{ origin: 'https://evil.example' }, 401, 401],
      [{ origin: own.replace('http:', 'https:') }, 401, 401],
      [{ origin: `${own}.evil.example` }, 401, 401],
      [{ origin: 'null' }, 401, 401],
      [{}, 200, 401],
    ]
    for (const [headers, read, written] of cases) {
      assert.equal(await visitor.me(headers), read, `GET ${JSON.stringify(headers)}`)
      assert.equal(await write(headers), written, `PATCH ${JSON.stringify(headers)}`)
    }
    const { text } = await visitor.send('GET', '/users/me', { headers: { 'sec-fetch-site': 'cross-site' } })
    assert.match(text, /The session cookie counts only in requests of pages of this service/)
  })

  test('another site cannot sign a visitor in, refresh or sign out', async () => {
    const visitor = await signedIn()
    const foreign = { 'sec-fetch-site': 'cross-site', 'x-svc-session': 'cookie' }
    const body = { email: visitor.email, password: PASSWORD }
    const answers = [
      await visitor.send('POST', '/auth/login', { body, headers: foreign }),
      await visitor.send('POST', '/auth/login', { body, headers: { 'x-svc-session': 'cookie' } }),
      await visitor.send('POST', '/auth/refresh', { headers: foreign }),
      await visitor.send('POST', '/auth/logout', { headers: foreign }),
      // Without the header, the body must bring the token.
      await visitor.send('POST', '/auth/logout', { headers: { 'sec-fetch-site': 'cross-site' } }),
    ]
    for (const { status, headers } of answers) {
      assert.equal(status, 400)
      assert.deepEqual(headers.getSetCookie(), [])
    }
    assert.equal(await visitor.me(), 200)
  })

  test('a refresh takes the token from its cookie and works once', async () => {
    const visitor = await signedIn()
    const before = visitor.cookies.get('svc_refresh')?.value
    const { status, body } = await visitor.send('POST', '/auth/refresh')
    assert.deepEqual([status, body.accessToken, body.refreshToken], [200, '', ''])
    assert.notEqual(visitor.cookies.get('svc_refresh')?.value, before)
    assert.equal(await visitor.me(), 200)
    // Where visitors see less than the owner, a page whose access token has expired must refresh.
    visitor.cookies.delete('svc_access')
    const needs = async (headers = {}) => (await visitor.send('GET', '/market/needs', headers)).status
    assert.deepEqual([await needs(), await needs({ headers: SAME_ORIGIN })], [401, 200])
  })

  test('of two tabs that refresh at once, the slower one keeps the cookies of the other', async () => {
    const visitor = await signedIn()
    const slower = new Visitor(service)
    for (const [name, cookie] of visitor.cookies) slower.cookies.set(name, cookie)
    assert.equal((await visitor.send('POST', '/auth/refresh')).status, 200)
    const { status, headers, text } = await slower.send('POST', '/auth/refresh')
    assert.deepEqual([status, headers.getSetCookie()], [401, []])
    assert.match(text, /REFRESH_TOKEN_USED/)
    assert.equal(await visitor.me(), 200)
    assert.equal((await visitor.send('POST', '/auth/refresh')).status, 200)
  })

  test('a stolen refresh cookie that is used later ends the session for both', async () => {
    const visitor = await signedIn()
    const thief = new Visitor(service)
    for (const [name, cookie] of visitor.cookies) thief.cookies.set(name, cookie)
    assert.equal((await visitor.send('POST', '/auth/refresh')).status, 200)
    await ageUsedTokens()
    assert.equal((await thief.send('POST', '/auth/refresh')).status, 401)
    assert.deepEqual(thief.session(), [])
    assert.equal(await visitor.me(), 401)
    assert.equal((await visitor.send('POST', '/auth/refresh')).status, 401)
    assert.deepEqual(visitor.session(), [])
  })

  test('logging out ends the session and removes its cookies', async () => {
    const visitor = await signedIn()
    const earlier = new Map(visitor.cookies)
    assert.equal((await visitor.send('POST', '/auth/logout', { body: {} })).status, 204)
    assert.deepEqual(visitor.session(), [])
    for (const [name, cookie] of earlier) visitor.cookies.set(name, cookie)
    assert.equal(await visitor.me(), 401)
    assert.equal((await visitor.send('POST', '/auth/refresh')).status, 401)
    assert.deepEqual(visitor.session(), [])
    assert.equal((await visitor.send('POST', '/auth/refresh')).status, 401)
    assert.equal((await visitor.send('POST', '/auth/logout')).status, 204)
  })

  test('origins that CORS allows get no use of the cookie', async t => {
    for (const allowed of ['*', 'https://shop.example']) {
      const open = await service.instance({ CORS_ORIGINS: allowed })
      t.after(() => open.close())
      const visitor = new Visitor(open)
      assert.equal((await visitor.register()).status, 201)
      const fromShop: Record<string, string>[] = [
        { origin: 'https://shop.example' },
        { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
      ]
      for (const headers of fromShop) {
        const answer = await visitor.send('GET', '/users/me', { headers })
        assert.equal(answer.headers.get('access-control-allow-origin'), 'https://shop.example')
        assert.equal(answer.status, 401)
        const signIn = { email: visitor.email, password: PASSWORD }
        const login = await visitor.send('POST', '/auth/login', {
          body: signIn,
          headers: { ...headers, 'x-svc-session': 'cookie' },
        })
        assert.equal(login.status, 400)
      }
    }
  })

  test('over https the cookies have the prefix __Host-, and others do not count', async t => {
    const secure = await service.instance({ PUBLIC_URL: 'https://svc.example' })
    t.after(() => secure.close())
    const headers = { origin: 'https://svc.example', 'x-svc-session': 'cookie' }
    const visitor = new Visitor(secure)
    assert.equal((await visitor.register(headers)).status, 201)
    const names = ['__Host-svc_access', '__Host-svc_refresh', '__Host-svc_signed_in']
    assert.deepEqual(visitor.session(), names)
    for (const name of names) assert.match(visitor.cookies.get(name)?.line ?? '', /; Path=\/; .*Secure/)
    assert.equal(await visitor.me({ origin: 'https://svc.example' }), 200)
    assert.equal(await visitor.me({ origin: 'http://svc.example' }), 401)
    assert.equal((await visitor.send('POST', '/auth/refresh', { headers })).status, 200)
    const cookie = `svc_access=${visitor.cookies.get('__Host-svc_access')?.value}`
    const { status } = await secure.http('GET', '/users/me', { headers: { ...SAME_ORIGIN, cookie } })
    assert.equal(status, 401)
  })
})
