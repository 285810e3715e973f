import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { sharedService, startTestService, type TestService } from '#test'

interface Registered {
  user: { id: string; email: string; displayName: string; userType: string; role: string; createdAt: string }
  accessToken: string
  refreshToken: string
  warnings?: string[]
  svc_meta?: {
    referral: { code: string; source: string; clickId: string | null; boundAt: string; expiresAt: string }
  }
  message: string | string[]
  error: string
}

suite('POST /auth/register', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ ENABLE_AGENT_SIGNUP: 'true' })
  })
  after(() => service.close())

  const fresh = () => ({
    email: `${randomBytes(6).toString('hex')}@example.com`,
    displayName: 'Ada',
    password: 'correct horse battery',
  })
  const register = (body: object) => service.http<Registered>('POST', '/auth/register', { body })

  test('creates a HUMAN account with a wallet and signs it in', async () => {
    const input = fresh()
    const { status, body } = await register(input)
    assert.equal(status, 201)
    assert.deepEqual(
      [body.user.email, body.user.displayName, body.user.userType, body.user.role],
      [input.email, 'Ada', 'HUMAN', 'USER'],
    )
    assert.ok(Date.parse(body.user.createdAt) && body.refreshToken)
    assert.equal((await service.http('GET', '/users/me', { token: body.accessToken })).status, 200)
    const wallet = await service.http<{ currency: string; balance: string }>(
      'GET',
      `/wallets/user/${body.user.id}`,
      {
        token: body.accessToken,
      },
    )
    assert.deepEqual([wallet.status, wallet.body.currency, wallet.body.balance], [200, 'USD', '0.00'])
  })

  test('creates an AGENT account; ignores an unknown affiliate token', async () => {
    const { status, body } = await register({ ...fresh(), userType: 'AGENT', affiliateToken: 'nobody' })
    assert.deepEqual([status, body.user.userType], [201, 'AGENT'])
  })

  test('binds the account to the affiliate of its code for the agreed months', async () => {
    const affiliate = await service.http<{ referralCode: string; accessToken: string }>(
      'POST',
      '/auth/register-agent',
      {
        body: { username: 'bringer_of_all', walletType: 'managed' },
      },
    )
    const code = affiliate.body.referralCode
    const { status, body } = await register({ ...fresh(), affiliateToken: ` ${code.toLowerCase()} ` })
    assert.equal(status, 201)
    const { referral } = body.svc_meta ?? assert.fail('no svc_meta')
    assert.deepEqual([referral.code, referral.source, referral.clickId], [code, 'registration', null])
    const months = (Date.parse(referral.expiresAt) - Date.parse(referral.boundAt)) / (30.44 * 86_400_000)
    assert.equal(Math.round(months), 24)
    const rows = (query: string, id: string) => service.services.db.pool.query(query, [id])
    const bound = 'select 1 from affiliates_referral where account_id = $1'
    assert.equal((await rows(bound, body.user.id)).rowCount, 1)
    await service.http('DELETE', '/users/me', { token: affiliate.body.accessToken })
    assert.equal((await rows(bound, body.user.id)).rowCount, 1)
    assert.equal((await register({ ...fresh(), affiliateToken: code })).body.svc_meta, undefined)
    await service.http('DELETE', '/users/me', { token: body.accessToken })
    assert.equal((await rows(bound, body.user.id)).rowCount, 0)
  })

  test('rejects a registered email in any letter case with 409', async () => {
    const input = fresh()
    await register(input)
    const { status, body } = await register({ ...input, email: input.email.toUpperCase() })
    assert.equal(status, 409)
    assert.match(String(body.message), /^E-mail already registered/)
  })

  test('accepts exactly one of 16 parallel registrations of one email', async () => {
    const input = fresh()
    const statuses = (await Promise.all(Array.from({ length: 16 }, () => register(input))))
      .map(answer => answer.status)
      .sort((a, b) => a - b)
    assert.deepEqual(statuses, [201, ...Array<number>(15).fill(409)])
  })

  test('rejects invalid fields with a 400 that names them', async () => {
    for (const [change, word] of [
      [{ email: 'nobody' }, 'email'],
      [{ password: 'seven77' }, 'password'],
      [{ userType: 'ROBOT' }, 'userType'],
      [{ displayName: '  ' }, 'displayName'],
      [{ displayName: undefined }, 'displayName'],
    ] as const) {
      const { status, body } = await register({ ...fresh(), ...change })
      assert.equal(status, 400)
      assert.ok(
        Array.isArray(body.message) && body.message.some(line => line.includes(word)),
        JSON.stringify(body),
      )
    }
  })

  test('accepts passwords of 8 and of 200 characters', async () => {
    for (const password of ['eight888', 'x'.repeat(200), 'пароль-на-русском', '12 emoji 🔑🔑']) {
      const input = { ...fresh(), password }
      assert.equal((await register(input)).status, 201)
      assert.equal((await service.http('POST', '/auth/login', { body: input })).status, 200)
    }
  })

  test('accepts a common password with a warning in sandbox mode', async () => {
    const { status, body } = await register({ ...fresh(), password: 'password123' })
    assert.equal(status, 201)
    assert.match(body.warnings?.[0] ?? '', /common/)
  })

  test('rejects a role in the registration with 400', async () => {
    assert.equal((await register({ ...fresh(), role: 'ADMIN' })).status, 400)
  })

  test('logs and database contain no password, token or token hash in plain text', async () => {
    const input = { ...fresh(), password: 'canary-password-1f9c' }
    const { body } = await register(input)
    const { rows } = await service.services.db.pool.query<{ text: string }>(`
      select row_to_json(a)::text as text from identity_account a union all select row_to_json(s)::text from identity_session s
      union all select row_to_json(t)::text from identity_refresh_token t union all select row_to_json(p)::text from platform_audit_private p`)
    const dump = rows.map(row => row.text).join('\n')
    for (const secret of [input.password, body.accessToken, body.refreshToken])
      assert.ok(!dump.includes(secret))
  })
})

test('rejects AGENT accounts with 400 without ENABLE_AGENT_SIGNUP', async () => {
  const service = await sharedService()
  try {
    const body = { email: 'ada@example.com', displayName: 'Ada', password: 'correct horse battery' }
    const refused = await service.http<{ message: string }>('POST', '/auth/register', {
      body: { ...body, userType: 'AGENT' },
    })
    assert.deepEqual([refused.status, refused.body.message], [400, 'Agent sign-up disabled'])
    assert.equal((await service.http('POST', '/auth/register', { body })).status, 201)
  } finally {
    await service.close()
  }
})
