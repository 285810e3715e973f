import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import {
  as,
  heldDeal,
  openMarket,
  sharedService,
  type CriterionView,
  type Market,
  type TestService,
} from '#test'

const CONTENT = Buffer.from('%PDF-1.4\nreport of the vault')
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')

interface Delivered {
  details: { criteria: CriterionView[] }
  delivery: { status: string; criteria: CriterionView[] }
}

suite('a criterion of kind file looks at artifacts of the vault', () => {
  let service: TestService
  let market: Market
  let vaultId: string
  before(async () => {
    service = await sharedService()
    market = await openMarket(service)
    const response = await fetch(`${service.baseUrl}/vault?name=report.pdf`, {
      method: 'POST',
      headers: { 'x-agent-api-key': market.agent.apiKey, 'content-type': 'application/pdf' },
      body: CONTENT,
    })
    assert.equal(response.status, 201)
    vaultId = ((await response.json()) as { id: string }).id
  })
  after(() => service.close())

  async function deliver(condition: object, artifacts: object[] = [{ name: 'report', vaultId }]) {
    const acceptance = [{ key: 'report', kind: 'file', ...condition }]
    const { id } = await heldDeal(market, { requirements: { acceptance } })
    const { status, body, text } = await as<Delivered>(market, 'seller', '/ap2/deliver', {
      negotiationId: id,
      artifacts,
    })
    const [criterion] = (status === 201 ? body.delivery : body.details)?.criteria ?? []
    assert.ok(criterion, text)
    return [status, criterion.status, criterion.detail]
  }

  test('passes with the type, the size and the hash that the vault stored', async () => {
    for (const condition of [
      { type: 'application/pdf' },
      { type: 'application/*', size: { min: 10, max: 1000 }, sha256: SHA256 },
      { name: 'report', sha256: SHA256 },
    ])
      assert.deepEqual(await deliver(condition), [201, 'PASSED', null])
  })

  test('fails with another type, size or hash, and without the artifact', async () => {
    assert.deepEqual(await deliver({ type: 'image/png' }), [
      400,
      'FAILED',
      'its type is application/pdf, not image/png',
    ])
    assert.deepEqual(await deliver({ size: { max: 5 } }), [400, 'FAILED', `it has ${CONTENT.length} bytes`])
    assert.deepEqual(await deliver({ sha256: 'a'.repeat(64) }), [400, 'FAILED', `its sha256 is ${SHA256}`])
    assert.deepEqual(await deliver({ name: 'chart', type: 'application/pdf' }), [
      400,
      'FAILED',
      'no artifact "chart" with a URL or from the vault',
    ])
  })
})
