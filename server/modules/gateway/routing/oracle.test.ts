import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { registerHuman, sharedService, type TestService } from '#test'

interface Answer {
  model: string
  tier: string
  complexity: { score: number; features: object[] } | null
  candidates: { model: string; excludedBecause?: string }[]
  estimatedCost: { min: string; max: string }
  savingsVsPremium: { percent: number }
  fallbacks: string[]
  code: string
  hint: string
  message: string
}

suite('selection over HTTP', () => {
  let service: TestService
  let key: string
  let token: string
  before(async () => {
    service = await sharedService()
    token = (await registerHuman(service)).token
    key = await makeKey({})
  })
  after(() => service.close())

  async function makeKey(fields: object): Promise<string> {
    const { status, text, body } = await service.http<{ key: string }>('POST', '/v1/auth/keys', {
      token,
      body: { name: 'Routing', ...fields },
    })
    assert.equal(status, 201, text)
    return body.key
  }
  const ask = (body: object, { url = '/v1/route', by = key } = {}) =>
    service.http<Answer>('POST', url, { headers: { 'x-api-key': by }, body })

  test('shows the selection for a prompt, also by the alias', async () => {
    for (const url of ['/v1/route', '/v1/routing/select']) {
      const { status, body } = await ask({ prompt: 'What is the capital of France?' }, { url })
      assert.equal(status, 201)
      assert.equal(body.tier, 'economy')
      assert.equal(body.candidates.length, 15)
      assert.ok((body.complexity?.score ?? 1) < 0.35)
      assert.equal(body.complexity?.features.length, 5)
      assert.ok(Number(body.estimatedCost.max) > Number(body.estimatedCost.min))
      assert.ok(body.savingsVsPremium.percent > 50)
      assert.ok(body.fallbacks.length > 5)
      assert.ok(!body.fallbacks.includes(body.model))
    }
  })

  test('forces the tier of a virtual name and uses a listed model as named', async () => {
    const prompt = 'Hello'
    assert.equal((await ask({ prompt, model: 'svc/performance' })).body.tier, 'premium')
    const { body } = await ask({ prompt, model: 'glm-5' })
    assert.equal(body.model, 'glm-5')
    assert.equal(body.complexity, null)
  })

  test('answers 404 for an unknown model and names the closest', async () => {
    for (const url of ['/v1/route', '/v1/routing/select']) {
      const { status, body } = await ask({ prompt: 'Hello', model: 'glm-55' }, { url })
      assert.equal(status, 404)
      assert.equal(body.code, 'MODEL_NOT_FOUND')
      assert.match(body.hint, /glm-5/)
    }
  })

  test('answers 400 for what a named model lacks and for a body without a prompt', async () => {
    const image = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }]
    const { status, body } = await ask({ model: 'glm-5', messages: [{ role: 'user', content: image }] })
    assert.equal(status, 400)
    assert.equal(body.code, 'UNSUPPORTED_PARAMETER')
    assert.equal((await ask({ model: 'auto' })).status, 400)
    const tooMuch = await ask({ prompt: 'Hello', model: 'glm-5', max_tokens: 9_000_000 })
    assert.equal(tooMuch.status, 400)
  })

  test('answers 403 where key or constraints allow no model', async () => {
    const by = await makeKey({ allowedModels: ['glm-5'] })
    assert.equal((await ask({ prompt: 'Hello' }, { by })).body.model, 'glm-5')
    assert.equal((await ask({ prompt: 'Hello', model: 'kimi-k3' }, { by })).status, 403)
    const cheap = await ask({ prompt: 'Hello', constraints: { maxPriceUsd: 0.000001 } })
    assert.equal(cheap.status, 403)
    assert.equal(cheap.body.code, 'MAX_PRICE_EXCEEDED')
  })

  test('answers 401 without a key and 400 to another kind of credential', async () => {
    assert.equal((await service.http('POST', '/v1/route', { body: { prompt: 'Hello' } })).status, 401)
    const { status, body } = await service.http<Answer>('POST', '/v1/route', {
      token,
      body: { prompt: 'Hello' },
    })
    assert.equal(status, 400)
    assert.equal(body.message, 'Invalid auth type')
  })
})
