import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import {
  linkTo,
  mailsSettled,
  mailsTo,
  mailTo,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

interface Answer {
  ok?: boolean
  user?: { id: string }
  accessToken?: string
  mfaRequired?: boolean
  mfaToken?: string
  warnings?: string[]
  message: string | string[]
}

const PASSWORD = 'correct horse battery staple'

suite('signing in by mail', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, body: object, token?: string) =>
    service.http<Answer>('POST', path, { body, token })
  const requestReset = (email: string) => post('/auth/forgot-password', { email })
  const reset = (token: string, newPassword = 'another good password') =>
    post('/auth/reset-password', { token, newPassword })
  const magic = (email: string) => post('/auth/magic-link/request', { email })
  const consume = (token: string) => post('/auth/magic-link/consume', { token })
  const login = (email: string, password: string) => post('/auth/login', { email, password })

  async function withSecondFactor(): Promise<Person & { code: string }> {
    const person = await registerHuman(service)
    const { body } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', {
      token: person.token,
    })
    const code = generateSync({ secret: body.manualEntryKey })
    assert.equal((await post('/mfa/enable', { token: code }, person.token)).status, 200)
    return { ...person, code }
  }

  test('a password reset ends all sessions; only the new password signs in', async () => {
    const { email, token, refreshToken, id } = await registerHuman(service)
    assert.deepEqual((await requestReset(email)).body, { ok: true } as never)
    const { status, body } = await reset(await linkTo(service, email, 'reset'))
    assert.deepEqual([status, body.ok, body.user?.id], [200, true, id])
    assert.equal((await service.http('GET', '/users/me', { token })).status, 401)
    assert.equal((await post('/auth/refresh', { refreshToken })).status, 401)
    assert.equal((await service.http('GET', '/users/me', { token: body.accessToken })).status, 200)
    assert.equal((await login(email, PASSWORD)).status, 401)
    assert.equal((await login(email, 'another good password')).status, 200)
    await mailTo(service, email, /password of your account was changed/)
  })

  test('a reset link works once, also concurrently; a short password leaves it unused', async () => {
    const { email } = await registerHuman(service)
    await requestReset(email)
    const token = await linkTo(service, email, 'reset')
    assert.equal((await reset(token, 'short')).status, 400)
    const answers = await Promise.all(Array.from({ length: 8 }, () => reset(token, 'password123')))
    assert.deepEqual(
      answers.map(answer => answer.status).sort((a, b) => a - b),
      [200, ...Array<number>(7).fill(400)],
    )
    assert.match(answers.find(answer => answer.status === 200)?.body.warnings?.[0] ?? '', /common/)
    assert.equal(answers.find(answer => answer.status === 400)?.body.message, 'Invalid or expired token')
  })

  test('a magic link signs in once and confirms the address', async () => {
    const { email, id } = await registerHuman(service)
    assert.equal((await magic(email.toUpperCase())).status, 200)
    const token = await linkTo(service, email, 'login')
    const { status, body } = await consume(token)
    assert.deepEqual([status, body.user?.id], [200, id])
    assert.equal((await service.http('GET', '/users/me', { token: body.accessToken })).status, 200)
    const again = await consume(token)
    assert.deepEqual([again.status, again.body.message], [400, 'Invalid or expired token'])
    await mailsSettled(service)
    const sent = (await mailsTo(service, email)).length
    await post('/auth/resend-verification', { email })
    await mailsSettled(service)
    assert.equal((await mailsTo(service, email)).length, sent)
  })

  test('an agent that registered with an email signs in by magic link', async () => {
    const username = `a${randomBytes(5).toString('hex')}`
    const email = `${username}@example.com`
    assert.equal((await post('/agents/register', { username, email })).status, 200)
    await magic(email)
    assert.equal((await consume(await linkTo(service, email, 'login'))).status, 200)
  })

  test('links expire after ten minutes (confirmation: a day); using one ends others', async () => {
    const { email, id } = await registerHuman(service)
    await Promise.all([requestReset(email), magic(email)])
    const [first, resetToken] = [await linkTo(service, email, 'login'), await linkTo(service, email, 'reset')]
    const { rows } = await service.services.db.pool.query<{ purpose: string; minutes: number }>(
      `select purpose, extract(epoch from expires_at - created_at)::int / 60 as minutes
        from identity_link where account_id = $1`,
      [id],
    )
    assert.deepEqual(Object.fromEntries(rows.map(row => [row.purpose, row.minutes])), {
      verify: 1440,
      reset: 10,
      magic: 10,
    })
    await service.services.db.pool.query(
      `update identity_link set expires_at = now() - interval '1 second' where purpose = 'reset' and account_id = $1`,
      [id],
    )
    assert.equal((await reset(resetToken)).status, 400)
    await magic(email)
    await mailsSettled(service)
    const second = await linkTo(service, email, 'login')
    assert.notEqual(second, first)
    assert.equal((await consume(first)).status, 200)
    assert.equal((await consume(second)).status, 400)
  })

  test('links to an address that the account had before are no good', async () => {
    const { email, token } = await registerHuman(service)
    await Promise.all([requestReset(email), magic(email)])
    const [magicToken, resetToken] = [
      await linkTo(service, email, 'login'),
      await linkTo(service, email, 'reset'),
    ]
    const next = `next.${email}`
    await service.http('PATCH', '/users/me', { token, body: { email: next } })
    assert.equal(
      (await post('/auth/verify-email', { token: await linkTo(service, next, 'verify') })).status,
      200,
    )
    assert.deepEqual([(await consume(magicToken)).status, (await reset(resetToken)).status], [400, 400])
    assert.equal((await login(next, PASSWORD)).status, 200)
  })

  test('who has a second factor is asked for it after a reset and a magic link', async () => {
    const { email, code, token } = await withSecondFactor()
    await post('/auth/verify-email', { token: await linkTo(service, email, 'verify') }, token)
    await requestReset(email)
    const { body } = await reset(await linkTo(service, email, 'reset'))
    assert.deepEqual([body.ok, body.mfaRequired, body.accessToken], [true, true, undefined])
    assert.equal((await service.http('GET', '/users/me', { token })).status, 401)
    await magic(email)
    const asked = (await consume(await linkTo(service, email, 'login'))).body
    assert.deepEqual([asked.mfaRequired, asked.accessToken], [true, undefined])
    assert.equal((await post('/auth/login/mfa', { mfaToken: asked.mfaToken, totpCode: code })).status, 200)
  })

  test('a suspended account gets no mail and no session', async () => {
    const { email, id } = await registerHuman(service)
    await magic(email)
    const token = await linkTo(service, email, 'login')
    await service.services.db.pool.query(`update identity_account set status = 'SUSPENDED' where id = $1`, [
      id,
    ])
    assert.equal((await consume(token)).status, 403)
    const sent = (await mailsTo(service, email)).length
    await requestReset(email)
    await mailsSettled(service)
    assert.equal((await mailsTo(service, email)).length, sent)
  })

  test('unknown and known addresses get the same bytes, and only one of them mails', async () => {
    const { email } = await registerHuman(service)
    // The request only notes what was asked for; whether there is such an account is found out later.
    const noted = async () => {
      const text = `select count(*)::int as n from jobs.job where name = 'identity.mail-request'`
      return (await service.services.db.pool.query<{ n: number }>(text)).rows[0]?.n ?? 0
    }
    for (const path of ['/auth/forgot-password', '/auth/magic-link/request', '/auth/resend-verification']) {
      const before = await noted()
      const known = await post(path, { email })
      const between = await noted()
      const unknown = await post(path, { email: 'outsider@example.com' })
      assert.deepEqual([between - before, (await noted()) - between], [1, 1], path)
      assert.deepEqual(
        [unknown.status, unknown.text, unknown.headers.get('content-length')],
        [known.status, known.text, known.headers.get('content-length')],
      )
    }
    await mailsSettled(service)
    assert.deepEqual(await mailsTo(service, 'outsider@example.com'), [])
    const jobs = await service.services.db.pool.query<{ n: number }>(
      `select count(*)::int as n from jobs.job where name = 'identity.mail-request' and data::text like '%@%'`,
    )
    assert.equal(jobs.rows[0]?.n, 0)
  })

  test('a malformed address, no address and no token are a 400', async () => {
    for (const path of ['/auth/forgot-password', '/auth/magic-link/request']) {
      assert.equal((await post(path, {})).status, 400)
      assert.equal((await post(path, { email: 'nobody' })).status, 400)
    }
    assert.equal((await post('/auth/magic-link/consume', {})).status, 400)
    assert.equal((await post('/auth/reset-password', { token: 'x' })).status, 400)
    assert.equal((await reset('nonsense')).status, 400)
  })

  test('the database contains no link and no address of a mail in plain text', async () => {
    const { email } = await registerHuman(service)
    await requestReset(email)
    const token = await linkTo(service, email, 'reset')
    const { rows } = await service.services.db.pool.query<{ found: number }>(
      `with everything as (
          select m::text as row from platform_mail m union all select l::text from identity_link l
          union all select j::text from jobs.job j
        ) select count(*)::int as found from everything where row like any ($1)`,
      [[`%${token}%`, `%${email}%`]],
    )
    assert.equal(rows[0]?.found, 0)
  })
})
