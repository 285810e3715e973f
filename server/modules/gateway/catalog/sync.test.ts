import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { HOUR, SECOND } from '#platform/kernel/clock'
import { eventually, startTestService, type Instance, type TestService } from '#test'
import { LEAD_MS } from './plan-sync.ts'
import type { ModelView, PriceChange, SyncReport } from './schema.ts'

interface Audited {
  items: { action: string; details: Record<string, unknown> }[]
}

suite('the change of prices', () => {
  let service: TestService
  let prices: Server
  /** What the server of MODEL_PRICES_URL answers. */
  let served: { status: number; body: string }
  before(async () => {
    prices = createServer((_, response) => response.writeHead(served.status).end(served.body))
    prices.unref()
    await new Promise<void>(resolve => prices.listen(0, '127.0.0.1', resolve))
    service = await startTestService()
  })
  after(async () => {
    await service.close()
    prices.close()
  })

  const sync = async (body?: { changes?: PriceChange[] }, { http }: Pick<Instance, 'http'> = service) =>
    http<SyncReport>('POST', '/v1/routing/admin/sync-models', { token: await service.adminToken(), body })
  const pricingOf = async (id: string, { http }: Pick<Instance, 'http'> = service) =>
    (await http<ModelView>('GET', `/v1/models/${id}`)).body.pricing
  const sourceUrl = () => `http://127.0.0.1:${(prices.address() as AddressInfo).port}/prices.json`

  test('checks the current prices if it is given nothing', async () => {
    for (const body of [undefined, {}]) {
      const { status, body: report } = await sync(body)
      assert.equal(status, 201)
      assert.deepEqual(report, { source: 'current', checked: 18, changed: [], rejected: [] })
    }
  })

  test('applies what passes, reports what does not, and audits both', async () => {
    const { status, body } = await sync({
      changes: [
        { model: 'glm-5', input: '1.10', output: '3.30' },
        { model: 'kimi-k3', input: '0.30', output: '1.50' },
      ],
    })
    assert.equal(status, 201)
    assert.equal(body.checked, 2)
    assert.deepEqual(
      body.changed.map(({ model, pricing }) => [model, pricing.input, pricing.cacheRead]),
      [['glm-5', '1.10', '0.22']],
    )
    assert.deepEqual(body.rejected, [
      { model: 'kimi-k3', reason: 'the input price is not within the band of the tier mid' },
    ])
    assert.equal((await pricingOf('glm-5')).output, '3.20')
    await service.advance(LEAD_MS / SECOND)
    assert.equal((await pricingOf('glm-5')).output, '3.30')
    assert.equal((await pricingOf('kimi-k3')).output, '15.00')
    const { body: log } = await service.http<Audited>(
      'GET',
      '/admin/audit?action=gateway.prices_synced&limit=1',
      {
        token: await service.adminToken(),
      },
    )
    assert.deepEqual(log.items[0]?.details.rejected, body.rejected)
  })

  test('refuses a body that is not a list of changes', async () => {
    const token = await service.adminToken()
    const { status } = await service.http('POST', '/v1/routing/admin/sync-models', {
      token,
      body: { changes: [{ model: 'glm-5' }] },
    })
    assert.equal(status, 400)
  })

  test('changes a price at its moment of business time, on every instance', async () => {
    const other = await service.instance()
    const now = service.services.clock.now().getTime()
    const validFrom = new Date(now + 2 * HOUR).toISOString()
    const { body } = await sync({
      changes: [{ model: 'grok-4.3', input: '1.50', output: '3.00', validFrom }],
    })
    assert.deepEqual(
      body.changed.map(({ pricing }) => pricing.validFrom),
      [validFrom],
    )
    assert.equal((await pricingOf('grok-4.3')).input, '1.25')
    await service.advance((2 * HOUR) / SECOND)
    assert.equal((await pricingOf('grok-4.3')).input, '1.50')
    await eventually(
      'the price of the other instance',
      async () => (await pricingOf('grok-4.3', other)).input === '1.50',
    )
    await other.close()
  })

  test('reads changes from MODEL_PRICES_URL if the body has none', async () => {
    const configured = await service.instance({ MODEL_PRICES_URL: sourceUrl() })
    served = {
      status: 200,
      body: JSON.stringify({ changes: [{ model: 'mistral-small-2603', input: 0.2, output: 0.7 }] }),
    }
    const { body } = await sync(undefined, configured)
    assert.deepEqual([body.source, body.changed[0]?.pricing.output], ['url', '0.70'])
    for (const answer of [
      { status: 500, body: '{}' },
      { status: 200, body: '<html>' },
      { status: 200, body: '{"changes": [{"model": "glm-5"}]}' },
      { status: 200, body: '{}' },
    ]) {
      served = answer
      const { status, text } = await sync(undefined, configured)
      assert.equal(status, 502)
      assert.match(text, /PRICE_SOURCE_UNAVAILABLE/)
    }
    await configured.close()
    await service.advance(LEAD_MS / SECOND)
    await eventually(
      'the price that was read',
      async () => (await pricingOf('mistral-small-2603')).input === '0.20',
    )
  })
})
