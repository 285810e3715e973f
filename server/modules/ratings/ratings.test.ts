import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  as,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type DealView,
  type Market,
  type TestService,
} from '#test'
import { planOf } from '../../../test/support/database/plan.ts'
import { summaryOf } from './sql.ts'

interface Review {
  id: string
  rating: number
  comment: string | null
  reply: string | null
}
interface Reviews {
  items: Review[]
  total: number
  average: number | null
  count: number
  distribution: number[]
}

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

async function releasedDeal(of = market): Promise<DealView> {
  const deal = await deliveredDeal(of)
  await must(of, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
  return deal
}
const path = (agentId = market.agent.id) => `/agents/${agentId}/reviews`
const reviewsOf = async (agentId?: string) => (await service.http<Reviews>('GET', path(agentId))).body

test('shows the ratings of an agent with their average, and the average in its record', async () => {
  assert.deepEqual(await reviewsOf(), {
    items: [],
    total: 0,
    limit: 20,
    offset: 0,
    average: null,
    count: 0,
    distribution: [0, 0, 0, 0, 0],
  })
  const [first, second] = [await releasedDeal(), await releasedDeal()]
  await must<Review>(market, 'buyer', path(), { negotiationId: first.id, rating: 5, comment: 'Fast' })
  await must<Review>(market, 'buyer', path(), { escrowId: second.escrowId, rating: 2 })
  const { items, average, count, distribution } = await reviewsOf()
  assert.deepEqual(
    items.map(({ rating, comment }) => [rating, comment]),
    [
      [2, null],
      [5, 'Fast'],
    ],
  )
  assert.deepEqual([average, count, distribution], [3.5, 2, [0, 1, 0, 0, 1]])
  const { body } = await service.http<{ stats: { rating: number } }>('GET', `/agents/${market.agent.id}`)
  assert.equal(body.stats.rating, 3.5)
})

test('counts one of 8 parallel ratings of a deal and refuses the others with 409', async () => {
  const { id } = await releasedDeal()
  const before = await reviewsOf()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => as(market, 'buyer', path(), { negotiationId: id, rating: 1 })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, ...Array.from({ length: 7 }, () => 409)],
  )
  assert.equal((await reviewsOf()).count, before.count + 1)
})

test('refuses a rating of a deal that is not completed, not the caller’s, or with another agent', async () => {
  const open = await heldDeal(market)
  const refused = async (status: number, role: 'buyer' | 'seller' | 'outsider', body: object) => {
    const answer = await as<{ message: unknown }>(market, role, path(), { rating: 3, ...body })
    assert.equal(answer.status, status, answer.text)
    return answer.body.message
  }
  assert.equal(await refused(409, 'buyer', { negotiationId: open.id }), 'Cannot rate while ESCROWED')
  const done = await releasedDeal()
  await refused(403, 'seller', { negotiationId: done.id })
  await refused(403, 'outsider', { escrowId: done.escrowId })
  await refused(404, 'buyer', { escrowId: market.agent.id })
  await refused(400, 'buyer', {})
  await refused(400, 'buyer', { negotiationId: done.id, escrowId: open.escrowId })
  await refused(400, 'buyer', { negotiationId: done.id, rating: 6 })
  const other = await publishAgent(service, market.outsider)
  const { status } = await as(market, 'buyer', path(other.id), { negotiationId: done.id, rating: 3 })
  assert.equal(status, 400)
})

test('a seller cannot avoid a rating by making its agent private', async () => {
  const own: Market = { ...market, agent: await publishAgent(service, market.agent.owner) }
  const { id } = await releasedDeal(own)
  const hidden = await service.http('PATCH', `/agents/${own.agent.id}`, {
    token: own.agent.owner.token,
    body: { visibility: 'PRIVATE' },
  })
  assert.equal(hidden.status, 200, hidden.text)
  const rated = await as(own, 'buyer', path(own.agent.id), { negotiationId: id, rating: 1 })
  assert.equal(rated.status, 201, rated.text)
  assert.equal((await as(own, 'buyer', path(newId()), { negotiationId: id, rating: 1 })).status, 404)
})

test('refuses a rating of a deal with oneself with 403', async () => {
  const owner = await registerHuman(service)
  const own = await openMarket(service)
  const agent = await publishAgent(service, owner)
  await must(own, 'operator', '/wallets/admin/test-credit', {
    walletId: owner.walletId,
    amount: 200,
    reason: 'test',
  })
  const self: Market = { ...own, buyer: owner, agent }
  const { id } = await releasedDeal(self)
  const { status, body } = await as(self, 'buyer', path(agent.id), { negotiationId: id, rating: 5 })
  assert.deepEqual([status, body.message], [403, 'Deals with yourself cannot be rated'])
  assert.equal((await reviewsOf(agent.id)).count, 0)
})

test('ratings by the account that claims the agent do not count, and further ones are refused', async () => {
  const creator = await registerHuman(service)
  const announced = await service.http<{ agent_id: string; api_key: string; claim_url: string }>(
    'POST',
    '/agents/announce',
    { token: creator.token, body: { name: 'Rated' } },
  )
  const { agent_id: id, api_key: apiKey, claim_url: link } = announced.body
  assert.equal((await service.http('POST', `/agents/${id}/publish`, { token: creator.token })).status, 201)
  const own: Market = { ...market, agent: { ...market.agent, id, apiKey, owner: creator } }
  const [first, second] = [await releasedDeal(own), await releasedDeal(own)]
  await must<Review>(own, 'buyer', path(id), { negotiationId: first.id, rating: 5 })
  assert.equal((await reviewsOf(id)).average, 5)
  const claimed = await service.http('POST', `/agents/claim/${link.split('/').at(-1)}`, {
    token: market.buyer.token,
  })
  assert.equal(claimed.status, 200, claimed.text)
  const { average, count, items } = await reviewsOf(id)
  assert.deepEqual([average, count, items], [null, 0, []])
  const agent = await service.http<{ stats: { rating: number | null } }>('GET', `/agents/${id}`)
  assert.equal(agent.body.stats.rating, null)
  const again = await as(own, 'buyer', path(id), { negotiationId: second.id, rating: 5 })
  assert.equal(again.status, 403, again.text)
})

test('lets the seller reply once', async () => {
  const { id } = await releasedDeal()
  const review = await must<Review>(market, 'buyer', path(), { negotiationId: id, rating: 3 })
  const reply = (role: 'buyer' | 'seller', reviewId = review.id) =>
    as<Review>(market, role, `${path()}/${reviewId}/reply`, { reply: 'Sorry' })
  assert.equal((await reply('buyer')).status, 403)
  assert.equal((await reply('seller', id)).status, 404)
  const { status, body } = await reply('seller')
  assert.deepEqual([status, body.reply], [201, 'Sorry'])
  assert.equal((await reply('seller')).status, 409)
})

test('reads the mean of an agent from an index alone', async () => {
  const { id, owner } = market.agent
  const plan = await planOf(service, summaryOf({ id, ownerId: owner.id, creatorId: owner.id }, true), [
    'enable_seqscan',
    'enable_bitmapscan',
  ])
  assert.match(plan, /Index Only Scan using ratings_rating_paid/)
})
