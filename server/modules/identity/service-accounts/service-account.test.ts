import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { registerHuman, sharedService, type Person, type TestService } from '#test'

interface ServiceAccount {
  id: string
  name: string
  description: string
  scopes: string[]
  status: string
  keyPrefix: string | null
  lastUsedAt: string | null
  expiresAt: string | null
  apiKey?: string
  message: string | string[]
}

const BASE = '/api/v1/service-accounts'
const ALL = ['agent:read', 'agent:write', 'ap2:negotiate', 'ap2:execute']

suite('service accounts', () => {
  let service: TestService
  let owner: Person
  let other: Person
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
    other = await registerHuman(service)
  })
  after(() => service.close())

  const call = (method: string, path: string, body?: object, token = owner.token) =>
    service.http<ServiceAccount>(method, path, { token, body })
  const create = async (body: object = {}) =>
    (await call('POST', BASE, { name: 'Nightly job', ...body })).body
  const works = async (apiKey = '') =>
    (await service.http('GET', '/agents/my-agents', { token: apiKey })).status === 200

  test('is made with every scope unless fewer are named, and shows its key once', async () => {
    const made = await call('POST', BASE, { name: 'Nightly job' })
    assert.equal(made.status, 201)
    assert.match(made.body.apiKey ?? '', /^sk_/)
    assert.deepEqual(
      [made.body.scopes, made.body.status, made.body.expiresAt, made.body.lastUsedAt],
      [ALL, 'ACTIVE', null, null],
    )
    assert.equal(made.body.keyPrefix, `sk_…${made.body.apiKey?.slice(-4)}`)
    const read = await call('GET', `${BASE}/${made.body.id}`)
    assert.deepEqual([read.status, read.body.apiKey, read.body.name], [200, undefined, 'Nightly job'])
    assert.deepEqual((await create({ scopes: ['ap2:execute', 'agent:read', 'agent:read'] })).scopes, [
      'agent:read',
      'ap2:execute',
    ])
  })

  test('POST /api/v1/keys makes the same in one step', async () => {
    const made = await call('POST', '/api/v1/keys', { name: 'Laptop', scopes: ['agent:read'] })
    assert.deepEqual([made.status, made.body.scopes], [201, ['agent:read']])
    assert.ok(await works(made.body.apiKey))
  })

  test('bad fields are a 400', async () => {
    for (const body of [
      { name: '' },
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['everything'] },
      { name: 'x', expiresAt: 'tomorrow' },
      { name: 'x', expiresAt: '2020-01-01T00:00:00Z' },
    ]) {
      assert.equal((await call('POST', BASE, body)).status, 400, JSON.stringify(body))
      assert.equal((await call('POST', '/api/v1/keys', body)).status, 400, JSON.stringify(body))
    }
  })

  test('is listed to its owner alone, newest first; a page at a time', async () => {
    const { id } = await create({ name: 'Newest' })
    interface List {
      items: ServiceAccount[]
      total: number
      limit: number
    }
    const list = await service.http<List>('GET', `${BASE}?limit=1`, { token: owner.token })
    assert.deepEqual([list.body.items.map(item => item.id), list.body.limit], [[id], 1])
    assert.ok(list.body.total > 1)
    assert.equal((await service.http<List>('GET', BASE, { token: other.token })).body.total, 0)
  })

  test('the key of an agent is not one of them', async () => {
    const agent = await service.http<{ id: string }>('POST', '/agents', {
      token: other.token,
      body: { name: 'Keyed' },
    })
    const { rows } = await service.services.db.pool.query<{ id: string }>(
      'select id from identity_service_account where agent_id = $1',
      [agent.body.id],
    )
    const path = `${BASE}/${rows[0]?.id}`
    // It can be read, because a revocation names it, and is neither listed nor changed here.
    assert.equal((await call('GET', path, undefined, other.token)).status, 200)
    const { body } = await call('GET', BASE, undefined, other.token)
    assert.ok(!(body as unknown as { items: { id: string }[] }).items.some(({ id }) => id === rows[0]?.id))
    for (const [method, to, change] of [
      ['PATCH', path, { name: 'x' }],
      ['DELETE', path, undefined],
      ['POST', `${path}/rotate`, undefined],
    ] as const) {
      assert.equal((await call(method, to, change, other.token)).status, 404, method)
    }
  })

  test('responds 404 for an unknown one, 403 for another account, 401 without token', async () => {
    const { id } = await create()
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['POST', '/rotate', undefined],
      ['POST', '/expire', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      assert.equal((await call(method, `${BASE}/${id}${path}`, body, other.token)).status, 403, method + path)
      assert.equal((await call(method, `${BASE}/nonsense${path}`, body)).status, 404, method + path)
      assert.equal(
        (await call(method, `${BASE}/0198c0de-0000-7000-8000-000000000001${path}`, body)).status,
        404,
        method + path,
      )
      assert.equal((await service.http(method, `${BASE}/${id}${path}`, { body })).status, 401, method + path)
    }
    assert.equal((await call('GET', `${BASE}/${id}`)).body.name, 'Nightly job')
  })

  test('is changed in part, and a narrower key can do less at once', async () => {
    const { id, apiKey } = await create()
    const renamed = await call('PATCH', `${BASE}/${id}`, { name: 'Daily job', description: 'Runs at noon' })
    assert.deepEqual(
      [renamed.status, renamed.body.name, renamed.body.description, renamed.body.scopes],
      [200, 'Daily job', 'Runs at noon', ALL],
    )
    assert.ok(await works(apiKey))
    const narrowed = await call('PATCH', `${BASE}/${id}`, { scopes: ['agent:write'] })
    assert.deepEqual([narrowed.body.scopes, narrowed.body.name], [['agent:write'], 'Daily job'])
    const write = (token = '') => service.http('POST', '/agents', { token, body: { name: 'By key' } })
    assert.equal((await write(apiKey)).status, 201)
    await call('PATCH', `${BASE}/${id}`, { scopes: ['agent:read'] })
    assert.equal((await write(apiKey)).status, 403)
    assert.equal((await call('PATCH', `${BASE}/${id}`, { name: null })).status, 400)
  })

  test('expires at once on request, and is valid again with a later date', async () => {
    const { id, apiKey } = await create()
    const expired = await call('POST', `${BASE}/${id}/expire`)
    assert.deepEqual([expired.status, expired.body.status], [201, 'EXPIRED'])
    assert.ok(!(await works(apiKey)))
    assert.equal((await call('PATCH', `${BASE}/${id}`, { expiresAt: null })).body.status, 'ACTIVE')
    assert.ok(await works(apiKey))
  })

  test('concurrent rotations run one after the other and leave one active key', async () => {
    const { id, apiKey } = await create()
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', `${BASE}/${id}/rotate`)))
    assert.ok(answers.every(answer => answer.status === 201))
    const { rows } = await service.services.db.pool.query(
      "select 1 from identity_key where service_account_id = $1 and status = 'ACTIVE'",
      [id],
    )
    assert.equal(rows.length, 1)
    assert.ok(await works(apiKey))
  })

  test('a revoked one stays revoked: 200 again, 409 on change', async () => {
    const { id, apiKey } = await create()
    const revoked = await call('DELETE', `${BASE}/${id}`)
    assert.deepEqual([revoked.status, revoked.body.status, revoked.body.keyPrefix], [200, 'REVOKED', null])
    assert.ok(!(await works(apiKey)))
    assert.equal((await call('DELETE', `${BASE}/${id}`)).status, 200)
    for (const [method, path, body, action] of [
      ['PATCH', '', { name: 'Back' }, 'update'],
      ['POST', '/rotate', undefined, 'rotate'],
      ['POST', '/expire', undefined, 'expire'],
    ] as const) {
      const {
        status,
        body: { message },
      } = await call(method, `${BASE}/${id}${path}`, body)
      assert.deepEqual([status, message], [409, `Cannot ${action} while REVOKED`])
    }
  })

  test('access-status says whether another may be made, and beyond the most it is a 409', async () => {
    interface Status {
      allowed: boolean
      reason?: string
      limits: { maxServiceAccounts: number }
      active: number
    }
    const person = await registerHuman(service)
    const status = async () =>
      (await service.http<Status>('GET', '/api/v1/keys/access-status', { token: person.token })).body
    assert.deepEqual(await status(), { allowed: true, limits: { maxServiceAccounts: 100 }, active: 0 })
    const answers = await Promise.all(
      Array.from({ length: 105 }, () => call('POST', '/api/v1/keys', { name: 'One of many' }, person.token)),
    )
    assert.equal(answers.filter(answer => answer.status === 201).length, 100)
    assert.equal(answers.filter(answer => answer.status === 409).length, 5)
    assert.equal(
      (await call('POST', '/api/v1/service-accounts', { name: 'One too many' }, person.token)).status,
      409,
    )
    const full = await status()
    assert.deepEqual([full.allowed, full.active], [false, 100])
    assert.ok(full.reason)
    assert.equal((await service.http('GET', '/api/v1/keys/access-status')).status, 401)
  })
})
