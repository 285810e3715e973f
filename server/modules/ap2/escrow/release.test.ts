import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf, checkLedger } from '#ledger'
import { sql } from '#platform/kernel/sql'
import { escrowChecks } from '../check.ts'
import {
  acceptedDeal,
  as,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  readDeal,
  readEscrow,
  registerHuman,
  sharedService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(async () => {
  const { findings } = await checkLedger(service.services.db, escrowChecks)
  await service.close()
  assert.deepEqual(findings, [], 'the books')
})

interface Released {
  message: string
  status: string
  fee: string
  netToSeller: string
  commission: string
  escrow: EscrowView
  transaction: { kind: string; legs: { debit: string; credit: string; amount: string }[] }
}
const release = (escrowId: string, body: object = {}) =>
  as<Released>(market, 'buyer', '/payments/ap2/release', { escrowId, ...body })
const walletOf = async (id: string, token: string) =>
  (
    await service.http<{ available: string; withdrawable: string; reserved: string; balance: string }>(
      'GET',
      `/wallets/${id}`,
      { token },
    )
  ).body

test('real money: the seller has 80 and the platform 20 of 100; what is in escrow is reserved until then', async () => {
  const paying = await openMarket(service, { amount: 150, card: true })
  const deal = await deliveredDeal(paying)
  const during = await walletOf(paying.buyer.walletId, paying.buyer.token)
  assert.deepEqual([during.available, during.reserved, during.balance], ['50.00', '100.00', '150.00'])
  const released = await must<Released>(paying, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
  assert.deepEqual(
    released.transaction.legs.map(leg => [leg.debit.slice(0, 4), leg.credit.slice(0, 4), leg.amount]),
    [
      ['2020', '2010', '80.00'],
      ['2020', '4010', '20.00'],
    ],
  )
  assert.equal((await walletOf(paying.agent.walletId, paying.agent.owner.token)).withdrawable, '80.00')
  assert.deepEqual([(await walletOf(paying.buyer.walletId, paying.buyer.token)).balance], ['50.00'])
})

test('test money stays test money: the fee goes back to its float, nothing of it can be withdrawn', async () => {
  const { escrowId } = await deliveredDeal(market)
  const { body } = await release(escrowId)
  assert.deepEqual(
    body.transaction.legs.map(leg => [leg.debit.slice(0, 4), leg.credit.slice(0, 4), leg.amount]),
    [
      ['2020', '2011', '80.00'],
      ['2020', '1090', '20.00'],
    ],
  )
  assert.deepEqual(
    [body.escrow.test, (await walletOf(market.agent.walletId, market.agent.owner.token)).withdrawable],
    [true, '0.00'],
  )
})

test('a release in parts keeps the escrow HELD until the last one, and its fee is that of the whole', async () => {
  const { escrowId } = await deliveredDeal(market, { budget: '0.000007' })
  const parts = [
    await release(escrowId, { amount: '0.000003' }),
    await release(escrowId, { amount: '0.000003' }),
    await release(escrowId),
  ]
  assert.deepEqual(
    parts.map(part => part.body.status),
    ['HELD', 'HELD', 'RELEASED'],
  )
  assert.deepEqual(
    parts.map(part => part.body.fee),
    ['0.00', '0.000001', '0.00'],
  )
  assert.equal(parts[2]?.body.escrow.fee, '0.000001')
})

test('more than is held, another amount than expected, or no amount at all is refused', async () => {
  const { escrowId } = await deliveredDeal(market)
  for (const [body, status] of [
    [{ amount: 100.01 }, 400],
    [{ amount: 0 }, 400],
    [{ amount: -5 }, 400],
    [{ amount: '1e2' }, 400],
    [{ expectedHeld: 99 }, 409],
    [{ milestoneKey: 'none' }, 400],
  ] as const) {
    assert.equal((await release(escrowId, body)).status, status, JSON.stringify(body))
  }
  assert.equal((await readEscrow(market, escrowId)).held, '100.00')
  assert.equal((await release(escrowId, { expectedHeld: '100', amount: 100 })).body.status, 'RELEASED')
})

test('without a verified delivery the buyer pays only by saying so, and it counts as no completion', async () => {
  const seller = await publishAgent(service, await registerHuman(service))
  const { id, escrowId } = await heldDeal({ ...market, agent: seller })
  const refused = await release(escrowId)
  assert.deepEqual([refused.status, refused.body.message.split(':')[0]], [409, 'Escrow not verified'])
  assert.equal((await release(escrowId, { acceptUnverified: true })).body.status, 'RELEASED')
  assert.equal((await readDeal(market, id)).status, 'COMPLETED')
  const { body } = await service.http<{ stats: { completions: number } }>('GET', `/agents/${seller.id}`)
  assert.equal(body.stats.completions, 0)
})

test('three completed deals make the seller BASIC at once, deals with oneself do not', async () => {
  const owner = await registerHuman(service)
  const seller = await publishAgent(service, owner)
  const own = { ...market, agent: seller, buyer: { ...owner, walletId: owner.walletId } }
  await must(market, 'operator', '/wallets/admin/test-credit', {
    walletId: owner.walletId,
    amount: 1000,
    reason: 'test',
  })
  for (let deal = 0; deal < 3; deal++)
    await must(own, 'buyer', '/payments/ap2/release', {
      escrowId: (await deliveredDeal(own)).escrowId,
    })
  const tier = async () =>
    (await service.http<{ trustTier: string }>('GET', `/agents/${seller.id}`)).body.trustTier
  assert.equal(await tier(), 'UNVERIFIED')
  const others = { ...market, agent: seller }
  for (let deal = 0; deal < 3; deal++)
    await must(others, 'buyer', '/payments/ap2/release', {
      escrowId: (await deliveredDeal(others)).escrowId,
    })
  assert.equal(await tier(), 'BASIC')
  assert.equal(
    (
      await as(others, 'buyer', '/ap2/negotiate', {
        responderAgentId: seller.id,
        requestedService: 'more',
        budget: 5000,
      })
    ).status,
    201,
  )
})

test('a seller whose owner has Pro pays half the fee, fixed when the money is held', async () => {
  const owner = await registerHuman(service)
  const seller = { ...market, agent: await publishAgent(service, owner) }
  const before = await deliveredDeal(seller)
  await service.services.db.run(sql`update identity_account set plan = 'PRO' where id = ${owner.id}`)
  const accepted = await acceptedDeal(seller)
  assert.equal(
    (
      await as(market, 'buyer', '/payments/ap2/initiate', {
        negotiationId: accepted.id,
        expectedFeeBps: 2000,
      })
    ).status,
    409,
  )
  const held = await must<{ escrow: EscrowView }>(market, 'buyer', '/payments/ap2/initiate', {
    negotiationId: accepted.id,
    expectedFeeBps: 1000,
  })
  assert.equal(held.escrow.feeBps, 1000)
  assert.equal((await release(before.escrowId)).body.fee, '20.00')
  await must(seller, 'seller', '/ap2/deliver', { negotiationId: accepted.id, result: 'done' })
  assert.equal((await release(held.escrow.id)).body.fee, '10.00')
})

test('milestones are delivered and paid one by one', async () => {
  const deal = await heldDeal(market, {
    milestones: [
      { key: 'one', amount: 30 },
      { key: 'two', amount: 70 },
    ],
  })
  const deliver = (milestoneKey?: string) =>
    as(market, 'seller', '/ap2/deliver', {
      negotiationId: deal.id,
      result: 'part',
      milestoneKey,
    })
  assert.equal((await deliver()).status, 400, 'which of the two?')
  assert.equal((await deliver('three')).status, 400)
  assert.equal((await deliver('one')).status, 201)
  assert.equal((await release(deal.escrowId)).status, 409, 'the other one is open')
  const first = await release(deal.escrowId, { milestoneKey: 'one' })
  assert.deepEqual(
    [first.body.status, first.body.netToSeller, (await readDeal(market, deal.id)).status],
    ['HELD', '24.00', 'IN_PROGRESS'],
  )
  assert.equal((await release(deal.escrowId, { milestoneKey: 'one' })).status, 409)
  assert.equal((await deliver('two')).status, 201)
  assert.equal((await release(deal.escrowId, { milestoneKey: 'two' })).body.status, 'RELEASED')
  assert.equal((await readDeal(market, deal.id)).status, 'COMPLETED')
})

test('a seller gives back what is left; the fee of what was released stays', async () => {
  const { escrowId } = await deliveredDeal(market)
  await release(escrowId, { amount: 40 })
  const refunded = await must<Released>(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
  assert.deepEqual(
    [refunded.status, refunded.escrow.released, refunded.escrow.refunded, refunded.escrow.fee],
    ['SPLIT', '40.00', '60.00', '8.00'],
  )
})

test('a second refund, or a refund after the release, moves nothing', async () => {
  const { escrowId } = await deliveredDeal(market)
  await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
  for (const [role, path] of [
    ['seller', `/payments/escrow/${escrowId}/refund`],
    ['buyer', '/payments/ap2/release'],
  ] as const) {
    assert.equal((await as(market, role, path, { escrowId })).status, 409)
  }
  assert.deepEqual([(await readEscrow(market, escrowId)).refunded], ['100.00'])
})

test('what comes back to a deleted account, or is paid to one, waits among the unclaimed funds', async () => {
  const [bought, sold] = [
    await openMarket(service, { amount: 100, card: true }),
    await openMarket(service, { amount: 100, card: true }),
  ]
  const [buying, selling] = [await heldDeal(bought), await deliveredDeal(sold)]
  const before = await balanceOf(service.services.db, accounts.unclaimed, 'USD')
  for (const { token } of [bought.buyer, sold.agent.owner]) {
    assert.equal((await service.http('DELETE', '/users/me', { token, body: {} })).status, 204)
  }
  await must(bought, 'seller', `/payments/escrow/${buying.escrowId}/refund`, {})
  await must(sold, 'buyer', '/payments/ap2/release', { escrowId: selling.escrowId })
  assert.equal((await balanceOf(service.services.db, accounts.unclaimed, 'USD')) - before, 180_000_000n)
})
