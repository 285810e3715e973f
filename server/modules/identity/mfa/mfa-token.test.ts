import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import { registerHuman, sharedService, type Person, type TestService } from '#test'

interface Asked {
  mfaToken: string
  accessToken?: string
  message: string
}

suite('the token between the two factors', () => {
  let service: TestService
  let person: Person
  let secret: string
  let codes: string[]
  before(async () => {
    service = await sharedService()
    person = await registerHuman(service)
    const { token } = person
    secret = (await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })).body
      .manualEntryKey
    const enabled = await service.http<{ backupCodes: string[] }>('POST', '/mfa/enable', {
      token,
      body: { token: totp() },
    })
    codes = enabled.body.backupCodes
  })
  after(() => service.close())

  const totp = () => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) })
  const asked = async () => {
    const body = { email: person.email, password: 'correct horse battery staple' }
    return (await service.http<Asked>('POST', '/auth/login', { body })).body.mfaToken
  }
  const second = (mfaToken: string, totpCode = codes.pop() ?? '') =>
    service.http<Asked>('POST', '/auth/login/mfa', { body: { mfaToken, totpCode } })

  test('signs in once', async () => {
    const mfaToken = await asked()
    assert.equal((await second(mfaToken)).status, 200)
    const { status, body } = await second(mfaToken)
    assert.deepEqual([status, body.message.startsWith('Invalid or expired MFA token')], [401, true])
    assert.equal((await second(await asked())).status, 200)
  })

  test('also when good second factors come with it at one moment', async () => {
    const mfaToken = await asked()
    const answers = await Promise.all([second(mfaToken), second(mfaToken), second(mfaToken, totp())])
    assert.deepEqual(
      answers.map(answer => answer.status).sort((a, b) => a - b),
      [200, 401, 401],
    )
  })

  test('a wrong code uses nothing up', async () => {
    const mfaToken = await asked()
    assert.equal((await second(mfaToken, '000000')).status, 401)
    assert.equal((await second(mfaToken)).status, 200)
  })

  test('accepts a code in two groups also when the factor is disabled', async () => {
    await service.services.db.pool.query(
      "update identity_session set created_at = now() - interval '1 hour', proved_at = null",
    )
    const off = (code: string) =>
      service.http<{ message: string }>('POST', '/mfa/disable', {
        token: person.token,
        body: { token: code },
      })
    const wrong = totp() === '000000' ? '111 111' : '000 000'
    const { status, body } = await off(wrong)
    assert.deepEqual([status, body.message.startsWith('Invalid code')], [400, true])
    assert.equal((await off(`${totp().slice(0, 3)} ${totp().slice(3)}`)).status, 200)
  })
})
