import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { registerHuman, sharedService, type Person, type TestService } from '#test'

interface RoutingKey {
  id: string
  key: string
  name: string
  keyPrefix: string
  status: string
  limits: Record<string, unknown>
  message: string
  data: RoutingKey[]
}

suite('routing keys', () => {
  let service: TestService
  let owner: Person
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
  })
  after(() => service.close())
  const ask = (method: string, path: string, body?: object, { token }: Pick<Person, 'token'> = owner) =>
    service.http<RoutingKey>(method, path, { token, body })

  test('are created with a key that is shown once', async () => {
    const made = await ask('POST', '/v1/auth/keys', { name: ' Chat ', limits: { rpm: 3, dailyUsd: 1.5 } })
    assert.equal(made.status, 201, made.text)
    const { key, ...record } = made.body
    assert.match(key, /^rk_[0-9A-Za-z]{36}$/)
    assert.deepEqual(
      [record.name, record.keyPrefix, record.status, record.limits],
      [
        'Chat',
        `rk_…${key.slice(-4)}`,
        'ACTIVE',
        {
          rpm: 3,
          tpm: null,
          parallel: null,
          dailyUsd: '1.50',
          weeklyUsd: null,
          monthlyUsd: null,
          endUserDailyUsd: null,
        },
      ],
    )
    for (const path of ['/v1/auth/keys', '/v1/keys', '/v1/routing/keys'])
      assert.deepEqual((await ask('GET', path)).body.data, [record])
  })
})
