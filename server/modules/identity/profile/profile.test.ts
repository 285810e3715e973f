import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { registerHuman, sharedService, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

suite('GET, PATCH and DELETE /users/me', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  /** The token of the latest link that was mailed to an address. */
  const mailedToken = async (to: string) => {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
      const { items } = (
        await service.http<{ items: { text: string }[] }>('GET', `/sandbox/mail?to=${encodeURIComponent(to)}`)
      ).body
      const token = /\/verify\/([\w-]+)/.exec(items[0]?.text ?? '')?.[1]
      if (token) return token
    }
    throw new Error(`no mail to ${to}`)
  }

  test('is read, and its display name changed', async () => {
    const { id, email, token } = await registerHuman(service)
    const me = await service.http<Record<string, unknown>>('GET', '/users/me', { token })
    const { createdAt, ...rest } = me.body
    assert.ok(Date.parse(String(createdAt)))
    assert.deepEqual(rest, {
      id,
      email,
      displayName: 'Test Person',
      username: null,
      userType: 'HUMAN',
      role: 'USER',
      plan: 'FREE',
      status: 'ACTIVE',
    })
    const changed = await service.http<{ displayName: string }>('PATCH', '/users/me', {
      token,
      body: { displayName: 'Ada Lovelace' },
    })
    assert.deepEqual([changed.status, changed.body.displayName], [200, 'Ada Lovelace'])
    assert.equal(
      (await service.http<{ displayName: string }>('PATCH', '/users/me', { token, body: {} })).body
        .displayName,
      'Ada Lovelace',
    )
  })

  test('a new email address must be free and takes effect when it is confirmed', async () => {
    const { email, token } = await registerHuman(service)
    const taken = await registerHuman(service)
    const change = (next: string) =>
      service.http<{ email: string; pendingEmail?: string; message: string }>('PATCH', '/users/me', {
        token,
        body: { email: next },
      })
    assert.equal((await change(taken.email.toUpperCase())).status, 409)
    assert.equal((await change('nowhere')).status, 400)
    assert.equal((await change(email.toUpperCase())).body.pendingEmail, undefined)
    const asked = await change('new.address@example.com')
    assert.deepEqual(
      [asked.status, asked.body.email, asked.body.pendingEmail],
      [200, email, 'new.address@example.com'],
    )
    const link = await mailedToken('new.address@example.com')
    assert.equal((await service.http('POST', '/auth/verify-email', { body: { token: link } })).status, 200)
    assert.equal(
      (await service.http<{ email: string }>('GET', '/users/me', { token })).body.email,
      'new.address@example.com',
    )
    assert.equal(
      (
        await service.http('POST', '/auth/login', {
          body: { email: 'new.address@example.com', password: PASSWORD },
        })
      ).status,
      200,
    )
    assert.equal(
      (await service.http('POST', '/auth/login', { body: { email, password: PASSWORD } })).status,
      401,
    )
  })

  test('nothing else can be set, and nobody without a token may', async () => {
    const { token } = await registerHuman(service)
    for (const body of [
      { role: 'ADMIN' },
      { displayName: '' },
      { displayName: 'x'.repeat(101) },
      { displayName: null },
    ]) {
      assert.equal((await service.http('PATCH', '/users/me', { token, body })).status, 400)
    }
    const ignored = await service.http<{ plan: string }>('PATCH', '/users/me', {
      token,
      body: { plan: 'PRO', status: 'ACTIVE', userType: 'AGENT' },
    })
    assert.equal(ignored.headers.get('x-svc-ignored-fields'), 'plan, status, userType')
    assert.equal(ignored.body.plan, 'FREE')
    assert.equal((await service.http('GET', '/users/me')).status, 401)
    assert.equal((await service.http('PATCH', '/users/me', { body: {} })).status, 401)
  })

  test('a new password ends the other sessions and keeps this one', async () => {
    const { email, token, refreshToken } = await registerHuman(service)
    const other = (
      await service.http<{ accessToken: string }>('POST', '/auth/login', {
        body: { email, password: PASSWORD },
      })
    ).body.accessToken
    const change = await service.http('POST', '/auth/change-password', {
      token,
      body: { currentPassword: PASSWORD, newPassword: 'a wholly new password' },
    })
    assert.equal(change.status, 200, change.text)
    const common = await service.http<{ warnings?: string[] }>('POST', '/auth/change-password', {
      token: (await registerHuman(service)).token,
      body: { currentPassword: PASSWORD, newPassword: 'password123' },
    })
    assert.match(common.body.warnings?.[0] ?? '', /common/)
    assert.equal((await service.http('GET', '/users/me', { token: other })).status, 401)
    assert.equal((await service.http('GET', '/users/me', { token })).status, 200)
    assert.equal((await service.http('POST', '/auth/refresh', { body: { refreshToken } })).status, 200)
    assert.equal(
      (await service.http('POST', '/auth/login', { body: { email, password: PASSWORD } })).status,
      401,
    )
    assert.equal(
      (await service.http('POST', '/auth/login', { body: { email, password: 'a wholly new password' } }))
        .status,
      200,
    )
  })

  test('a wrong current password is a 401 ten times; a short new one is a 400', async () => {
    const { token } = await registerHuman(service)
    const change = (currentPassword: string, newPassword = 'a wholly new password') =>
      service.http('POST', '/auth/change-password', { token, body: { currentPassword, newPassword } })
    assert.equal((await change(PASSWORD, 'short')).status, 400)
    const statuses = (await Promise.all(Array.from({ length: 14 }, () => change('not the password')))).map(
      answer => answer.status,
    )
    assert.equal(statuses.filter(status => status === 401).length, 10)
    assert.equal(statuses.filter(status => status === 429).length, 4)
    assert.equal(
      (
        await service.http('POST', '/auth/change-password', {
          body: { currentPassword: PASSWORD, newPassword: PASSWORD },
        })
      ).status,
      401,
    )
  })
})
