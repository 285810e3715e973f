import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import { freePort, linkTo, mailsSettled, startTestService, type TestService } from '#test'
import { firstAdminLink } from './first-admin.ts'

const PASSWORD = 'correct horse battery staple'
const EMAIL = 'ops@example.com'

suite('the address of the first admin', () => {
  async function withPlainService(work: (service: TestService) => Promise<void>): Promise<void> {
    const service = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
    try {
      await work(service)
    } finally {
      await service.close()
    }
  }
  async function startWithAdmin({ services: { config, db } }: TestService): Promise<void> {
    const { startService } = await import('#app')
    const operated = { ...config, ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: PASSWORD, PORT: await freePort() }
    await (await startService(operated, String(db.pool.options.connectionString))).stop()
  }
  const login = (service: TestService) =>
    service.http<{ accessToken?: string; user?: { role: string } }>('POST', '/auth/login', {
      body: { email: EMAIL, password: PASSWORD },
    })

  test('a second factor of an earlier registrant does not block the operator', async () => {
    await withPlainService(async service => {
      const { accessToken: token } = (
        await service.http<{ accessToken: string }>('POST', '/auth/register', {
          body: { email: EMAIL, displayName: 'Early', password: 'the squatter knows it' },
        })
      ).body
      const { manualEntryKey: secret } = (
        await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
      ).body
      await service.http('POST', '/mfa/enable', { token, body: { token: generateSync({ secret }) } })
      await startWithAdmin(service)
      const { status, body } = await login(service)
      assert.deepEqual([status, body.user?.role], [200, 'ADMIN'])
    })
  })

  test('a magic link to ADMIN_EMAIL signs in and keeps ADMIN_PASSWORD', async () => {
    await withPlainService(async service => {
      await startWithAdmin(service)
      await service.http('POST', '/auth/magic-link/request', { body: { email: EMAIL } })
      const token = await linkTo(service, EMAIL, 'login')
      assert.equal((await service.http('POST', '/auth/magic-link/consume', { body: { token } })).status, 200)
      assert.equal((await login(service)).status, 200)
    })
  })

  test('who sets the service up by link is asked to confirm the address', async () => {
    await withPlainService(async service => {
      const token = (await firstAdminLink(service.services))?.split('/').at(-1)
      const body = { token, email: EMAIL, password: PASSWORD }
      assert.equal((await service.http('POST', '/auth/setup', { body })).status, 201)
      await mailsSettled(service)
      const link = await linkTo(service, EMAIL, 'verify')
      assert.equal((await service.http('POST', '/auth/verify-email', { body: { token: link } })).status, 200)
    })
  })
})
