import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { registerHuman, sharedService, type CallOptions, type Person, type TestService } from '#test'

interface RoutingKey {
  id: string
  key: string
  name: string
  keyPrefix: string
  status: string
  limits: Record<string, unknown>
  allowedModels: string[]
  maxPriceUsd: string | null
  expiresAt: string | null
  message: string | string[]
  hint: string
  data: RoutingKey[]
}

const NO_LIMITS = {
  rpm: null,
  tpm: null,
  parallel: null,
  dailyUsd: null,
  weeklyUsd: null,
  monthlyUsd: null,
  endUserDailyUsd: null,
}

suite('routing keys', () => {
  let service: TestService
  let owner: Person
  let other: Person
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
    other = await registerHuman(service)
  })
  after(() => service.close())
  const ask = (method: string, path: string, body?: object, options: CallOptions = {}) =>
    service.http<RoutingKey>(method, path, { token: owner.token, body, ...options })
  const create = async (body: object = {}, options: CallOptions = {}) => {
    const made = await ask('POST', '/v1/auth/keys', body, options)
    assert.equal(made.status, 201, made.text)
    return made.body
  }
  const works = async (key: string) => (await service.http('GET', '/v1/key', { token: key })).status
  const audited = async (id: string) => {
    const text = 'select action from platform_audit where target_id = $1 order by at, id'
    const { rows } = await service.services.db.pool.query<{ action: string }>(text, [id])
    return rows.map(({ action }) => action)
  }

  test('are created without a body too, and show the key once', async () => {
    for (const path of ['/v1/auth/keys', '/routing/keys']) {
      const made = await ask('POST', path)
      assert.equal(made.status, 201, made.text)
      const { key, id, keyPrefix, name, limits } = made.body
      assert.match(key, /^rk_[0-9A-Za-z]{36}$/)
      assert.deepEqual([keyPrefix, name, limits], [`rk_…${key.slice(-4)}`, 'Routing key', NO_LIMITS])
      const { text, body } = await ask('GET', '/v1/auth/keys')
      assert.ok(!text.includes(key))
      assert.ok(body.data.some(each => each.id === id))
      assert.equal(await works(key), 200)
    }
  })

  test('keep the limits that they were created with', async () => {
    const person = await registerHuman(service)
    const body = {
      name: ' Chat ',
      limits: { rpm: 3, dailyUsd: 1.5, endUserDailyUsd: '0.05' },
      allowedModels: ['svc/budget', 'svc/budget'],
      maxPriceUsd: 0.25,
      errorFormat: 'openai',
      cacheSeconds: 60,
      redactPii: true,
      expiresAt: '2090-01-01T00:00:00.000Z',
    }
    const { key, ...made } = await create(body, { token: person.token })
    const { id, createdAt, ...record } = made as RoutingKey & { createdAt: string }
    assert.deepEqual(record, {
      ...body,
      name: 'Chat',
      keyPrefix: `rk_…${key.slice(-4)}`,
      status: 'ACTIVE',
      limits: { ...NO_LIMITS, rpm: 3, dailyUsd: '1.50', endUserDailyUsd: '0.05' },
      allowedModels: ['svc/budget'],
      maxPriceUsd: '0.25',
      lastUsedAt: null,
    })
    for (const path of ['/v1/auth/keys', '/v1/keys', '/v1/routing/keys']) {
      const list = await service.http('GET', path, { token: person.token })
      assert.deepEqual(list.body, { object: 'list', data: [{ ...record, id, createdAt }] })
    }
  })

  test('bad fields are a 400 that names the field', async () => {
    const { id } = await create()
    for (const [body, said] of [
      [{ name: '' }, /name/],
      [{ name: '\u202Ex' }, /name/],
      [{ limits: { rpm: 0 } }, /rpm/],
      [{ limits: { rpm: 1.5 } }, /rpm/],
      [{ limits: { parallel: -1 } }, /parallel/],
      [{ limits: { dailyUsd: 0 } }, /dailyUsd/],
      [{ limits: { monthlyUsd: '1.0000001' } }, /monthlyUsd/],
      [{ maxPriceUsd: -1 }, /maxPriceUsd/],
      [{ allowedModels: ['gpt-nonsense'] }, /allowedModels.*gpt-nonsense/],
      [{ errorFormat: 'xml' }, /errorFormat/],
      [{ cacheSeconds: -1 }, /cacheSeconds/],
      [{ expiresAt: 'tomorrow' }, /expiresAt/],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, /expiresAt/],
    ] as const)
      for (const [method, path] of [
        ['POST', '/v1/auth/keys'],
        ['PATCH', `/v1/auth/keys/${id}`],
      ] as const) {
        const refused = await ask(method, path, body)
        assert.equal(refused.status, 400, `${method} ${JSON.stringify(body)}`)
        assert.match(refused.text, said)
      }
  })

  test('change in part; null removes a limit', async () => {
    const { id } = await create({ limits: { rpm: 5, tpm: 1000, dailyUsd: 2 }, maxPriceUsd: 1 })
    const path = `/v1/auth/keys/${id}`
    const changed = await ask('PATCH', path, { name: 'Bot', limits: { rpm: null, tpm: 500 } })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(
      [changed.body.name, changed.body.limits, changed.body.maxPriceUsd],
      ['Bot', { ...NO_LIMITS, tpm: 500, dailyUsd: '2.00' }, '1.00'],
    )
    const again = await ask('PATCH', path, { maxPriceUsd: null, expiresAt: '2090-01-01T00:00:00Z' })
    assert.deepEqual(
      [again.body.name, again.body.maxPriceUsd, again.body.expiresAt],
      ['Bot', null, '2090-01-01T00:00:00.000Z'],
    )
    assert.equal((await ask('PATCH', path, { expiresAt: null })).body.expiresAt, null)
    assert.deepEqual(await audited(id), [
      'routing_key.issued',
      'routing_key.changed',
      'routing_key.changed',
      'routing_key.changed',
    ])
  })

  test('a revoked key is refused at once; a second revocation answers the same', async () => {
    const { id, key } = await create()
    assert.equal(await works(key), 200)
    const path = `/v1/auth/keys/${id}`
    const revoked = await ask('DELETE', path)
    assert.deepEqual([revoked.status, revoked.body.status], [200, 'REVOKED'])
    assert.equal(await works(key), 401)
    const again = await ask('DELETE', path)
    assert.equal(again.status, 200)
    assert.equal(again.body.status, 'REVOKED')
    const { status, body } = await ask('PATCH', path, { name: 'Back' })
    assert.deepEqual([status, body.message], [409, 'Cannot update while REVOKED'])
    assert.deepEqual(await audited(id), ['routing_key.issued', 'routing_key.revoked'])
  })

  test('a key of another account is 403, an unknown one 404', async () => {
    const { id } = await create()
    for (const [method, body] of [
      ['PATCH', { name: 'Stolen' }],
      ['DELETE', undefined],
    ] as const) {
      const refusal = async (path: string) => {
        const refused = await ask(method, `/v1/auth/keys/${path}`, body, { token: other.token })
        return [refused.status, refused.body.message]
      }
      assert.deepEqual(await refusal(id), [403, 'Forbidden'])
      for (const unknown of [randomUUID(), 'nonsense'])
        assert.deepEqual(await refusal(unknown), [404, 'Routing key not found'])
      assert.equal((await service.http(method, `/v1/auth/keys/${id}`, { body })).status, 401)
    }
    const listed = await ask('GET', '/v1/keys', undefined, { token: other.token })
    assert.ok(!listed.body.data.some(each => each.id === id))
  })

  test('a repeated request with an Idempotency-Key has the same key, stored sealed', async () => {
    const headers = { 'Idempotency-Key': `key of ${owner.id}` }
    const first = await create({ name: 'Once' }, { headers })
    assert.deepEqual(await create({ name: 'Once' }, { headers }), first)
    assert.equal((await ask('POST', '/v1/auth/keys', { name: 'Twice' }, { headers })).status, 422)
    const { rows } = await service.services.db.pool.query<{ stored: string }>(
      'select i::text as stored from platform_idempotency i',
    )
    assert.ok(rows.every(({ stored }) => !stored.includes(first.key)))
  })

  test('an account has at most 100 that are not revoked, under parallel requests too', async () => {
    const { token } = await registerHuman(service)
    const made = await Promise.all(
      Array.from({ length: 105 }, () => ask('POST', '/v1/auth/keys', { name: 'One of many' }, { token })),
    )
    assert.equal(made.filter(({ status }) => status === 201).length, 100)
    for (const { status, body } of made.filter(each => each.status !== 201))
      assert.deepEqual([status, body.message], [409, 'Too many routing keys'])
    const { data } = (await ask('GET', '/v1/keys', undefined, { token })).body
    assert.equal(data.length, 100)
    await ask('DELETE', `/v1/auth/keys/${data[0]?.id}`, undefined, { token })
    assert.equal((await ask('POST', '/v1/auth/keys', {}, { token })).status, 201)
  })
})
