import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { publishAgent, registerHuman, sharedService, type TestService } from '#test'

interface Refusal {
  message: string
  status: string
  role: string
}
interface Trail {
  items: {
    id: string
    at: string
    action: string
    actorId: string
    targetId: string
    requestId: string
    ip: string
    details: Record<string, unknown>
  }[]
  total: number
}
const PASSWORD = 'correct horse battery staple'

suite('what admins do to accounts', () => {
  let service: TestService
  let admin: string
  before(async () => {
    service = await sharedService()
    admin = await service.adminToken()
  })
  after(() => service.close())

  const perform = (id: string, action: string, body: object = { reason: 'Fraud' }, token = admin) =>
    service.http<Refusal>('POST', `/admin/users/${id}/${action}`, { token, body })
  const me = (token: string) => service.http<Refusal>('GET', '/users/me', { token })
  const audit = (query: string) => service.http<Trail>('GET', `/admin/audit?${query}`, { token: admin })

  test('appointing an admin and resetting a second factor require step-up', async () => {
    const { id } = await registerHuman(service)
    const token = await service.adminToken()
    const sid = (
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string }
    ).sid
    const age = `update identity_session set created_at = now() - interval '6 minutes' where id = $1`
    await service.services.db.pool.query(age, [sid])
    for (const [action, body] of [
      ['role', { role: 'ADMIN' }],
      ['reset-mfa', {}],
    ] as const) {
      const { status, body: refusal } = await perform(id, action, body, token)
      assert.deepEqual([status, refusal.message.startsWith('Step-up required')], [403, true], action)
    }
    await service.http('POST', '/auth/step-up', { token, body: { password: PASSWORD } })
    assert.equal((await perform(id, 'reset-mfa', {}, token)).status, 200)
    assert.equal((await perform(id, 'role', { role: 'ADMIN' }, token)).body.role, 'ADMIN')
    assert.equal((await perform(id, 'role', { role: 'USER' }, token)).body.role, 'USER')
  })

  test('refuses every credential of a suspended account until it is reinstated', async () => {
    const person = await registerHuman(service)
    const agent = await publishAgent(service, person)
    const { apiKey } = (
      await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
        token: person.token,
        body: { name: 'Key' },
      })
    ).body
    const everywhere = async () => [
      await me(person.token),
      await service.http<Refusal>('GET', '/agents/my-agents', { token: apiKey }),
      await service.http<Refusal>('GET', `/agents/${agent.id}/inbox`, {
        headers: { 'x-agent-api-key': agent.apiKey },
      }),
      await service.http<Refusal>('POST', '/auth/login', {
        body: { email: person.email, password: PASSWORD },
      }),
    ]
    assert.deepEqual(
      (await everywhere()).map(answer => answer.status),
      [200, 200, 200, 200],
    )
    const suspended = await perform(person.id, 'suspend')
    assert.deepEqual([suspended.status, suspended.body.status], [200, 'SUSPENDED'])
    const refused = [
      ...(await everywhere()),
      await service.http<Refusal>('POST', '/auth/refresh', { body: { refreshToken: person.refreshToken } }),
    ]
    for (const { status, body } of refused) {
      assert.equal(status, 403)
      assert.match(body.message, /^Agent suspended/)
    }
    assert.equal(
      (await service.http('POST', '/auth/login', { body: { email: person.email, password: 'wrong' } }))
        .status,
      401,
    )
    assert.equal((await perform(person.id, 'reinstate')).body.status, 'ACTIVE')
    assert.deepEqual(
      (await everywhere()).map(answer => answer.status),
      [200, 200, 200, 200],
    )
    assert.equal(
      (await service.http('POST', '/auth/refresh', { body: { refreshToken: person.refreshToken } })).status,
      200,
    )
  })

  test('refuses the key of a suspended agent on every operation until reinstated', async () => {
    const agent = await publishAgent(service, await registerHuman(service))
    const headers = { 'x-agent-api-key': agent.apiKey }
    const everywhere = async () => [
      await service.http<Refusal>('GET', `/agents/${agent.id}/inbox`, { headers }),
      await service.http<Refusal>('GET', '/ap2/negotiations', { headers }),
      await service.http<Refusal>('POST', `/a2a/agents/${agent.id}/heartbeat`, {
        headers,
        body: { status: 'available' },
      }),
    ]
    const before = (await everywhere()).map(answer => answer.status)
    assert.ok(
      before.every(status => status < 300),
      before.join(),
    )
    await service.http('POST', `/admin/agents/${agent.id}/suspend`, {
      token: admin,
      body: { reason: 'Fraud' },
    })
    const revoke = () => service.http<Refusal>('POST', `/agents/${agent.id}/revoke-key`, { headers })
    for (const { status, body } of [...(await everywhere()), await revoke()])
      assert.deepEqual([status, body.message], [403, 'Agent suspended'])
    await service.http('POST', `/admin/agents/${agent.id}/reinstate`, {
      token: admin,
      body: { reason: 'Cleared' },
    })
    assert.deepEqual(
      (await everywhere()).map(answer => answer.status),
      before,
    )
  })

  test('responds 409 with action and state if the state does not allow the action', async () => {
    const { id } = await registerHuman(service)
    assert.equal((await perform(id, 'reinstate')).body.message, 'Cannot reinstate while ACTIVE')
    await perform(id, 'suspend')
    const again = await perform(id, 'suspend')
    assert.deepEqual([again.status, again.body.message], [409, 'Cannot suspend while SUSPENDED'])
  })

  test('responds 404 for an unknown account, 400 without reason or valid role', async () => {
    for (const id of ['nonsense', '0198c0de-0000-7000-8000-000000000001']) {
      for (const [action, body] of [
        ['suspend', { reason: 'x' }],
        ['reinstate', {}],
        ['role', { role: 'ADMIN' }],
      ] as const) {
        const {
          status,
          body: { message },
        } = await perform(id, action, body)
        assert.deepEqual([status, message], [404, 'User not found'])
      }
    }
    const { id } = await registerHuman(service)
    assert.equal((await perform(id, 'suspend', {})).status, 400)
    assert.equal((await perform(id, 'role', { role: 'OWNER' })).status, 400)
  })

  test('requires an admin; a changed role takes effect at once', async () => {
    const person = await registerHuman(service)
    const target = await registerHuman(service)
    const refused = await perform(target.id, 'suspend', { reason: 'x' }, person.token)
    assert.equal(refused.status, 403)
    assert.equal((await service.http('GET', '/admin/audit', { token: person.token })).status, 403)
    assert.equal((await service.http('GET', '/admin/audit')).status, 401)
    assert.equal((await perform(person.id, 'role', { role: 'ADMIN' })).body.role, 'ADMIN')
    assert.equal((await service.http('GET', '/admin/audit', { token: person.token })).status, 200)
    assert.equal((await perform(person.id, 'role', { role: 'USER' })).body.role, 'USER')
    assert.equal((await service.http('GET', '/admin/audit', { token: person.token })).status, 403)
  })

  test('keeps the last admin, also when two admins demote each other concurrently', async () => {
    const own = (await service.http<{ id: string }>('GET', '/users/me', { token: admin })).body.id
    for (const [action, body] of [
      ['role', { role: 'USER' }],
      ['suspend', { reason: 'x' }],
    ] as const)
      assert.equal((await perform(own, action, body)).status, 409)
    const second = await registerHuman(service)
    await perform(second.id, 'role', { role: 'ADMIN' })
    await perform(second.id, 'suspend')
    assert.equal((await perform(own, 'role', { role: 'USER' })).status, 409, 'a suspended admin is none')
    await perform(second.id, 'reinstate')
    const answers = await Promise.all([
      perform(second.id, 'role', { role: 'USER' }),
      perform(own, 'role', { role: 'USER' }, second.token),
    ])
    assert.ok(answers.some(answer => answer.status !== 200))
    const { rows } = await service.services.db.pool.query<{ id: string }>(
      "select id from identity_account where role = 'ADMIN'",
    )
    assert.equal(rows.length, 1)
    // The rest of the tests, also those of other files, needs this admin again, and no other.
    await service.services.db.pool.query(
      "update identity_account set role = case when id = $1 then 'ADMIN' else 'USER' end where id = any($2)",
      [own, [own, second.id]],
    )
    admin = await service.adminToken()
  })

  test('the audit log shows actor, action, target, origin and reason, with filters', async () => {
    const { id } = await registerHuman(service)
    const own = (await service.http<{ id: string }>('GET', '/users/me', { token: admin })).body.id
    const from = new Date().toISOString()
    await service.http('POST', `/admin/users/${id}/suspend`, {
      token: admin,
      body: { reason: 'Chargebacks' },
      headers: { 'x-request-id': 'case-4711' },
    })
    const to = new Date(Date.now() + 1).toISOString()
    await perform(id, 'reinstate')
    const {
      items: [event],
      total,
    } = (await audit(`targetId=${id}&action=account.suspended`)).body
    assert.equal(total, 1)
    assert.deepEqual(
      [event?.action, event?.actorId, event?.targetId, event?.requestId, event?.ip, event?.details],
      ['account.suspended', own, id, 'case-4711', '127.0.0.1', { reason: 'Chargebacks' }],
    )
    assert.deepEqual(
      (await audit(`targetId=${id}`)).body.items.map(item => item.action),
      ['account.reinstated', 'account.suspended'],
    )
    assert.deepEqual(
      (await audit(`targetId=${id}&from=${from}&to=${to}`)).body.items.map(item => item.action),
      ['account.suspended'],
    )
    assert.ok((await audit(`actorId=${own}&limit=1`)).body.items.length === 1)
    assert.equal((await audit('action=nothing.such')).body.total, 0)
    for (const bad of ['from=yesterday', 'limit=0', 'limit=101', 'offset=-1'])
      assert.equal((await audit(bad)).status, 400, bad)
  })
})
