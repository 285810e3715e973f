import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import { linkTo, mailTo, registerHuman, sharedService, startTestService, type TestService } from '#test'

interface Answer {
  user: { id: string; email: string; displayName: string; userType: string }
  accessToken: string
  refreshToken: string
  mfaRequired?: boolean
  message: string
  hint?: string
}

const SECRET = 'b'.repeat(40)

suite('session exchange', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ INTERNAL_SECRET: SECRET })
  })
  after(() => service.close())

  const exchange = (body: object | undefined, secret?: string) =>
    service.http<Answer>('POST', '/auth/session/exchange', {
      body,
      headers: secret === undefined ? {} : { 'x-internal-secret': secret },
    })
  const identity = (more: object = {}) => ({
    provider: 'github',
    subject: randomBytes(6).toString('hex'),
    ...more,
  })
  async function confirmedPerson() {
    const person = await registerHuman(service)
    const { email, token } = person
    await service.http('POST', '/auth/verify-email', {
      token,
      body: { token: await linkTo(service, email, 'verify') },
    })
    return person
  }

  test('makes an account with its wallet the first time, and finds it again', async () => {
    const email = `${randomBytes(5).toString('hex')}@example.com`
    const who = identity({ email, emailVerified: true, name: 'Grace' })
    const { status, body } = await exchange(who, SECRET)
    assert.equal(status, 201)
    assert.deepEqual([body.user.email, body.user.displayName, body.user.userType], [email, 'Grace', 'HUMAN'])
    assert.equal(
      (await service.http('GET', `/wallets/user/${body.user.id}`, { token: body.accessToken })).status,
      200,
    )
    assert.equal(
      (await service.http('POST', '/auth/refresh', { body: { refreshToken: body.refreshToken } })).status,
      200,
    )
    assert.equal((await exchange({ ...who, email: 'moved@example.com' }, SECRET)).body.user.id, body.user.id)
  })

  test('of 16 first exchanges of one identity at once all get the same account', async () => {
    const who = identity({ email: `${randomBytes(5).toString('hex')}@example.com`, emailVerified: true })
    const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(who, SECRET)))
    assert.ok(answers.every(answer => answer.status === 201))
    assert.equal(new Set(answers.map(answer => answer.body.user.id)).size, 1)
  })

  test('without the secret the response does not depend on the body', async () => {
    for (const body of [{ provider: 5 }, { role: 'ADMIN' }, [], '{', 'nonsense'.repeat(200_000)]) {
      const { status, body: answer } = await exchange(body as object)
      assert.deepEqual([status, answer.message.startsWith('Invalid internal secret')], [401, true])
    }
    assert.equal((await exchange({ provider: 5 }, SECRET)).status, 400)
  })

  test('without the secret, with another, or without an identity it is a 401', async () => {
    for (const secret of [undefined, '', 'wrong', `${SECRET}b`]) {
      const { status, body } = await exchange(identity(), secret)
      assert.deepEqual([status, body.message.startsWith('Invalid internal secret')], [401, true])
    }
    assert.equal((await exchange(undefined, 'wrong')).status, 401)
    for (const body of [undefined, {}, { provider: 'github' }, { provider: '', subject: '' }]) {
      const answer = await exchange(body, SECRET)
      assert.deepEqual([answer.status, answer.body.message.startsWith('Invalid identity')], [401, true])
    }
    assert.equal((await exchange(identity({ email: 'nobody' }), SECRET)).status, 400)
  })

  test('links an existing account only by an address that the provider verified', async () => {
    const confirmed = await confirmedPerson()
    assert.equal((await exchange(identity({ email: confirmed.email }), SECRET)).status, 401)
    assert.equal(
      (await exchange(identity({ email: confirmed.email, emailVerified: false }), SECRET)).status,
      401,
    )
    const linked = await exchange(
      identity({ email: confirmed.email.toUpperCase(), emailVerified: true }),
      SECRET,
    )
    assert.deepEqual([linked.status, linked.body.user.id], [201, confirmed.id])
    await mailTo(service, confirmed.email, /an identity provider, was added/)
    assert.equal((await service.http('GET', '/users/me', { token: confirmed.token })).status, 200)
  })

  test('an unconfirmed address goes to the person who proves it; all old credentials end', async () => {
    const { email, id, token, refreshToken } = await registerHuman(service)
    const { apiKey } = (
      await service.http<{ apiKey: string }>('POST', '/api/v1/keys', { token, body: { name: 'Spare key' } })
    ).body
    assert.equal((await exchange(identity({ email, emailVerified: false }), SECRET)).status, 401)
    assert.equal((await service.http('GET', '/users/me', { token })).status, 200)
    const { status, body } = await exchange(identity({ email, emailVerified: true }), SECRET)
    assert.deepEqual([status, body.user.id], [201, id])
    assert.equal((await service.http('GET', '/users/me', { token: body.accessToken })).status, 200)
    assert.equal((await service.http('GET', '/users/me', { token })).status, 401)
    assert.equal((await service.http('POST', '/auth/refresh', { body: { refreshToken } })).status, 401)
    assert.equal((await service.http('GET', '/agents/my-agents', { token: apiKey })).status, 401)
    const login = { email, password: 'correct horse battery staple' }
    assert.equal((await service.http('POST', '/auth/login', { body: login })).status, 401)
  })

  test('a second factor keeps an account whose address was never confirmed', async () => {
    const { email, token } = await registerHuman(service)
    const { manualEntryKey: secret } = (
      await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    ).body
    await service.http('POST', '/mfa/enable', { token, body: { token: generateSync({ secret }) } })
    const refused = await exchange(identity({ email, emailVerified: true }), SECRET)
    assert.deepEqual([refused.status, refused.body.hint?.includes('second factor')], [401, true])
    assert.equal((await service.http('GET', '/users/me', { token })).status, 200)
  })

  test('concurrent identities of one address become one account', async () => {
    for (let round = 0; round < 3; round++) {
      const email = `${randomBytes(5).toString('hex')}@example.com`
      const body = { email, displayName: 'Ada', password: 'correct horse battery staple' }
      const registered = service.http('POST', '/auth/register', { body })
      const who = Array.from({ length: 8 }, () => identity({ email, emailVerified: true }))
      const answers = await Promise.all(who.map(each => exchange(each, SECRET)))
      assert.deepEqual(
        answers.map(answer => answer.status),
        Array<number>(8).fill(201),
      )
      assert.equal(new Set(answers.map(answer => answer.body.user.id)).size, 1)
      assert.ok([201, 409].includes((await registered).status))
    }
  })

  test('an address that nobody proved is not taken: its owner can still register', async () => {
    const email = `${randomBytes(5).toString('hex')}@example.com`
    assert.equal((await exchange(identity({ email }), SECRET)).body.user.email, '')
    assert.equal(
      (
        await service.http('POST', '/auth/register', {
          body: { email, displayName: 'Ada', password: 'correct horse battery' },
        })
      ).status,
      201,
    )
  })

  test('a second factor is asked for, a suspended account refused', async () => {
    const who = identity()
    const {
      body: { user, accessToken: token },
    } = await exchange(who, SECRET)
    const {
      body: { manualEntryKey: secret },
    } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    await service.http('POST', '/mfa/enable', { token, body: { token: generateSync({ secret }) } })
    const asked = await exchange(who, SECRET)
    assert.deepEqual([asked.status, asked.body.mfaRequired, asked.body.accessToken], [201, true, undefined])
    await service.services.db.pool.query(`update identity_account set status = 'SUSPENDED' where id = $1`, [
      user.id,
    ])
    assert.equal((await exchange(who, SECRET)).status, 403)
  })
})

suite('session exchange that is not set up', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  test('refuses every secret, the empty one too', async () => {
    for (const secret of ['', 'undefined']) {
      const { status } = await service.http('POST', '/auth/session/exchange', {
        body: { provider: 'github', subject: '1' },
        headers: { 'x-internal-secret': secret },
      })
      assert.equal(status, 401)
    }
  })
})
