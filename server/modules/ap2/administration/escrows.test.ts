import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  heldDeal,
  must,
  openMarket,
  sharedService,
  allStatementsOf,
  type Market,
  type TestService,
} from '#test'

interface Escrows {
  items: {
    id: string
    status: string
    held: string
    buyer: { accountId: string; accountName: string; agentName: string | null }
    seller: { accountId: string; agentName: string | null }
    disputeReason: string | null
    freezes: string[]
  }[]
  total: number
}

let service: TestService
let market: Market
let token: string
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  token = await service.adminToken()
})
after(() => service.close())

const list = async (query: string): Promise<Escrows> => {
  const { status, body } = await service.http<Escrows>('GET', `/admin/escrows?${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('lists disputed and frozen escrows of all accounts with the names of both parties', async () => {
  const [disputed, frozen] = [await heldDeal(market), await heldDeal(market)]
  const path = `/payments/escrow/${disputed.escrowId}/dispute`
  await must(market, 'buyer', path, { reason: 'Not what was agreed' })
  await must(market, 'seller', `/agents/${market.agent.id}/revoke-key`, {})
  const of = async (status: string) =>
    (await list(`status=${status}&limit=100`)).items.find(({ id }) =>
      [disputed.escrowId, frozen.escrowId].includes(id),
    )
  // The revocation froze both; the dispute goes on behind it.
  assert.equal(await of('DISPUTED'), undefined)
  const { items, total } = await list(`accountId=${market.buyer.id}`)
  assert.equal(total, 2)
  const [second, first] = items
  assert.deepEqual((await list(`id=${disputed.escrowId}`)).items, [first])
  assert.deepEqual([first?.id, second?.id], [disputed.escrowId, frozen.escrowId])
  assert.deepEqual([first?.status, first?.disputeReason], ['FROZEN', 'Not what was agreed'])
  assert.deepEqual([second?.held, second?.disputeReason, second?.freezes.length], ['100.00', null, 1])
  assert.equal(first?.buyer.accountId, market.buyer.id)
  assert.deepEqual([first.buyer.agentName, typeof first.seller.agentName], [null, 'string'])
  assert.equal((await of('FROZEN'))?.status, 'FROZEN')
})

test('reads a page of any size with the same number of statements', async () => {
  const count = async (limit: number) =>
    (
      await allStatementsOf(service, /ap2_escrow e join ap2_negotiation n/, () =>
        list(`accountId=${market.buyer.id}&limit=${limit}`),
      )
    ).length
  assert.equal(await count(2), await count(1))
})

test('an unknown account has no escrows; refuses an unknown state with 400', async () => {
  assert.equal((await list('accountId=nonsense')).total, 0)
  assert.equal((await list('id=nonsense')).total, 0)
  assert.equal((await service.http('GET', '/admin/escrows?status=LOST', { token })).status, 400)
})
