import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import { linkTo, registerHuman, sharedService, type TestService } from '#test'

interface Tokens {
  accessToken: string
  refreshToken: string
  requiresSignIn?: boolean
  message: string
}

suite('the tokens of verify-email', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, body: object, token?: string) =>
    service.http<Tokens>('POST', path, { body, token })
  const me = async (token: string) => (await service.http('GET', '/users/me', { token })).status
  async function confirmed() {
    const person = await registerHuman(service)
    const link = await linkTo(service, person.email, 'verify')
    return { person, fresh: (await post('/auth/verify-email', { token: link }, person.token)).body }
  }

  test('are no newer proof: with a second factor and an old sign-in they pass no step-up', async () => {
    const person = await registerHuman(service)
    const { token } = person
    const { manualEntryKey: secret } = (
      await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    ).body
    const { backupCodes } = (
      await service.http<{ backupCodes: string[] }>('POST', '/mfa/enable', {
        token,
        body: { token: generateSync({ secret }) },
      })
    ).body
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '20 minutes' where account_id = $1`,
      [person.id],
    )
    const link = await linkTo(service, person.email, 'verify')
    const { body: fresh } = await post('/auth/verify-email', { token: link }, token)
    assert.equal(await me(fresh.accessToken), 200)
    const { status, body } = await post('/mfa/disable', { token: backupCodes[0] }, fresh.accessToken)
    assert.deepEqual([status, body.message.startsWith('Step-up required')], [403, true])
  })

  test('belong to the session that they were asked for with: one sign-in, one end', async () => {
    const { person, fresh } = await confirmed()
    const { items } = (
      await service.http<{ items: { method: string }[] }>('GET', '/auth/sessions', { token: person.token })
    ).body
    assert.deepEqual(
      items.map(item => item.method),
      ['registration'],
    )
    assert.equal(await me(person.token), 200)
    const { status, body: next } = await post('/auth/refresh', { refreshToken: fresh.refreshToken })
    assert.equal(status, 200)
    assert.equal((await post('/auth/logout', { refreshToken: person.refreshToken })).status, 204)
    assert.deepEqual(
      [await me(person.token), await me(fresh.accessToken), await me(next.accessToken)],
      [401, 401, 401],
    )
    assert.equal((await post('/auth/refresh', { refreshToken: next.refreshToken })).status, 401)
  })

  test('are not given to a session that has ended, though the link confirms', async () => {
    const person = await registerHuman(service)
    const link = await linkTo(service, person.email, 'verify')
    await service.http('POST', '/auth/logout', { body: { refreshToken: person.refreshToken } })
    const { status, body } = await post('/auth/verify-email', { token: link }, person.token)
    assert.deepEqual([status, body.requiresSignIn, body.accessToken], [200, true, undefined])
  })
})
