import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { freePort, registerHuman, startTestService, statementsOf, type Person, type TestService } from '#test'

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
    service = await startTestService()
  })
  after(() => service.close())

  const login = (email: string, password: string, cookie?: string) =>
    service.http<Session>('POST', '/auth/login', { body: { email, password }, headers: cookie ? { cookie } : {} })
  const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const wrong = (email: string, cookie?: string) => login(email, randomBytes(8).toString('hex'), cookie)

  before(async () => {
    person = await registerHuman(service)
  })

  test('answers user and tokens, in any case of the e-mail', async () => {
    const { status, body } = await login(person.email.toUpperCase(), PASSWORD)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.user.id, body.user.email, body.user.displayName, body.user.userType],
      [person.id, person.email, 'Test Person', 'HUMAN'],
    )
    assert.equal((await service.http('GET', '/users/me', { token: body.accessToken })).status, 200)
  })

  test('a wrong password and an unknown e-mail are the same 401, byte for byte', async () => {
    const known = await wrong((await registerHuman(service)).email)
    const unknown = await wrong('nobody@example.com')
    assert.equal(known.status, 401)
    assert.equal(known.body.message, 'Invalid credentials')
    assert.equal(unknown.text, known.text)
    const volatile = new Set(['date', 'x-request-id'])
    const shown = (headers: Headers) => [...headers].filter(([name]) => !volatile.has(name))
    assert.deepEqual(shown(unknown.headers), shown(known.headers))
  })

  test('both cost one hash and the same statements', async () => {
    const quickest = { known: Infinity, unknown: Infinity }
    for (let round = 0; round < 9; round++) {
      for (const [who, email] of [
        ['known', (await registerHuman(service)).email],
        ['unknown', `nobody-${round}@example.com`],
      ] as const) {
        const started = process.cpuUsage()
        await wrong(email)
        const { user, system } = process.cpuUsage(started)
        quickest[who] = Math.min(quickest[who], user + system)
      }
    }
    assert.ok(quickest.unknown > quickest.known / 2, JSON.stringify(quickest))
    const statements = (act: () => Promise<unknown>) => statementsOf(service, /identity_(?!approval)|platform_limit/, act)
    const { email } = await registerHuman(service)
    assert.deepEqual(await statements(() => wrong('someone-unknown@example.com')), await statements(() => wrong(email)))
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

  test('of 200 wrong passwords at once, however the address is spelt, exactly 10 are looked at, the rest wait; the audit log says so once', async () => {
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

  test('an unknown e-mail is locked the same way', async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, () => wrong('a-stranger@example.com')))
    assert.equal(answers.filter(answer => answer.status === 401).length, 10)
    assert.equal(answers.filter(answer => answer.status === 429).length, 5)
  })

  test('a device that signed in before is not locked out with the rest, and has tries of its own', async () => {
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

  test('a hash of older costs is replaced at the next sign-in', async () => {
    const { email, id } = await registerHuman(service)
    const salt = randomBytes(16)
    const hash = argon2Sync('argon2id', {
      message: PASSWORD,
      nonce: salt,
      parallelism: 1,
      tagLength: 32,
      memory: 8192,
      passes: 1,
    })
    const phc = `$argon2id$v=19$m=8192,t=1,p=1$${[salt, hash].map(bytes => bytes.toString('base64').replaceAll('=', '')).join('$')}`
    const { pool } = service.services.db
    await pool.query('update identity_account set password_hash = $1 where id = $2', [phc, id])
    assert.equal((await login(email, PASSWORD)).status, 200)
    const { rows } = await pool.query<{ password_hash: string }>(
      'select password_hash from identity_account where id = $1',
      [id],
    )
    assert.match(rows[0]?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal((await login(email, PASSWORD)).status, 200)
  })

  test('other routes answer while a storm of logins waits', async () => {
    const storm = Promise.all(Array.from({ length: 60 }, (_, index) => wrong(`storm-${index}@example.com`)))
    let over = false
    void storm.then(() => {
      over = true
    })
    for (let call = 0; call < 10; call++)
      assert.equal((await service.http('GET', '/users/me', { token: person.token })).status, 200)
    assert.equal(over, false)
    await storm
  })
})

suite('POST /auth/agent/login', () => {
  let service: TestService
  let agent: { user: { id: string; username: string }; agentApiKey: string }
  before(async () => {
    service = await startTestService()
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
    assert.equal((await service.http('POST', '/auth/agent/login', { body: { username: 'ada_bot' } })).status, 400)
    const mistyped = agent.agentApiKey.slice(0, -1) + (agent.agentApiKey.endsWith('a') ? 'b' : 'a')
    assert.deepEqual(await statementsOf(service, /identity_key/, () => login('ada_bot', mistyped)), [])
  })

  test('a key that is revoked, expired or past its grace, or whose account is suspended, signs nobody in', async () => {
    const { pool } = service.services.db
    const { body: own } = await service.http<typeof agent>('POST', '/auth/register-agent', {
      body: { username: 'short_lived' },
    })
    const keyAs = (assignments: string) =>
      pool.query(`update identity_key set ${assignments} where account_id = $1`, [own.user.id])
    const accountAs = (status: string) =>
      pool.query('update identity_account set status = $2 where id = $1', [own.user.id, status])
    const endsAt = (at: string) =>
      pool.query(`update identity_service_account set expires_at = ${at} where account_id = $1`, [own.user.id])
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
