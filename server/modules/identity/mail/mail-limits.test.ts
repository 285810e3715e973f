import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { linkTo, mailsSettled, mailsTo, registerHuman, sharedService, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'
const fresh = () => `${randomBytes(6).toString('hex')}@example.com`

suite('how many mails an address gets', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, body: object, token?: string) =>
    service.http<{ message: string; accessToken: string }>('POST', path, { body, token })
  const register = (email: string) =>
    post('/auth/register', { email, displayName: 'Ada', password: PASSWORD })
  const mailsOf = async (to: string, path: string) => {
    await mailsSettled(service)
    return (await mailsTo(service, to)).filter(mail => mail.text.includes(`/${path}/`))
  }
  const tokenIn = (text = '') => /\/(?:verify|reset|login)\/([\w-]+)/.exec(text)?.[1] ?? ''

  test('an address gets five confirmation mails an hour from all accounts', async () => {
    const victim = fresh()
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { token } = await registerHuman(service)
        return service.http('PATCH', '/users/me', { token, body: { email: victim } })
      }),
    )
    assert.deepEqual(
      answers.map(answer => answer.status),
      Array<number>(8).fill(200),
    )
    assert.equal((await mailsOf(victim, 'verify')).length, 5)
    const { status, body } = await register(victim)
    assert.equal(status, 201)
    assert.equal((await mailsOf(victim, 'verify')).length, 5)
    assert.equal((await post('/auth/resend-verification', { email: victim })).status, 200)
    const [latest, ...others] = await mailsOf(victim, 'verify')
    assert.equal(others.length, 5)
    const confirmed = await post('/auth/verify-email', { token: tokenIn(latest?.text) }, body.accessToken)
    assert.ok(confirmed.body.accessToken)
  })

  test('registering and deleting over and over gets it no more', async () => {
    const victim = fresh()
    for (let round = 0; round < 5; round++) {
      const { body } = await register(victim)
      await linkTo(service, victim, 'verify')
      assert.equal((await service.http('DELETE', '/users/me', { token: body.accessToken })).status, 204)
    }
    assert.equal((await register(victim.toUpperCase())).status, 201)
    assert.deepEqual(await mailsOf(victim, 'verify'), [])
  })

  for (const [kind, ask, use, path] of [
    ['reset', '/auth/forgot-password', '/auth/reset-password', 'reset'],
    ['magic', '/auth/magic-link/request', '/auth/magic-link/consume', 'login'],
  ] as const)
    test(`repeated requests for ${kind} links by others lock nobody out`, async () => {
      const { email, id } = await registerHuman(service)
      const answers = await Promise.all(Array.from({ length: 12 }, () => post(ask, { email })))
      assert.equal(new Set(answers.map(answer => answer.text)).size, 1)
      const mails = await mailsOf(email, path)
      assert.equal(mails.length, 3)
      // While another is refused, one that was sent still works.
      const { rows } = await service.services.db.pool.query<{ held: number; others: number }>(
        `select count(*) filter (where k.expires_at >= l.resets_at)::int as held, count(*)::int as others
          from identity_link k, platform_limit l
          where k.account_id = $1 and k.purpose = $2 and k.used_at is null and l.key like 'mail:' || $2 || ':%'
            and l.resets_at > now() and l.count > 3`,
        [id, kind],
      )
      assert.deepEqual(rows[0], { held: 3, others: 3 })
      const [newest, , oldest] = mails.map(mail => tokenIn(mail.text))
      const body = { newPassword: 'a wholly new password' }
      assert.equal((await post(use, { ...body, token: oldest })).status, 200)
      assert.equal((await post(use, { ...body, token: newest })).status, 400)
      // Who used one may ask again at once.
      await post(ask, { email })
      assert.equal((await mailsOf(email, path)).length, 4)
    })

  test('a repeated confirmation by somebody else ends no waiting link', async () => {
    const { email } = await registerHuman(service)
    const first = await linkTo(service, email, 'verify')
    for (let round = 0; round < 6; round++) await post('/auth/resend-verification', { email })
    const mails = await mailsOf(email, 'verify')
    assert.equal(mails.length, 4)
    assert.equal((await post('/auth/verify-email', { token: first })).status, 200)
    assert.equal((await post('/auth/verify-email', { token: tokenIn(mails[0]?.text) })).status, 400)
  })
})
