import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  heldDeal,
  must,
  openMarket,
  publishAgent,
  startTestService,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await startTestService({ VAULT_QUOTA_MB: '1' })
  market = await openMarket(service)
})
after(() => service.close())

const upload = async ({ agent }: Market, bytes: number) => {
  const response = await fetch(`${service.baseUrl}/vault`, {
    method: 'POST',
    headers: { 'x-agent-api-key': agent.apiKey, 'content-type': 'application/octet-stream' },
    body: randomBytes(bytes),
  })
  const { id, code } = (await response.json()) as { id: string; code?: string }
  return { status: response.status, id, code }
}
const deliver = async (seller: Market, vaultId: string) => {
  const deal = await heldDeal(seller)
  const artifacts = [{ name: 'work', vaultId }]
  await must(seller, 'seller', '/ap2/deliver', { negotiationId: deal.id, artifacts })
  return deal
}
const refused = { status: 403, id: undefined, code: 'VAULT_QUOTA_EXCEEDED' }

test('a delivered file counts until its deal has ended, and the buyer still opens it', async () => {
  for (const verb of ['release', 'refund']) {
    const file = await upload(market, 600_000)
    assert.equal(file.status, 201, verb)
    const { escrowId } = await deliver(market, file.id)
    assert.deepEqual(await upload(market, 600_000), refused)
    if (verb === 'release') await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    else await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    if (verb === 'refund') continue
    const { token } = market.buyer
    assert.equal((await service.http('GET', `/vault/${file.id}/content`, { token })).status, 200)
  }
  assert.equal((await upload(market, 600_000)).status, 201)
  assert.deepEqual(await upload(market, 600_000), refused, 'what is in no deal counts')
})

test('a file of a deal with oneself counts after its end too', async () => {
  const own: Market = { ...market, agent: await publishAgent(service, market.buyer) }
  const { escrowId } = await deliver(own, (await upload(own, 600_000)).id)
  await must(own, 'buyer', '/payments/ap2/release', { escrowId })
  assert.deepEqual(await upload(own, 600_000), refused)
})
