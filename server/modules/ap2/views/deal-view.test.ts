import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  allStatementsOf,
  as,
  heldDeal,
  must,
  negotiate,
  openMarket,
  publishAgent,
  sessionContext,
  sharedService,
  type Market,
  type TestService,
} from '#test'
import { openDispute } from '../dispute/dispute.ts'
import { respond } from '../negotiation/respond.ts'

interface Entry {
  subject: string
  event: string
  from: string | null
  to: string
}

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

const buyer = () => sessionContext({ accountId: market.buyer.id })

test('a timeline shows the order of the changes, also of one whose transaction began earlier', async () => {
  const { escrowId } = await heldDeal(market)
  await service.services.db.transaction(async tx => {
    await must(market, 'seller', `/payments/escrow/${escrowId}/dispute`, { reason: 'first' })
    await must(market, 'seller', `/payments/escrow/${escrowId}/dispute/withdraw`, {})
    await openDispute(tx, buyer(), escrowId, { reason: 'second' })
  })
  const { items } = await must<{ items: Entry[] }>(market, 'buyer', `/payments/escrow/${escrowId}/events`)
  const moves = items.filter(entry => entry.subject === 'escrow')
  assert.deepEqual(
    moves.map(({ event, from, to }) => [event, from, to]),
    [
      ['hold', null, 'HELD'],
      ['dispute', 'HELD', 'DISPUTED'],
      ['withdraw', 'DISPUTED', 'HELD'],
      ['dispute', 'HELD', 'DISPUTED'],
    ],
  )
  const { dispute } = await must<{ dispute: { reason: string } }>(
    market,
    'buyer',
    `/payments/escrow/${escrowId}`,
  )
  assert.equal(dispute.reason, 'second')
})

test('a deadline that passed while a command waited for the deal counts', async () => {
  const { id } = await negotiate(market, { expiresInSeconds: 60 })
  await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'COUNTERED', price: 120 })
  const late = service.services.db.transaction(async tx => {
    await service.services.db.pool.query(`update ap2_negotiation set expires_at = $1 where id = $2`, [
      new Date(tx.now.getTime() + 1),
      id,
    ])
    await new Promise(resolve => setTimeout(resolve, 5))
    await respond(
      tx,
      buyer(),
      { negotiationId: id, status: 'ACCEPTED' },
      { tierLimit: 1_000_000_000n, seal: String },
    )
  })
  await assert.rejects(late, /Negotiation not found/)
  assert.equal((await as(market, 'buyer', `/ap2/negotiations/${id}`)).status, 400)
})

test('a list of 100 deals takes as many statements as one of 20', async () => {
  const many = await openMarket(service)
  // Each deal with an agent of its own, so that reading them one by one would show.
  for (let n = 0; n < 100; n++) {
    const agent = n % 2 ? many.agent : await publishAgent(service, many.agent.owner)
    await negotiate({ ...many, agent }, { budget: 1 })
  }
  const count = async (limit: number): Promise<number> => {
    // What deals and agents are asked for, but not the loops that look for deadlines.
    const statements = await allStatementsOf(service, /^(?![^]*due_at)[^]*(?:ap2_|agents_)/, async () => {
      const { items } = await must<{ items: object[] }>(many, 'buyer', `/ap2/negotiations?limit=${limit}`)
      assert.equal(items.length, limit)
    })
    return statements.length
  }
  // What the service does beside a request adds statements to some of them.
  const least = async (limit: number) => Math.min(await count(limit), await count(limit), await count(limit))
  // The list, its total, and all that belongs to the deals.
  assert.deepEqual([await least(20), await least(100)], [3, 3])
})

test('finds deals by a part of the service, or of the name of an agent', async () => {
  const here = await openMarket(service)
  const agent = await publishAgent(service, here.agent.owner, { name: 'Polly 100% Glot' })
  await negotiate({ ...here, agent }, { requestedService: 'Translate a_page' })
  await negotiate(here, { requestedService: 'Translate apage' })
  const found = async (search: string) => {
    const path = `/ap2/negotiations?search=${encodeURIComponent(search)}`
    const { items } = await must<{ items: { requestedService: string }[] }>(here, 'buyer', path)
    return items.map(({ requestedService }) => requestedService)
  }
  assert.deepEqual(await found('TRANSLATE'), ['Translate apage', 'Translate a_page'])
  assert.deepEqual(await found('a_p'), ['Translate a_page'])
  assert.deepEqual(await found('100% gl'), ['Translate a_page'])
  assert.deepEqual(await found('nothing of this kind'), [])
  assert.equal((await found(' ')).length, 2)
})
