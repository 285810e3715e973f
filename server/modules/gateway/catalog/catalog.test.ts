import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { sharedService, type TestService } from '#test'
import { costNano, createCatalog, worstCaseNano } from './index.ts'
import { CHAT_MODELS, EMBEDDING_MODELS } from './data/models.ts'
import { INITIAL_PRICES } from './data/prices.ts'

const ALL = [...CHAT_MODELS, ...EMBEDDING_MODELS]

suite('the catalog', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const countRows = async () =>
    (await service.services.db.one(sql<{ rows: number }>`select count(*)::int as rows from gateway_price`))
      .rows

  test('has 15 chat models of 9 providers, cheapest first', () => {
    const catalog = createCatalog(service.services)
    const models = catalog.models()
    assert.equal(models.length, 15)
    assert.equal(new Set(models.map(({ provider }) => provider)).size, 9)
    const inputs = models.map(model => catalog.priceOf(model, new Date()).base.input)
    assert.deepEqual(
      inputs,
      inputs.toSorted((a, b) => a - b),
    )
  })

  test('finds chat and embedding models by their ids', () => {
    const catalog = createCatalog(service.services)
    for (const model of ALL) assert.equal(catalog.find(model.id), model)
    assert.equal(catalog.find('gpt-7'), undefined)
  })

  test('writes the committed prices once, whoever starts first', async () => {
    assert.equal(await countRows(), ALL.length)
    const second = await service.instance()
    await second.close()
    assert.equal(await countRows(), ALL.length)
  })

  test('serves from the rows what the committed prices say', async () => {
    const catalog = createCatalog(service.services)
    await catalog.start()
    const now = new Date()
    for (const price of INITIAL_PRICES) {
      const model = catalog.find(price.model)
      assert.ok(model)
      assert.deepEqual(catalog.priceOf(model, now), price)
    }
    await catalog.stop()
  })

  test('prices requests without a statement to the database', async () => {
    const { services } = service
    let statements = 0
    const counting = new Proxy(services.db, {
      get(db, name) {
        statements++
        const value: unknown = Reflect.get(db, name)
        return typeof value === 'function' ? value.bind(db) : value
      },
    })
    const catalog = createCatalog({ ...services, db: counting })
    await catalog.start()
    await catalog.stop()
    assert.ok(statements > 0)
    statements = 0
    const usage = { input: 1000, output: 100, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
    const at = new Date()
    for (const model of ALL) {
      const price = catalog.priceOf(model, at)
      assert.ok(costNano(price, usage, at) > 0)
      assert.ok(worstCaseNano(price, { promptTokens: 1000, maxTokens: 100, n: 1 }, at) > 0)
    }
    assert.equal(statements, 0)
  })

  test('refuses to change or delete a row of a price', async () => {
    const { db } = service.services
    await assert.rejects(db.run(sql`update gateway_price set input = 1`), /append-only/)
    await assert.rejects(db.run(sql`delete from gateway_price`), /append-only/)
  })
})
