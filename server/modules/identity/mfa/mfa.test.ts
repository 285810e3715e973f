import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import { holdingLocks, mailTo, registerHuman, sharedService, type Person, type TestService } from '#test'

interface Asked {
  mfaRequired?: boolean
  mfaToken: string
  accessToken?: string
  user?: { id: string }
  message: string
}
interface Protected extends Person {
  secret: string
  backupCodes: string[]
}

const PASSWORD = 'correct horse battery staple'

suite('the second factor', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const code = (secret: string, stepsAhead = 0) =>
    generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * stepsAhead })
  const post = <Body = Asked>(path: string, token: string, body?: object) =>
    service.http<Body>('POST', path, { token, body })
  const setUp = (token: string) =>
    post<{ qrCodeDataUrl: string; manualEntryKey: string; message: string }>('/mfa/setup', token)
  const status = async ({ token }: Person) =>
    (await service.http<{ enabled: boolean; backupCodesRemaining: number }>('GET', '/mfa/status', { token }))
      .body
  const login = ({ email }: Person) =>
    service.http<Asked>('POST', '/auth/login', { body: { email, password: PASSWORD } })
  const asked = async (person: Person) => (await login(person)).body.mfaToken
  const second = (mfaToken: string, totpCode: string, more: object = {}) =>
    service.http<Asked>('POST', '/auth/login/mfa', { body: { mfaToken, totpCode, ...more } })

  async function protectedPerson(): Promise<Protected> {
    const person = await registerHuman(service)
    const { manualEntryKey: secret } = (await setUp(person.token)).body
    const { status, text, body } = await post<{ backupCodes: string[] }>('/mfa/enable', person.token, {
      token: code(secret),
    })
    assert.equal(status, 200, text)
    return { ...person, secret, backupCodes: body.backupCodes }
  }

  /** Starts calls while the person's rows are locked, so that all of them continue at the same point. */
  async function allAtOnce<Result>(
    table: string,
    { id }: Person,
    start: () => Promise<Result>[],
  ): Promise<Result[]> {
    return holdingLocks(service, async ({ query, waiters, commit }) => {
      await query(`select from ${table} where account_id = $1 for update`, [id])
      const calls = start()
      await waiters(calls.length)
      await commit()
      return Promise.all(calls)
    })
  }

  test('set-up returns QR code and key; a code enables MFA with ten backup codes', async () => {
    const person = await registerHuman(service)
    assert.deepEqual(await status(person), { enabled: false, backupCodesRemaining: 0 })
    const { status: answered, body } = await setUp(person.token)
    assert.equal(answered, 200)
    assert.match(body.qrCodeDataUrl, /^data:image\/png;base64,/)
    assert.match(body.manualEntryKey, /^[A-Z2-7]{32}$/)
    assert.deepEqual(await status(person), { enabled: false, backupCodesRemaining: 0 })
    const enabled = await post<{ backupCodes: string[] }>('/mfa/enable', person.token, {
      token: code(body.manualEntryKey),
    })
    assert.equal(enabled.status, 200)
    assert.equal(new Set(enabled.body.backupCodes).size, 10)
    assert.ok(enabled.body.backupCodes.every(each => /^\w{10}$/.test(each)))
    assert.deepEqual(await status(person), { enabled: true, backupCodesRemaining: 10 })
  })

  test('rejects enabling without set-up (400), a wrong code (400) and repeats (409)', async () => {
    const person = await registerHuman(service)
    const early = await post('/mfa/enable', person.token, { token: '123456' })
    assert.deepEqual([early.status, early.body.message.startsWith('MFA is not set up')], [400, true])
    const { manualEntryKey } = (await setUp(person.token)).body
    for (const wrong of [code(manualEntryKey, 3), '12345', 'abcdef', '1234567']) {
      const refused = await post('/mfa/enable', person.token, { token: wrong })
      assert.deepEqual([refused.status, refused.body.message], [400, 'Invalid code'])
    }
    assert.equal((await post('/mfa/enable', person.token, {})).status, 400)
    assert.equal((await post('/mfa/enable', person.token, { token: code(manualEntryKey) })).status, 200)
    assert.equal((await setUp(person.token)).status, 409)
    assert.equal((await post('/mfa/enable', person.token, { token: code(manualEntryKey) })).status, 409)
  })

  test('a sign-in requires a code; that of the set-up and adjacent ones are valid', async () => {
    const person = await protectedPerson()
    const { status: first, body } = await login(person)
    assert.deepEqual([first, body.mfaRequired, body.accessToken], [200, true, undefined])
    assert.equal((await service.http('GET', '/users/me', { token: body.mfaToken })).status, 401)
    const done = await second(body.mfaToken, code(person.secret, -1))
    assert.deepEqual([done.status, done.body.user?.id], [200, person.id])
    assert.equal((await service.http('GET', '/users/me', { token: done.body.accessToken })).status, 200)
    assert.equal((await second(await asked(person), code(person.secret, 1))).status, 200)
  })

  test('of 64 concurrent sign-ins with one code exactly one succeeds', async () => {
    const person = await protectedPerson()
    const tokens = await Promise.all(Array.from({ length: 64 }, () => asked(person)))
    const once = code(person.secret)
    const statuses = (await Promise.all(tokens.map(token => second(token, once)))).map(
      answer => answer.status,
    )
    assert.equal(statuses.filter(each => each === 200).length, 1)
    assert.ok(statuses.every(each => [200, 401, 429].includes(each)))
    await service.services.limits.reset(`mfa:${person.id}`)
    assert.equal((await second(await asked(person), once)).status, 401)
  })

  test('a code works once for each purpose: sign-in, step-up, disabling', async () => {
    const person = await protectedPerson()
    const one = code(person.secret)
    assert.equal((await second(await asked(person), one)).status, 200)
    assert.equal((await post('/auth/step-up', person.token, { totpCode: one })).status, 200)
    assert.equal((await post('/auth/step-up', person.token, { totpCode: one })).status, 401)
    assert.equal((await post('/mfa/disable', person.token, { token: one })).status, 200)
  })

  test('a backup code works once, with or without the flag, also 8 concurrently', async () => {
    const person = await protectedPerson()
    const [first = '', another = ''] = person.backupCodes
    const tokens = await Promise.all(Array.from({ length: 8 }, () => asked(person)))
    const answers = await allAtOnce('identity_backup_code', person, () =>
      tokens.map(token => second(token, first, { useBackupCode: true })),
    )
    assert.equal(answers.filter(answer => answer.status === 200).length, 1)
    assert.equal((await second(await asked(person), another.toLowerCase())).status, 200)
    assert.equal((await status(person)).backupCodesRemaining, 8)
    assert.equal((await second(await asked(person), first)).status, 401)
    assert.equal(
      (await second(await asked(person), code(person.secret), { useBackupCode: true })).status,
      401,
    )
  })

  test('a wrong code is a 401; after five tries of one token even the right one is', async () => {
    const person = await protectedPerson()
    const token = await asked(person)
    for (let i = 0; i < 5; i++) {
      const { status, body } = await second(token, code(person.secret, 5 + i))
      assert.deepEqual([status, body.message], [401, 'Invalid code'])
    }
    const late = await second(token, code(person.secret))
    assert.equal(late.status, 401)
    assert.match(late.body.message, /^Invalid or expired MFA token/)
    assert.equal((await second(await asked(person), code(person.secret))).status, 200)
  })

  test('checks five of twelve concurrent codes for one token, which lives five minutes', async () => {
    const person = await protectedPerson()
    const token = await asked(person)
    const answers = await Promise.all(Array.from({ length: 12 }, () => second(token, code(person.secret, 9))))
    assert.equal(answers.filter(answer => answer.body.message === 'Invalid code').length, 5)
    const refused = answers.filter(answer => answer.body.message.startsWith('Invalid or expired MFA token'))
    assert.deepEqual([refused.length, refused[0]?.status], [7, 401])
    assert.equal(
      (await second(await asked(person), code(person.secret))).status,
      200,
      'the account has five tries left',
    )
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      number
    >
    assert.equal(Number(claims.exp) - Number(claims.iat), 300)
  })

  test('an account that was suspended after the first step gets no session by the second', async () => {
    const person = await protectedPerson()
    const token = await asked(person)
    const { pool } = service.services.db
    await pool.query(`update identity_account set status = 'SUSPENDED' where id = $1`, [person.id])
    const { status, body } = await second(token, code(person.secret))
    assert.deepEqual([status, body.message.startsWith('Agent suspended')], [403, true])
    const begun = `select from identity_session where account_id = $1 and method = 'mfa'`
    assert.equal((await pool.query(begun, [person.id])).rowCount, 0)
  })

  test('checks at most ten of 40 concurrent codes for one account, with any tokens', async () => {
    const person = await protectedPerson()
    const tokens = await Promise.all(Array.from({ length: 40 }, () => asked(person)))
    const answers = await Promise.all(tokens.map(token => second(token, code(person.secret, 9))))
    assert.equal(answers.filter(answer => answer.status === 401).length, 10)
    const refused = answers.filter(answer => answer.status === 429)
    assert.equal(refused.length, 30)
    const waits = refused.map(answer => Number(answer.headers.get('retry-after')))
    assert.ok(
      waits.every(wait => wait > 800 && wait <= 900),
      waits.join(),
    )
    const right = code(person.secret)
    assert.equal((await second(await asked(person), right)).status, 429)
    // It was not looked at, so it is not used up.
    await service.services.limits.reset(`mfa:${person.id}`)
    assert.equal((await second(await asked(person), right)).status, 200)
  })

  test('rejects access tokens, broken tokens and tokens of an earlier password', async () => {
    const person = await protectedPerson()
    for (const bad of [person.token, 'x.y.z', 'nonsense'])
      assert.equal((await second(bad, code(person.secret))).status, 401)
    const token = await asked(person)
    await post('/auth/change-password', person.token, {
      currentPassword: PASSWORD,
      newPassword: 'another good password',
    })
    assert.equal((await second(token, code(person.secret))).status, 401)
    assert.equal((await service.http('POST', '/auth/login/mfa', { body: { mfaToken: token } })).status, 400)
  })

  test('disabling it requires a valid code and notifies the owner by mail', async () => {
    const person = await protectedPerson()
    const wrong = await post('/mfa/disable', person.token, { token: code(person.secret, 7) })
    assert.deepEqual([wrong.status, wrong.body.message], [400, 'Invalid code'])
    assert.equal((await post('/mfa/disable', person.token, { token: code(person.secret) })).status, 200)
    assert.deepEqual(await status(person), { enabled: false, backupCodesRemaining: 0 })
    assert.ok((await login(person)).body.accessToken)
    assert.equal((await post('/mfa/disable', person.token, { token: code(person.secret) })).status, 400)
    await mailTo(service, person.email, /turned off/)
  })

  test('a backup code disables it only after a step-up in the last five minutes', async () => {
    const person = await protectedPerson()
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes' where account_id = $1`,
      [person.id],
    )
    const [backup = ''] = person.backupCodes
    const stale = await post('/mfa/disable', person.token, { token: backup })
    assert.deepEqual([stale.status, stale.body.message.startsWith('Step-up required')], [403, true])
    assert.equal((await post('/auth/step-up', person.token, { totpCode: code(person.secret) })).status, 200)
    assert.equal((await post('/mfa/disable', person.token, { token: backup })).status, 200)
  })

  test('only another admin resets a lost second factor; the reset is audited', async () => {
    const person = await protectedPerson()
    const admin = await service.adminToken()
    assert.equal((await post(`/admin/users/${person.id}/reset-mfa`, person.token)).status, 403)
    assert.equal((await post('/admin/users/nobody/reset-mfa', admin)).status, 404)
    const { body: me } = await service.http<{ id: string }>('GET', '/users/me', { token: admin })
    assert.equal((await post(`/admin/users/${me.id}/reset-mfa`, admin)).status, 403)
    assert.equal((await post(`/admin/users/${person.id}/reset-mfa`, admin)).status, 200)
    assert.ok((await login(person)).body.accessToken)
    const { rows } = await service.services.db.pool.query(
      `select 1 from platform_audit where action = 'mfa.reset' and target_id = $1`,
      [person.id],
    )
    assert.equal(rows.length, 1)
  })

  test('the database contains neither secret nor codes in plain text', async () => {
    const person = await protectedPerson()
    const { rows } = await service.services.db.pool.query<{ secret: string; codes: string }>(
      `select secret, (select string_agg(encode(hash, 'escape'), ' ') from identity_backup_code) as codes
        from identity_mfa where account_id = $1`,
      [person.id],
    )
    assert.ok(!rows[0]?.secret.includes(person.secret))
    assert.ok(person.backupCodes.every(each => !rows[0]?.codes.includes(each)))
  })

  test('everything but the sign-in needs an access token', async () => {
    for (const [method, path] of [
      ['GET', '/mfa/status'],
      ['POST', '/mfa/setup'],
      ['POST', '/mfa/enable'],
      ['POST', '/mfa/disable'],
      ['POST', '/auth/step-up'],
    ] as const) {
      assert.equal(
        (await service.http(method, path, method === 'POST' ? { body: { token: '123456' } } : {})).status,
        401,
      )
    }
  })
})
