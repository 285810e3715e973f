import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { linkTo, mailsSettled, mailTo, mailsTo, registerHuman, sharedService, type TestService } from '#test'

interface Verified {
  ok: boolean
  requiresSignIn?: boolean
  user?: { id: string }
  accessToken?: string
  message: string
}

suite('confirming an email', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const verify = (token: string, bearer?: string) =>
    service.http<Verified>('POST', '/auth/verify-email', { body: { token }, token: bearer })
  const resend = (body?: object, token?: string) =>
    service.http<{ ok: boolean }>('POST', '/auth/resend-verification', { body, token })

  test('registering sends a link; without a sign-in it confirms and gives no session', async () => {
    const { email } = await registerHuman(service)
    const mail = await mailTo(service, email)
    assert.match(mail.subject, /Confirm/)
    assert.match(mail.html, /<a href="http:\/\/127\.0\.0\.1:\d+\/verify\/[\w-]{32}">/)
    const { status, body } = await verify(await linkTo(service, email, 'verify'))
    assert.equal(status, 200)
    assert.deepEqual(body, { ok: true, requiresSignIn: true } as Verified)
  })

  test('the signed-in registrant gets a fresh session, nobody else does', async () => {
    const [one, other] = [await registerHuman(service), await registerHuman(service)]
    const fresh = await verify(await linkTo(service, one.email, 'verify'), one.token)
    assert.deepEqual([fresh.status, fresh.body.ok, fresh.body.user?.id], [200, true, one.id])
    assert.equal((await service.http('GET', '/users/me', { token: fresh.body.accessToken })).status, 200)
    const foreign = await verify(await linkTo(service, other.email, 'verify'), one.token)
    assert.deepEqual(foreign.body, { ok: true, requiresSignIn: true } as Verified)
  })

  test('a key of the registrant, which may be a narrow one, gets no session', async () => {
    const { email, token } = await registerHuman(service)
    const { body } = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
      token,
      body: { name: 'Narrow', scopes: ['agent:read'] },
    })
    const { body: answer } = await verify(await linkTo(service, email, 'verify'), body.apiKey)
    assert.deepEqual(answer, { ok: true, requiresSignIn: true } as Verified)
  })

  test('a link works once, also when many use it at the same moment', async () => {
    const { email } = await registerHuman(service)
    const token = await linkTo(service, email, 'verify')
    const statuses = (await Promise.all(Array.from({ length: 16 }, () => verify(token)))).map(
      answer => answer.status,
    )
    assert.deepEqual(
      statuses.sort((a, b) => a - b),
      [200, ...Array<number>(15).fill(400)],
    )
  })

  test('an unknown token, one of another purpose, an expired one and none are a 400', async () => {
    const { email, id } = await registerHuman(service)
    const unknown = await verify('A'.repeat(32))
    assert.deepEqual([unknown.status, unknown.body.message], [400, 'Invalid or expired token'])
    const token = await linkTo(service, email, 'verify')
    assert.equal((await service.http('POST', '/auth/magic-link/consume', { body: { token } })).status, 400)
    await service.services.db.pool.query(
      `update identity_link set expires_at = now() - interval '1 second' where account_id = $1`,
      [id],
    )
    assert.equal((await verify(token)).status, 400)
    assert.equal((await service.http('POST', '/auth/verify-email', { body: {} })).status, 400)
  })

  test('resends by address or session until the address is confirmed', async () => {
    const { email, token } = await registerHuman(service)
    const first = await linkTo(service, email, 'verify')
    const again = async (work: () => ReturnType<typeof resend>) => {
      const before = (await mailsTo(service, email)).length
      assert.deepEqual((await work()).body, { ok: true } as never)
      while ((await mailsTo(service, email)).length === before)
        await new Promise(resolve => {
          setTimeout(resolve, 20)
        })
      return linkTo(service, email, 'verify')
    }
    await again(() => resend({ email: email.toUpperCase() }))
    const third = await again(() => resend(undefined, token))
    assert.equal((await verify(third)).status, 200)
    assert.equal((await verify(first)).status, 400)
    assert.equal((await resend({ email })).status, 200)
    await mailsSettled(service)
    assert.equal((await mailsTo(service, email)).length, 3)
  })

  test('responds the same for an unknown address and without an address', async () => {
    const { email } = await registerHuman(service)
    const [known, unknown] = [await resend({ email }), await resend({ email: 'nobody@example.com' })]
    assert.deepEqual([known.status, known.text], [unknown.status, unknown.text])
    assert.deepEqual([(await resend()).status, (await resend(undefined, 'stale')).text], [200, known.text])
    await mailsSettled(service)
    assert.deepEqual(await mailsTo(service, 'nobody@example.com'), [])
  })
})
