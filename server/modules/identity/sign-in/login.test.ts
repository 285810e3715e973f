import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { freePort, registerHuman, sharedService, statementsOf, type Person, type TestService } from '#test'

interface Session {
  user: { id: string; email: string; displayName: string; userType: string }
  accessToken: string
  refreshToken: string
  message: string
}

const PASSWORD = 'correct horse battery staple'

suite('signing in', () => {
  let service: TestService
  let person: Person
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const login = (email: string, password: string, cookie?: string) =>
    service.http<Session>('POST', '/auth/login', {
      body: { email, password },
      headers: cookie ? { cookie } : {},
    })
  const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const wrong = (email: string, cookie?: string) => login(email, randomBytes(8).toString('hex'), cookie)

  before(async () => {
    person = await registerHuman(service)
  })

  test('answers user and tokens, in any case of the email', async () => {
    const { status, body } = await login(person.email.toUpperCase(), PASSWORD)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.user.id, body.user.email, body.user.displayName, body.user.userType],
      [person.id, person.email, 'Test Person', 'HUMAN'],
    )
    assert.equal((await service.http('GET', '/users/me', { token: body.accessToken })).status, 200)
  })

  test('a wrong password and an unknown email are the same 401, byte for byte', async () => {
    const known = await wrong((await registerHuman(service)).email)
    const unknown = await wrong('nobody@example.com')
    assert.equal(known.status, 401)
    assert.equal(known.body.message, 'Invalid credentials')
    assert.equal(unknown.text, known.text)
    const volatile = new Set(['date', 'x-request-id'])
    const shown = (headers: Headers) => [...headers].filter(([name]) => !volatile.has(name))
    assert.deepEqual(shown(unknown.headers), shown(known.headers))
  })

  test('an account without a password, a malformed body and a wrong type are refused', async () => {
    const name = `u${randomBytes(5).toString('hex')}`
    await service.http('POST', '/agents/register', { body: { username: name, email: `${name}@example.com` } })
    assert.equal((await login(`${name}@example.com`, '')).status, 401)
    for (const body of [
      {},
      { email: person.email },
      { email: person.email, password: null },
      { email: ['x'], password: 'x' },
    ]) {
      assert.equal((await service.http('POST', '/auth/login', { body })).status, 400)
    }
  })

  test('checks 10 of 200 concurrent wrong passwords in any spelling; audits it once', async () => {
    const { email, id } = await registerHuman(service)
    const spellings = [email, email.toUpperCase(), email.replace('example', 'Example')]
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => wrong(spellings[i % 3] ?? email)))
    assert.equal(answers.filter(answer => answer.status === 401).length, 10)
    const refused = answers.filter(answer => answer.status === 429)
    assert.equal(refused.length, 190)
    const waits = refused.map(answer => Number(answer.headers.get('retry-after')))
    assert.ok(
      waits.every(wait => wait > 800 && wait <= 900),
      waits.join(),
    )
    assert.equal((await login(email, PASSWORD)).status, 429)
    const { rows } = await service.services.db.pool.query(
      "select 1 from platform_audit where action = 'login.locked' and target_id = $1",
      [id],
    )
    assert.equal(rows.length, 1)
  })

  test('an unknown email is locked the same way', async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, () => wrong('a-outsider@example.com')))
    assert.equal(answers.filter(answer => answer.status === 401).length, 10)
    assert.equal(answers.filter(answer => answer.status === 429).length, 5)
  })

  test('a device that signed in before has a limit apart from that of the address', async () => {
    const { email } = await registerHuman(service)
    const device = cookieOf((await login(email, PASSWORD)).headers)
    assert.match(device, /^svc_device=/)
    await Promise.all(Array.from({ length: 30 }, () => wrong(email)))
    assert.equal((await login(email, PASSWORD)).status, 429)
    assert.equal((await login(email, PASSWORD, device)).status, 200)
    const own = await Promise.all(Array.from({ length: 20 }, () => wrong(email, device)))
    assert.equal(own.filter(answer => answer.status === 401).length, 10)
  })

  test('a device of somebody else, or a forged one, gives no further tries', async () => {
    const victim = await registerHuman(service)
    const attacker = await registerHuman(service)
    const foreign = cookieOf((await login(attacker.email, PASSWORD)).headers)
    const forged = `svc_device=${foreign.slice('svc_device='.length).split('.')[0]}.${randomBytes(32).toString('base64url')}`
    const answers = []
    for (const cookie of [foreign, forged, 'svc_device=.', 'svc_device=x'])
      answers.push(...(await Promise.all(Array.from({ length: 5 }, () => wrong(victim.email, cookie)))))
    assert.equal(answers.filter(answer => answer.status === 401).length, 10)
  })

  test('a right password opens a new window, and many right ones at once all succeed', async () => {
    const { email } = await registerHuman(service)
    for (let attempt = 0; attempt < 9; attempt++) await wrong(email)
    assert.equal((await login(email, PASSWORD)).status, 200)
    assert.equal((await wrong(email)).status, 401)
    const many = await Promise.all(Array.from({ length: 20 }, () => login(email, PASSWORD)))
    assert.deepEqual(
      many.map(answer => answer.status),
      Array<number>(20).fill(200),
    )
  })

  test('the lock outlives a restart', async () => {
    const { email } = await registerHuman(service)
    await Promise.all(Array.from({ length: 12 }, () => wrong(email)))
    const { startService } = await import('#app')
    const port = await freePort()
    const second = await startService(
      { ...service.services.config, PORT: port },
      String(service.services.db.pool.options.connectionString),
    )
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
      })
      assert.equal(answer.status, 429)
    } finally {
      await second.stop()
    }
  })
})

suite('POST /auth/agent/login', () => {
  let service: TestService
  let agent: { user: { id: string; username: string }; agentApiKey: string }
  before(async () => {
    service = await sharedService()
    agent = (
      await service.http<typeof agent>('POST', '/auth/register-agent', {
        body: { username: 'ada_bot', walletType: 'managed' },
      })
    ).body
  })
  after(() => service.close())
  const login = (username: string, apiKey: string) =>
    service.http<Session>('POST', '/auth/agent/login', { body: { username, apiKey } })

  test('signs an agent in with its key', async () => {
    const { status, body } = await login('ADA_bot', agent.agentApiKey)
    assert.equal(status, 200)
    assert.equal(body.user.id, agent.user.id)
    const { body: keys } = await service.http<{ items: { lastUsedAt: string | null }[] }>(
      'GET',
      '/api/v1/service-accounts',
      { token: body.accessToken },
    )
    assert.ok(keys.items[0]?.lastUsedAt, 'the sign-in is a use of the key')
    assert.equal(
      (await service.http('POST', '/auth/refresh', { body: { refreshToken: body.refreshToken } })).status,
      200,
    )
  })

  test("an unknown name, another's key, a bad key and no key are refused", async () => {
    const other = (
      await service.http<typeof agent>('POST', '/auth/register-agent', { body: { username: 'other_bot' } })
    ).body
    const listed = await service.http<{ apiKey: string }>('POST', '/agents', {
      token: agent.agentApiKey,
      body: { name: 'Of ada_bot' },
    })
    assert.match(listed.body.apiKey, /^sa_/)
    for (const [name, key] of [
      ['nobody_here', agent.agentApiKey],
      ['ada_bot', other.agentApiKey],
      ['ada_bot', listed.body.apiKey],
      ['ada_bot', 'sk_nonsense'],
      ['ada_bot', `${agent.agentApiKey.slice(0, -1)}!`],
    ] as const) {
      const { status, body } = await login(name, key)
      assert.deepEqual([status, body.message], [401, 'Invalid credentials'])
    }
    assert.equal(
      (await service.http('POST', '/auth/agent/login', { body: { username: 'ada_bot' } })).status,
      400,
    )
    const mistyped = agent.agentApiKey.slice(0, -1) + (agent.agentApiKey.endsWith('a') ? 'b' : 'a')
    assert.deepEqual(await statementsOf(service, /identity_key/, () => login('ada_bot', mistyped)), [])
  })

  test('rejects a revoked, expired or rotated key and one of a suspended account', async () => {
    const { pool } = service.services.db
    const { body: own } = await service.http<typeof agent>('POST', '/auth/register-agent', {
      body: { username: 'short_lived' },
    })
    const keyAs = (assignments: string) =>
      pool.query(`update identity_key set ${assignments} where account_id = $1`, [own.user.id])
    const accountAs = (status: string) =>
      pool.query('update identity_account set status = $2 where id = $1', [own.user.id, status])
    const endsAt = (at: string) =>
      pool.query(`update identity_service_account set expires_at = ${at} where account_id = $1`, [
        own.user.id,
      ])
    const signIn = async () => (await login('short_lived', own.agentApiKey)).status
    const inPast = "now() - interval '1 second'"
    assert.equal(await signIn(), 200)
    await accountAs('SUSPENDED')
    assert.equal(await signIn(), 403)
    await accountAs('ACTIVE')
    await endsAt(inPast)
    assert.equal(await signIn(), 401)
    await endsAt('null')
    await keyAs(`status = 'GRACE', grace_until = ${inPast}`)
    assert.equal(await signIn(), 401)
    await keyAs("status = 'REVOKED', revoked_at = now()")
    assert.equal(await signIn(), 401)
  })

  test('a key that lacks a scope cannot become an access token, which has no limits', async () => {
    await service.services.db.pool.query(
      "update identity_service_account set scopes = '{agent:read}' where account_id = $1",
      [agent.user.id],
    )
    assert.equal((await login('ada_bot', agent.agentApiKey)).status, 403)
  })
})
