import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI, { NotFoundError } from 'openai'
import { recordQueries, registerHuman, sharedService, type TestService } from '#test'
import { VIRTUAL_MODELS } from '../core/model.ts'
import { CHAT_MODELS, EMBEDDING_MODELS } from './data/models.ts'
import type { ModelView, VirtualModelView } from './schema.ts'

interface List {
  object: string
  data: ModelView[]
  virtual: VirtualModelView[]
  embeddings: ModelView[]
}

suite('the list of models', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const list = async (path = '/v1/models') => (await service.http<List>('GET', path)).body
  const model = async (id: string) => {
    const found = (await list()).data.find(model => model.id === id)
    assert.ok(found, id)
    return found
  }

  test('has exactly the 15 chat models in data, without credentials', async () => {
    const { object, data, virtual, embeddings } = await list()
    assert.equal(object, 'list')
    assert.deepEqual(
      data.map(({ id }) => id),
      CHAT_MODELS.map(({ id }) => id),
    )
    assert.equal(data.length, 15)
    assert.deepEqual(
      virtual.map(({ id }) => id),
      [...VIRTUAL_MODELS],
    )
    assert.deepEqual(
      embeddings.map(({ id }) => id),
      EMBEDDING_MODELS.map(({ id }) => id),
    )
  })

  test('is the same under its alias', async () => {
    assert.deepEqual(await list('/v1/routing/models'), await list())
  })

  test('shows capabilities, limits, status and prices per million tokens', async () => {
    assert.deepEqual(await model('gpt-6-luna'), {
      id: 'gpt-6-luna',
      object: 'model',
      created: 1_795_132_800,
      owned_by: 'openai',
      tier: 'economy',
      status: 'available',
      context: 1_050_000,
      maxOutput: 128_000,
      capabilities: { vision: true, tools: true, json_schema: true, reasoning: true },
      pricing: {
        currency: 'USD',
        input: '0.10',
        output: '0.50',
        cacheRead: '0.01',
        cacheWrite: '0.125',
        lengthTiers: [
          { above: 272_000, input: '0.20', output: '0.75', cacheRead: '0.02', cacheWrite: '0.25' },
        ],
        peak: null,
        validFrom: '1970-01-01T00:00:00.000Z',
      },
    })
    assert.deepEqual((await model('deepseek-flash')).pricing.peak, {
      days: [1, 2, 3, 4, 5],
      hours: [
        [1, 4],
        [6, 10],
      ],
      input: '0.30',
      output: '1.20',
      cacheRead: '0.006',
      cacheWrite: '0.30',
    })
  })

  test('returns one model by its id, virtual ones with an encoded or a plain slash', async () => {
    const get = (path: string) => service.http<ModelView | VirtualModelView>('GET', `/v1/models/${path}`)
    assert.deepEqual((await get('kimi-k2.6')).body, await model('kimi-k2.6'))
    assert.equal((await get('text-embedding-3-small')).body.owned_by, 'openai')
    for (const path of ['svc/budget', 'svc%2Fbudget']) {
      const { status, body } = await get(path)
      assert.deepEqual([status, body.id, body.tier], [200, 'svc/budget', 'economy'])
    }
    assert.equal((await get('auto')).body.tier, null)
  })

  test('answers 404 for an unknown model', async () => {
    for (const path of ['gpt-7', 'svc/luxury', 'svc%2Fluxury']) {
      const { status, text } = await service.http('GET', `/v1/models/${path}`)
      assert.equal(status, 404, path)
      assert.match(text, /Model not found/)
    }
  })

  test('answers 400 for a name that is longer than any', async () => {
    const long = 'a'.repeat(101)
    for (const path of [long, `svc/${long}`])
      assert.equal((await service.http('GET', `/v1/models/${path}`)).status, 400)
  })

  test('is what the official OpenAI client lists and retrieves', async () => {
    const client = new OpenAI({ baseURL: `${service.baseUrl}/v1`, apiKey: 'rk_none', maxRetries: 0 })
    const ids: string[] = []
    for await (const { id, object, owned_by } of client.models.list()) {
      assert.deepEqual([object, typeof owned_by], ['model', 'string'])
      ids.push(id)
    }
    assert.deepEqual(
      ids,
      CHAT_MODELS.map(({ id }) => id),
    )
    assert.equal((await client.models.retrieve('svc/performance')).id, 'svc/performance')
    await assert.rejects(client.models.retrieve('gpt-7'), NotFoundError)
  })

  test('sends no statement to the database', async () => {
    const { queries } = await recordQueries(async () => {
      await list()
      await service.http('GET', '/v1/models/glm-5')
    })
    assert.deepEqual(queries, [])
  })

  test('lets nobody but an admin change prices', async () => {
    const { token } = await registerHuman(service)
    const { status } = await service.http('POST', '/v1/routing/admin/sync-models', { token, body: {} })
    assert.equal(status, 403)
  })
})
