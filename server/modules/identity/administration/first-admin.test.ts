import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, registerHuman, startTestService, type TestService } from '#test'
import { firstAdminLink } from './first-admin.ts'

interface SetUp {
  user: { role: string }
  accessToken: string
  message: string
  warnings?: string[]
}

const PASSWORD = 'correct horse battery staple'
const count = async (service: TestService, where: string) =>
  (
    await service.services.db.pool.query<{ count: number }>(
      `select count(*)::int as count from identity_account where ${where}`,
    )
  ).rows[0]?.count

async function withService(
  env: Record<string, string>,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startTestService(env)
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

suite('the first admin', () => {
  test('ADMIN_EMAIL and ADMIN_PASSWORD create one admin, also with several instances', async () => {
    await withService({}, async service => {
      assert.equal(
        (await service.http('GET', '/users/me', { token: await service.adminToken() })).status,
        200,
      )
      const { startService } = await import('#app')
      const url = String(service.services.db.pool.options.connectionString)
      const others = await Promise.all(
        [1, 2].map(async () => startService({ ...service.services.config, PORT: await freePort() }, url)),
      )
      await Promise.all(others.map(other => other.stop()))
      assert.equal(await count(service, "role = 'ADMIN'"), 1)
      assert.equal(await firstAdminLink(service.services), null)
    })
  })

  test('without them a link makes one, once, within its hour', async () => {
    await withService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' }, async service => {
      assert.equal(await count(service, "role = 'ADMIN'"), 0)
      const setup = (token: string, more: object = {}) =>
        service.http<SetUp>('POST', '/auth/setup', {
          body: { token, email: 'root@example.com', password: PASSWORD, ...more },
        })
      const linkToken = async () => {
        const link = (await firstAdminLink(service.services)) ?? ''
        assert.ok(link.startsWith(`${service.services.publicUrl}/setup/`))
        return link.split('/').at(-1) ?? ''
      }
      const replaced = await linkToken()
      const expired = await linkToken()
      assert.equal((await setup(replaced)).status, 400)
      await service.services.db.pool.query(
        "update identity_link set expires_at = now() - interval '1 second'",
      )
      assert.equal((await setup(expired)).status, 400)
      const token = await linkToken()
      const { rows } = await service.services.db.pool.query<{ minutes: number }>(
        `select extract(epoch from expires_at - created_at)::int / 60 as minutes
          from identity_link where used_at is null`,
      )
      assert.deepEqual(rows, [{ minutes: 60 }])
      assert.equal((await setup('nonsense')).status, 400)
      assert.equal((await setup(token, { password: 'short' })).status, 400)
      // Somebody became admin in another way meanwhile.
      const roleOf = (id: string, role: string) =>
        service.services.db.pool.query('update identity_account set role = $2 where id = $1', [id, role])
      const { id } = await registerHuman(service)
      await roleOf(id, 'ADMIN')
      assert.equal((await setup(token)).status, 400)
      await roleOf(id, 'USER')
      const answers = await Promise.all([
        setup(token, { password: 'password123' }),
        setup(token, { password: 'password123', email: 'second@example.com' }),
        setup(token, { password: 'password123', email: 'third@example.com' }),
      ])
      assert.deepEqual(
        answers.map(answer => answer.status).toSorted((a, b) => a - b),
        [201, 400, 400],
      )
      const done = answers.find(answer => answer.status === 201)
      assert.match(done?.body.warnings?.[0] ?? '', /common/)
      assert.equal(done?.body.user.role, 'ADMIN')
      assert.equal((await service.http('GET', '/users/me', { token: done?.body.accessToken })).status, 200)
      assert.equal((await setup(token)).body.message, 'Invalid or expired token')
      assert.equal(await count(service, "role = 'ADMIN'"), 1)
      assert.equal(await firstAdminLink(service.services), null)
    })
  })

  test('takes over a registered account of ADMIN_EMAIL and revokes its credentials', async () => {
    await withService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' }, async service => {
      const squatter = await service.http<{ accessToken: string; refreshToken: string }>(
        'POST',
        '/auth/register',
        {
          body: { email: 'ops@example.com', displayName: 'Early', password: 'the squatter knows it' },
        },
      )
      const { apiKey } = (
        await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
          token: squatter.body.accessToken,
          body: { name: 'Spare key' },
        })
      ).body
      const { startService } = await import('#app')
      const admin = { ADMIN_EMAIL: 'ops@example.com', ADMIN_PASSWORD: PASSWORD }
      const url = String(service.services.db.pool.options.connectionString)
      // Two at once: one of them makes the admin.
      const started = await Promise.all(
        [1, 2].map(async () =>
          startService({ ...service.services.config, ...admin, PORT: await freePort() }, url),
        ),
      )
      await Promise.all(started.map(each => each.stop()))
      // Another process sees a revocation within a second: until then it may use what it has cached.
      await sleep(1100)
      const { rowCount } = await service.services.db.pool.query(
        "select from platform_audit where action = 'admin.created'",
      )
      assert.equal(rowCount, 1)
      const login = (password: string) =>
        service.http<{ user: { role: string } }>('POST', '/auth/login', {
          body: { email: 'ops@example.com', password },
        })
      assert.equal((await login('the squatter knows it')).status, 401)
      assert.equal((await login(PASSWORD)).body.user.role, 'ADMIN')
      assert.equal((await service.http('GET', '/users/me', { token: squatter.body.accessToken })).status, 401)
      assert.equal(
        (await service.http('POST', '/auth/refresh', { body: { refreshToken: squatter.body.refreshToken } }))
          .status,
        401,
      )
      assert.equal((await service.http('GET', '/agents/my-agents', { token: apiKey })).status, 401)
    })
  })
})
