import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { registerHuman, sharedService, type TestService } from '#test'

interface Event {
  action: string
  actorId: string | null
  targetId: string | null
  ip: string | null
  details: Record<string, unknown> | null
}

suite('what the audit log knows of sign-ins', () => {
  let service: TestService
  let admin: string
  before(async () => {
    service = await sharedService()
    admin = await service.adminToken()
  })
  after(() => service.close())

  const events = async (query: string) =>
    (
      await service.http<{ items: Event[]; total: number }>('GET', `/admin/audit?limit=100&${query}`, {
        token: admin,
      })
    ).body
  const login = (email: string, password: string) =>
    service.http('POST', '/auth/login', { body: { email, password } })

  test('a good sign-in is an event with its method, account and address', async () => {
    const { id, email } = await registerHuman(service)
    assert.equal((await login(email, 'correct horse battery staple')).status, 200)
    const { items } = await events(`action=session.started&actorId=${id}`)
    assert.deepEqual(
      items.map(({ details, ip }) => [details?.method, ip]),
      [
        ['password', '127.0.0.1'],
        ['registration', '127.0.0.1'],
      ],
    )
  })

  test('of many failed ones of an account the first is an event, and the lock', async () => {
    const { id, email } = await registerHuman(service)
    for (let n = 0; n < 12; n++) await login(email, 'wrong')
    const { items } = await events(`targetId=${id}`)
    assert.deepEqual(
      items.map(({ action }) => action).filter(action => action.startsWith('login')),
      ['login.locked', 'login.failed'],
    )
  })

  test('failed sign-ins of one network write at most 100 events an hour', async () => {
    for (let n = 0; n < 130; n++) await login(`nobody-${n}@example.com`, 'wrong')
    const { total } = await events('action=login.failed')
    assert.ok(total >= 90 && total <= 100, String(total))
  })

  test('who calls operations of admins without being one is noted, ten times at most', async () => {
    const { id, token } = await registerHuman(service)
    for (let n = 0; n < 15; n++)
      assert.equal((await service.http('GET', '/admin/approvals', { token })).status, 403)
    const { items, total } = await events(`action=admin.refused&actorId=${id}`)
    assert.deepEqual([total, items[0]?.details], [10, { operation: 'GET /admin/approvals' }])
  })
})

test('an account has 100 sessions at most: the oldest ends', async t => {
  const service = await sharedService()
  t.after(() => service.close())
  const { id, email, token } = await registerHuman(service)
  await service.services.db.pool.query(
    `insert into identity_session (id, account_id, method, created_at, last_used_at)
       select gen_random_uuid(), $1, 'test', now() + n * interval '1 millisecond', now() from generate_series(1, 99) n`,
    [id],
  )
  const me = async () => (await service.http('GET', '/users/me', { token })).status
  assert.equal(await me(), 200)
  await service.http('POST', '/auth/login', { body: { email, password: 'correct horse battery staple' } })
  assert.equal(await me(), 401)
})

test('an owner has at most 100 wallets; a deletion rejects unknown fields', async t => {
  const service = await sharedService()
  t.after(() => service.close())
  const { token } = await registerHuman(service)
  for (let n = 1; n < 100; n++)
    assert.equal((await service.http('POST', '/wallets', { token, body: {} })).status, 201)
  const refused = await service.http<{ code: string }>('POST', '/wallets', { token, body: {} })
  assert.deepEqual([refused.status, refused.body.code], [409, 'TOO_MANY_WALLETS'])
  const mistyped = await service.http('DELETE', '/users/me', { token, body: { confirmphrase: 'no' } })
  assert.deepEqual([mistyped.status, mistyped.text.includes('confirmphrase')], [400, true])
  assert.equal((await service.http('DELETE', '/users/me', { token })).status, 204)
})
