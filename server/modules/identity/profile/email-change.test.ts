import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  freePort,
  linkTo,
  mailsSettled,
  mailsTo,
  mailTo,
  registerHuman,
  sharedService,
  startTestService,
  type Person,
  type TestService,
} from '#test'

const PASSWORD = 'correct horse battery staple'

suite('changing the email address', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, body: object, token?: string) =>
    service.http<{ message: string; mfaToken?: string }>('POST', path, { body, token })
  const verify = (token: string) => post('/auth/verify-email', { token })
  const elsewhere = () => `${randomBytes(6).toString('hex')}@elsewhere.example`
  const change = (token: string, email: string) =>
    service.http<{ message: string; pendingEmail?: string }>('PATCH', '/users/me', { token, body: { email } })
  const emailOf = async ({ id }: Person) =>
    (
      await service.services.db.pool.query<{ email: string }>(
        `select email from identity_account where id = $1`,
        [id],
      )
    ).rows[0]?.email
  /** Somebody with a token asks for another address; the link that went there. */
  async function pendingChange(person: Person): Promise<string> {
    const email = elsewhere()
    assert.equal((await change(person.token, email)).status, 200)
    return linkTo(service, email, 'verify')
  }
  async function assertDead(person: Person, link: string): Promise<void> {
    const { status, body } = await verify(link)
    assert.deepEqual([status, body.message], [400, 'Invalid or expired token'])
    assert.equal(await emailOf(person), person.email)
  }

  test('a new password ends a change that waits, in the same session too', async () => {
    const person = await registerHuman(service)
    const link = await pendingChange(person)
    const newPassword = 'a wholly new password'
    const body = { currentPassword: PASSWORD, newPassword }
    assert.equal((await post('/auth/change-password', body, person.token)).status, 200)
    await assertDead(person, link)
    assert.equal((await post('/auth/login', { email: person.email, password: newPassword })).status, 200)
  })

  test('a password reset by mail ends a pending change and all other links', async () => {
    const person = await registerHuman(service)
    const link = await pendingChange(person)
    await post('/auth/magic-link/request', { email: person.email })
    const magic = await linkTo(service, person.email, 'login')
    await post('/auth/forgot-password', { email: person.email })
    const token = await linkTo(service, person.email, 'reset')
    assert.equal(
      (await post('/auth/reset-password', { token, newPassword: 'a wholly new password' })).status,
      200,
    )
    await assertDead(person, link)
    assert.equal((await post('/auth/magic-link/consume', { token: magic })).status, 400)
  })

  test('an admin who suspends an account, or takes its second factor off, ends its links', async () => {
    const admin = await service.adminToken()
    const suspended = await registerHuman(service)
    const link = await pendingChange(suspended)
    assert.equal(
      (await post(`/admin/users/${suspended.id}/suspend`, { reason: 'stolen' }, admin)).status,
      200,
    )
    assert.equal((await post(`/admin/users/${suspended.id}/reinstate`, {}, admin)).status, 200)
    await assertDead(suspended, link)
    const other = await registerHuman(service)
    const link2 = await pendingChange(other)
    assert.equal(
      (await service.http('POST', `/admin/users/${other.id}/reset-mfa`, { token: admin })).status,
      200,
    )
    await assertDead(other, link2)
  })

  test('an operator who takes over ADMIN_EMAIL ends the links of its registrant', async () => {
    const plain = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
    try {
      const email = 'ops@example.com'
      const body = { email, displayName: 'Early', password: 'the squatter knows it' }
      const { accessToken: token } = (
        await plain.http<{ accessToken: string }>('POST', '/auth/register', { body })
      ).body
      const evil = elsewhere()
      await plain.http('PATCH', '/users/me', { token, body: { email: evil } })
      const link = await linkTo(plain, evil, 'verify')
      const { startService } = await import('#app')
      const { config, db } = plain.services
      const operated = { ...config, ADMIN_EMAIL: email, ADMIN_PASSWORD: PASSWORD, PORT: await freePort() }
      await (await startService(operated, String(db.pool.options.connectionString))).stop()
      assert.equal((await plain.http('POST', '/auth/verify-email', { body: { token: link } })).status, 400)
      assert.equal(
        (await plain.http('POST', '/auth/login', { body: { email, password: PASSWORD } })).status,
        200,
      )
    } finally {
      await plain.close()
    }
  })

  test('requires step-up for a new address, not for a new name', async () => {
    const person = await registerHuman(service)
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes' where account_id = $1`,
      [person.id],
    )
    const email = elsewhere()
    const refused = await change(person.token, email)
    assert.deepEqual([refused.status, refused.body.message.startsWith('Step-up required')], [403, true])
    const both = { displayName: 'Mallory', email }
    const { status } = await service.http('PATCH', '/users/me', { token: person.token, body: both })
    assert.equal(status, 403)
    await mailsSettled(service)
    assert.deepEqual(await mailsTo(service, email), [])
    const renamed = await service.http<{ displayName: string }>('PATCH', '/users/me', {
      token: person.token,
      body: { displayName: 'Ada', email: person.email },
    })
    assert.deepEqual([renamed.status, renamed.body.displayName], [200, 'Ada'])
    assert.equal((await post('/auth/step-up', { password: PASSWORD }, person.token)).status, 200)
    assert.equal((await change(person.token, email)).body.pendingEmail, email)
  })

  test('notifies the current address of the request and of the change, and audits both', async () => {
    const person = await registerHuman(service)
    const link = await pendingChange(person)
    await mailTo(service, person.email, /asked to change the email address/)
    assert.equal((await verify(link)).status, 200)
    await mailTo(service, person.email, /email address of your account was changed/)
    const { rows } = await service.services.db.pool.query<{ action: string }>(
      `select action from platform_audit where target_id = $1 and action like 'account.email%' order by at, id`,
      [person.id],
    )
    assert.deepEqual(
      rows.map(row => row.action),
      ['account.email_change_asked', 'account.email_changed'],
    )
  })

  test('the newest wish holds: asking for another address ends the one before', async () => {
    const person = await registerHuman(service)
    const first = await pendingChange(person)
    const second = await pendingChange(person)
    await assertDead(person, first)
    assert.equal((await verify(second)).status, 200)
  })

  test('a change that waits is named until the current address withdraws it', async () => {
    const person = await registerHuman(service)
    const email = elsewhere()
    await change(person.token, email)
    const link = await linkTo(service, email, 'verify')
    const rename = () =>
      service.http<{ pendingEmail?: string }>('PATCH', '/users/me', {
        token: person.token,
        body: { displayName: 'Ada' },
      })
    assert.equal((await rename()).body.pendingEmail, email)
    const read = () => service.http<{ pendingEmail?: string }>('GET', '/users/me', { token: person.token })
    assert.equal((await read()).body.pendingEmail, email)
    assert.equal((await change(person.token, person.email.toUpperCase())).body.pendingEmail, undefined)
    assert.equal((await rename()).body.pendingEmail, undefined)
    assert.equal((await read()).body.pendingEmail, undefined)
    await assertDead(person, link)
  })

  test('once the address is another, what went to the old one before opens nothing', async () => {
    const person = await registerHuman(service)
    await post('/auth/magic-link/request', { email: person.email })
    const magic = await linkTo(service, person.email, 'login')
    const first = await linkTo(service, person.email, 'verify')
    const link = await pendingChange(person)
    assert.equal((await verify(link)).status, 200)
    assert.equal((await post('/auth/magic-link/consume', { token: magic })).status, 400)
    assert.equal((await verify(first)).status, 400)
  })
})
