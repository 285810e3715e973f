import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  as,
  deliveredDeal,
  must,
  openMarket,
  publishAgent,
  sharedService,
  type Market,
  type TestService,
} from '#test'

interface Reviews {
  items: { rating: number; comment: string | null }[]
  total: number
  average: number | null
  count: number
  distribution: number[]
}

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

const change = async (accountId: string, action: 'suspend' | 'reinstate') => {
  const { status, text } = await service.http('POST', `/admin/users/${accountId}/${action}`, {
    token: await service.adminToken(),
    body: { reason: 'Fraud' },
  })
  assert.equal(status, 200, text)
}

/** Buys from the agent, and returns what rates the deal. */
async function bought(from: Market): Promise<(rating: number, comment?: string) => ReturnType<typeof as>> {
  const { id: negotiationId, escrowId } = await deliveredDeal(from)
  await must(from, 'buyer', '/payments/ap2/release', { escrowId })
  return (rating, comment) =>
    as(from, 'buyer', `/agents/${from.agent.id}/reviews`, { negotiationId, rating, comment })
}

async function rated(from: Market, rating: number, comment?: string): Promise<void> {
  const { status, text } = await (await bought(from))(rating, comment)
  assert.equal(status, 201, text)
}

/** The average and the number of ratings, and the average in the record of the agent. */
async function shown({ agent: { id } }: Market): Promise<unknown[]> {
  const { body } = await service.http<Reviews>('GET', `/agents/${id}/reviews`)
  assert.equal(body.total, body.count)
  assert.equal(body.items.length, body.count)
  const record = await service.http<{ stats: { rating: number | null } }>('GET', `/agents/${id}`)
  return [body.average, body.count, record.body.stats.rating]
}

test('ratings by a suspended account do not count until it is reinstated', async () => {
  const market = await openMarket(service)
  const friend: Market = { ...(await openMarket(service)), agent: market.agent }
  const other: Market = { ...friend, agent: await publishAgent(service, market.agent.owner) }
  await rated(market, 2)
  await rated(friend, 5, 'Buy it')
  await rated(friend, 5)
  await rated(other, 5)
  assert.deepEqual(
    [await shown(market), await shown(other)],
    [
      [4, 3, 4],
      [5, 1, 5],
    ],
  )
  await change(friend.buyer.id, 'suspend')
  assert.deepEqual(
    [await shown(market), await shown(other)],
    [
      [2, 1, 2],
      [null, 0, null],
    ],
  )
  // A rating of another buyer meanwhile.
  await rated(market, 3)
  assert.deepEqual(await shown(market), [2.5, 2, 2.5])
  await change(friend.buyer.id, 'reinstate')
  assert.deepEqual(
    [await shown(market), await shown(other)],
    [
      [3.75, 4, 3.75],
      [5, 1, 5],
    ],
  )
})

test('a rating that arrives while its author is suspended counts only after the reinstatement', async () => {
  const market = await openMarket(service)
  let count = 0
  for (let round = 0; round < 6; round++) {
    const rate = await bought(market)
    const [answer] = await Promise.all([rate(4), change(market.buyer.id, 'suspend')])
    if (answer.status === 201) count++
    else assert.equal(answer.status, 403, answer.text)
    assert.deepEqual(await shown(market), [null, 0, null])
    await change(market.buyer.id, 'reinstate')
    assert.deepEqual(await shown(market), count ? [4, count, 4] : [null, 0, null])
  }
})
