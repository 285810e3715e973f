import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { linkTo, registerHuman, sharedService, type Answer, type TestService } from '#test'

interface Body {
  accessToken: string
  refreshToken: string
  warnings?: string[]
  message: string
}

const PASSWORD = 'correct horse battery staple'

suite('every way of signing in', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    service.http<Body>('POST', path, { body, headers })
  const deviceOf = ({ headers }: Pick<Answer<Body>, 'headers'>) =>
    headers
      .getSetCookie()
      .find(each => each.startsWith('svc_device='))
      ?.split(';')[0] ?? ''
  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<{ at: Date; ip: string }>(text, values)

  test('makes the device known, so that nobody locks its owner out', async () => {
    const email = 'device@example.com'
    const registered = await post('/auth/register', { email, displayName: 'Ada', password: PASSWORD })
    await post('/auth/magic-link/request', { email })
    const linked = await post('/auth/magic-link/consume', { token: await linkTo(service, email, 'login') })
    await post('/auth/forgot-password', { email })
    const token = await linkTo(service, email, 'reset')
    const reset = await post('/auth/reset-password', { token, newPassword: PASSWORD })
    await Promise.all(Array.from({ length: 12 }, () => post('/auth/login', { email, password: 'wrong' })))
    assert.equal((await post('/auth/login', { email, password: PASSWORD })).status, 429)
    for (const answer of [registered, linked, reset]) {
      assert.ok(answer.status < 300, answer.text)
      const { status } = await post(
        '/auth/login',
        { email, password: PASSWORD },
        { cookie: deviceOf(answer) },
      )
      assert.equal(status, 200)
    }
  })

  test('a reset refuses a password derived from data of the account', async () => {
    const { email } = await registerHuman(service)
    await post('/auth/forgot-password', { email })
    const newPassword = `${email.split('@')[0]}1`
    const { status, body } = await post('/auth/reset-password', {
      token: await linkTo(service, email, 'reset'),
      newPassword,
    })
    assert.equal(status, 200)
    assert.match(body.warnings?.[0] ?? '', /^newPassword: it is too easy to guess/)
  })

  test('a session ends after 90 days although it is refreshed; it shows its last use', async () => {
    const { id, refreshToken, token } = await registerHuman(service)
    const age = (days: number) =>
      query(
        `update identity_session set created_at = now() - interval '${days} days' where account_id = $1`,
        [id],
      )
    assert.equal((await service.http('POST', '/api/v1/keys', { token })).status, 201)
    await age(80)
    const { status, body } = await post('/auth/refresh', { refreshToken }, { 'user-agent': 'train' })
    assert.equal(status, 200)
    const text = `select max(t.expires_at) as at from identity_refresh_token t join identity_session s on s.id = t.session_id
      where s.account_id = $1 and t.used_at is null`
    const left = (await query(text, [id])).rows[0]?.at.getTime() ?? 0
    assert.ok(Math.abs(left - Date.now() - 10 * 86_400_000) < 60_000)
    const list = async () =>
      (
        await service.http<{ items: { userAgent: string }[]; total: number }>('GET', '/auth/sessions', {
          token,
        })
      ).body
    assert.equal((await list()).items[0]?.userAgent, 'train')
    await query(
      `update identity_session s set key_id = k.id from identity_key k where k.account_id = s.account_id and s.account_id = $1`,
      [id],
    )
    const endKey = (at: string) =>
      query(`update identity_key set grace_until = $2 where account_id = $1`, [id, at])
    await endKey('2020-01-01')
    assert.equal((await list()).total, 0, 'it ended with its key')
    await endKey('2100-01-01')
    assert.equal((await list()).total, 1)
    await age(91)
    assert.equal((await list()).total, 0)
    const late = await post('/auth/refresh', { refreshToken: body.refreshToken })
    assert.deepEqual([late.status, late.body.message.startsWith('Invalid refresh token')], [401, true])
  })
})
