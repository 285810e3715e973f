import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { registerHuman, sharedService, type Person, type TestService } from '#test'
import { createCatalog } from '../catalog/index.ts'
import { DEFAULT_CONFIG } from '../core/key.ts'
import { HeldKeys } from './ring.ts'

interface Config {
  defaultModel: string
  thresholds: { mid: number; premium: number }
  allow: string[]
  deny: string[]
  maxPriceUsd: string | null
  sticky: boolean
  lambda: number
}

suite('the routing configuration', () => {
  let service: TestService
  let owner: Person
  let models: string[]
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
    models = createCatalog(service.services)
      .models()
      .map(({ id }) => id)
  })
  after(() => service.close())
  const get = async ({ token }: Pick<Person, 'token'> = owner) =>
    (await service.http<Config>('GET', '/v1/routing/config', { token })).body
  const change = (body: object, { token }: Pick<Person, 'token'> = owner) =>
    service.http<Config>('POST', '/v1/routing/config', { token, body })

  test('has defaults, changes in part and returns to a default with null', async () => {
    const person = await registerHuman(service)
    assert.deepEqual(await get(person), { ...DEFAULT_CONFIG })
    const first = await change(
      { defaultModel: 'svc/budget', thresholds: { mid: 0.1 }, sticky: false },
      person,
    )
    assert.equal(first.status, 201, first.text)
    const expected = {
      ...DEFAULT_CONFIG,
      defaultModel: 'svc/budget',
      thresholds: { ...DEFAULT_CONFIG.thresholds, mid: 0.1 },
      sticky: false,
    }
    assert.deepEqual(first.body, expected)
    const [allowed = '', denied = ''] = models
    const more = {
      allow: [allowed, allowed],
      deny: [denied],
      maxPriceUsd: 0.5,
      lambda: 0.3,
      fallbacks: false,
    }
    await change(more, person)
    assert.deepEqual(await get(person), { ...expected, ...more, allow: [allowed], maxPriceUsd: '0.50' })
    const back = {
      defaultModel: null,
      thresholds: null,
      allow: null,
      deny: null,
      maxPriceUsd: null,
      lambda: null,
      sticky: null,
      fallbacks: null,
    }
    assert.deepEqual((await change(back, person)).body, { ...DEFAULT_CONFIG })
    assert.deepEqual((await change({}, person)).body, { ...DEFAULT_CONFIG })
  })

  test('what contradicts itself or names unknown models is a 400 and changes nothing', async () => {
    const [known = '', other = ''] = models
    for (const [body, said] of [
      [{ defaultModel: 'gpt-nonsense' }, /defaultModel.*gpt-nonsense/],
      [{ allow: ['gpt-nonsense'] }, /allow.*gpt-nonsense/],
      [{ deny: ['auto'] }, /deny.*auto/],
      [{ allow: [known], deny: [known] }, /allow and deny/],
      [{ defaultModel: known, deny: [known] }, /deny must not contain the default model/],
      [{ defaultModel: known, allow: [other] }, /allow must contain the default model/],
      [{ defaultModel: 'text-embedding-3-small' }, /defaultModel.*text-embedding-3-small/],
      [{ thresholds: { mid: 0.9, premium: 0.2 } }, /thresholds/],
      [{ thresholds: { mid: 1.5 } }, /thresholds/],
      [{ maxPriceUsd: 0 }, /maxPriceUsd/],
      [{ lambda: -1 }, /lambda/],
      [{ sticky: 'yes' }, /sticky/],
    ] as const) {
      const { status, text } = await change(body)
      assert.equal(status, 400, JSON.stringify(body))
      assert.match(text, said)
    }
    assert.deepEqual(await get(), { ...DEFAULT_CONFIG })
  })

  test('concurrent changes of different fields are all stored', async () => {
    const person = await registerHuman(service)
    await Promise.all([
      change({ lambda: 0.7 }, person),
      change({ sticky: false }, person),
      change({ maxPriceUsd: 2 }, person),
      change({ defaultModel: 'svc/performance' }, person),
    ])
    const { lambda, sticky, maxPriceUsd, defaultModel } = await get(person)
    assert.deepEqual([lambda, sticky, maxPriceUsd, defaultModel], [0.7, false, '2.00', 'svc/performance'])
  })

  test('comes with the keys of the account, as do the models behind a virtual name', async () => {
    const catalog = createCatalog(service.services)
    const ring = new HeldKeys(service.services, catalog)
    const make = async (body: object) => {
      const options = { token: owner.token, body }
      const made = await service.http<{ id: string; key: string }>('POST', '/v1/auth/keys', options)
      await ring.prove(made.body.key)
      return ring.keyOf(made.body.id)
    }
    await change({ lambda: 0.9, maxPriceUsd: 3 })
    const { config } = await make({})
    assert.deepEqual([config.lambda, config.maxPriceUsd], [0.9, 3_000_000n])
    const economy = catalog.models().filter(({ tier }) => tier === 'economy')
    const { allowedModels } = await make({ allowedModels: ['svc/budget'] })
    assert.deepEqual(
      allowedModels.filter(name => name !== 'svc/budget'),
      economy.map(({ id }) => id),
    )
    for (const name of ['auto', 'svc/balanced']) {
      const { allowedModels: all } = await make({ allowedModels: [name] })
      // An empty list would allow embeddings too, which no virtual name selects.
      assert.deepEqual(all, [name, ...models])
    }
  })
})
