import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import { holdingLocks, linkTo, mailTo, registerHuman, sharedService, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

suite('notifications to the owner of an account', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, body?: object, token?: string) => service.http('POST', path, { body, token })

  test('a new password, a second factor, a new key', async () => {
    const { email, token } = await registerHuman(service)
    const change = { currentPassword: PASSWORD, newPassword: 'a wholly new password' }
    assert.equal((await post('/auth/change-password', change, token)).status, 200)
    await mailTo(service, email, /password of your account was changed/)
    const { manualEntryKey: secret } = (
      await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    ).body
    assert.equal((await post('/mfa/enable', { token: generateSync({ secret }) }, token)).status, 200)
    await mailTo(service, email, /second factor was added/)
    const { status, text: made } = await post('/api/v1/keys', { name: 'Laptop' }, token)
    assert.equal(status, 201, made)
    await mailTo(service, email, /API key was made/)
  })

  test('a confirmation asks who registered, and shows no text of the registrant', async () => {
    const username = `a${randomBytes(5).toString('hex')}`
    const agentDisplayName = 'You won, open www.evil.example'
    const { accessToken: token } = (
      await service.http<{ accessToken: string }>('POST', '/auth/register-agent', {
        body: { username, agentDisplayName },
      })
    ).body
    const outsider = `${username}@example.com`
    await service.http('PATCH', '/users/me', { token, body: { email: outsider } })
    const { text, html } = await mailTo(service, outsider)
    assert.ok(text.includes(`The account ${username} at `) && text.includes('only if the account is yours'))
    assert.ok(!text.includes('evil') && !html.includes('evil'))
    const { email } = await registerHuman(service)
    await mailTo(service, email, /If it was you, please confirm the address/)
  })

  test('a change of password that began before a new one was set by mail changes nothing', async () => {
    const person = await registerHuman(service)
    const { email, token, id } = person
    await post('/auth/verify-email', { token: await linkTo(service, email, 'verify') })
    await holdingLocks(service, async ({ query, waiters, commit }) => {
      // A reset that is about to commit: it holds the account.
      await query('select from identity_account where id = $1 for no key update', [id])
      const late = post(
        '/auth/change-password',
        { currentPassword: PASSWORD, newPassword: 'the thief knows it' },
        token,
      )
      await waiters(1)
      await query(
        `update identity_session set ended_at = now(), ended_reason = 'password_reset' where account_id = $1`,
        [id],
      )
      await commit()
      assert.equal((await late).status, 401)
    })
    assert.equal((await post('/auth/login', { email, password: 'the thief knows it' })).status, 401)
  })

  test('a change of password while the account is being deleted is a 401', async () => {
    const { id, token } = await registerHuman(service)
    await holdingLocks(service, async ({ query, waiters, commit }) => {
      await query('select from identity_account where id = $1 for no key update', [id])
      const deletion = service.http('DELETE', '/users/me', { token })
      await waiters(1)
      const late = post(
        '/auth/change-password',
        { currentPassword: PASSWORD, newPassword: 'another good password' },
        token,
      )
      await waiters(2)
      await commit()
      assert.deepEqual([(await deletion).status, (await late).status], [204, 401])
    })
  })
})
