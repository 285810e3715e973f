import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  allStatementsOf,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  readDeal,
  registerHuman,
  sharedService,
  type ListedAgent,
  type Market,
  type TestService,
} from '#test'

type Items<Item> = { items: Item[]; total: number }
interface Network {
  primaryAgentId: string
  nodes: { id: string; interactions: number; dealsAsBuyer: number; dealsAsSeller: number }[]
  edges: {
    source: string
    target: string
    transactionCount: number
    totalValue: string
    latestStatus: string
  }[]
}

let service: TestService
let market: Market
/** An agent of the buyer with money in its wallet. */
let buying: ListedAgent
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  buying = await publishAgent(service, market.buyer)
  await must(market, 'operator', '/wallets/admin/test-credit', {
    walletId: buying.walletId,
    amount: 1000,
    reason: 'test',
  })
})
after(() => service.close())

const byAgent = (more: object = {}) => ({ requesterAgentId: buying.id, ...more })
const named = async ({ id, slug }: ListedAgent) => {
  const { body } = await service.http<{ name: string }>('GET', `/agents/${id}`)
  return { id, slug, name: body.name }
}
const network = async (id: string) => (await service.http<Network>('GET', `/agents/${id}/network`)).body

test('lists what a person bought, directly and by an agent', async () => {
  const own = await openMarket(service)
  const held = await heldDeal(own)
  const done = await deliveredDeal(own)
  await must(own, 'buyer', '/payments/ap2/release', { escrowId: done.escrowId })
  interface Purchase {
    id: string
    amount: string
    status: string
    agent: { id: string }
    escrow: { id: string; status: string; held: string; released: string }
  }
  const { items, total } = await must<Items<Purchase>>(own, 'buyer', '/agents/my-purchases')
  assert.equal(total, 2)
  assert.deepEqual(
    items.map(({ id, amount, status, agent, escrow }) => [id, amount, status, agent.id, escrow.status]),
    [
      [done.id, '100.00', 'COMPLETED', own.agent.id, 'RELEASED'],
      [held.id, '100.00', 'ESCROWED', own.agent.id, 'HELD'],
    ],
  )
  assert.deepEqual([items[1]?.escrow.held, items[0]?.escrow.released], ['100.00', '100.00'])
  const completed = await must<Items<Purchase>>(own, 'buyer', '/agents/my-purchases?status=COMPLETED')
  assert.deepEqual(
    completed.items.map(({ id }) => id),
    [done.id],
  )
  assert.equal((await must<Items<Purchase>>(own, 'seller', '/agents/my-purchases')).total, 0)
})

test('lists the payments of an agent with their deals, and its deals with other agents', async () => {
  const done = await deliveredDeal(market, byAgent({ budget: 80 }))
  await must(market, 'buyer', '/payments/ap2/release', { escrowId: done.escrowId })
  await heldDeal(market, { budget: 7 })
  interface Payment {
    direction: string
    amount: string
    negotiationId: string
    escrowId: string
    counterpartyAgentId: string
  }
  const of = (role: 'buyer' | 'seller', id: string) =>
    must<Items<Payment>>(market, role, `/agents/${id}/payment-history`)
  const seen = ({ direction, amount, negotiationId, escrowId, counterpartyAgentId }: Payment) => [
    direction,
    amount,
    negotiationId,
    escrowId,
    counterpartyAgentId,
  ]
  const [spent] = (await of('buyer', buying.id)).items
  assert.deepEqual(spent && seen(spent), ['SPENT', '80.00', done.id, done.escrowId, market.agent.id])
  const [received] = (await of('seller', market.agent.id)).items
  // Less the fee of 20 %.
  assert.deepEqual(received && seen(received), ['RECEIVED', '64.00', done.id, done.escrowId, buying.id])

  interface Transaction {
    id: string
    role: string
    counterparty: { id: string }
  }
  const deals = await must<Items<Transaction>>(
    market,
    'seller',
    `/agents/${market.agent.id}/a2a-transactions`,
  )
  // The deal with the person is not among them.
  assert.deepEqual(
    deals.items.map(({ id, role, counterparty }) => [id, role, counterparty.id]),
    [[done.id, 'seller', buying.id]],
  )
  const path = `/agents/${buying.id}/a2a-transactions?role=seller`
  assert.equal((await must<Items<Transaction>>(market, 'buyer', path)).total, 0)
})

test('shows the network of an agent without deals with oneself and agents that are not listed', async () => {
  const seller = await publishAgent(service, market.agent.owner)
  const to: Market = { ...market, agent: seller }
  for (const budget of [10, 15]) await heldDeal(to, byAgent({ budget }))
  // An unfunded one, one with oneself, and one with an agent that becomes private.
  await must(
    market,
    'buyer',
    '/ap2/negotiate',
    byAgent({ responderAgentId: seller.id, service: 'x', budget: 1 }),
  )
  const own = await publishAgent(service, market.buyer)
  await heldDeal({ ...market, agent: own }, byAgent({ budget: 2 }))
  const hidden = await publishAgent(service, await registerHuman(service))
  await heldDeal({ ...market, agent: hidden }, byAgent({ budget: 3 }))
  await service.http('PATCH', `/agents/${hidden.id}`, {
    token: hidden.owner.token,
    body: { visibility: 'PRIVATE' },
  })
  assert.deepEqual(await network(seller.id), {
    primaryAgentId: seller.id,
    nodes: [
      { ...(await named(seller)), interactions: 2, dealsAsBuyer: 0, dealsAsSeller: 2 },
      { ...(await named(buying)), interactions: 2, dealsAsBuyer: 2, dealsAsSeller: 0 },
    ],
    edges: [
      {
        source: buying.id,
        target: seller.id,
        transactionCount: 2,
        totalValue: '25.00',
        latestStatus: 'ESCROWED',
      },
    ],
  })
  const { nodes } = await network(buying.id)
  assert.ok(nodes.some(({ id }) => id === seller.id))
  assert.ok(!nodes.some(({ id }) => id === own.id || id === hidden.id))
})

test('reads a page of purchases in as many statements as one of 20', async () => {
  const count = async (limit: number): Promise<number> => {
    const statements = await allStatementsOf(service, /^(?![^]*due_at)[^]*(?:ap2_|agents_)/, () =>
      must(market, 'buyer', `/agents/my-purchases?limit=${limit}`),
    )
    return statements.length
  }
  // Mails of the deals above may be written meanwhile, which only adds statements.
  const least = async (limit: number) => Math.min(await count(limit), await count(limit), await count(limit))
  assert.equal(await least(1), await least(100))
})

test('the inbox of the seller lists a deal whose next milestone is open, although one waits for the buyer', async () => {
  const milestones = [
    { key: 'one', amount: 40 },
    { key: 'two', amount: 60 },
  ]
  const own = await openMarket(service)
  const { id: negotiationId, escrowId } = await heldDeal(own, { milestones })
  const waiting = async () =>
    (await must<Items<{ id: string }>>(own, 'seller', `/agents/${own.agent.id}/inbox`)).items.map(
      ({ id }) => id,
    )
  const deliver = (milestoneKey: string) =>
    must(own, 'seller', '/ap2/deliver', { negotiationId, result: 'done', milestoneKey })
  await deliver('one')
  assert.equal((await readDeal(own, negotiationId)).status, 'DELIVERED')
  assert.deepEqual(await waiting(), [negotiationId])
  await deliver('two')
  assert.deepEqual(await waiting(), [])
  await must(own, 'buyer', `/payments/escrow/${escrowId}/changes`, { reason: 'more', milestoneKey: 'two' })
  assert.deepEqual(await waiting(), [negotiationId])
  await must(own, 'buyer', `/payments/escrow/${escrowId}/dispute`, { reason: 'no' })
  assert.deepEqual(await waiting(), [])
})
