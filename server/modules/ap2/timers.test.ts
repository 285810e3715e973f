import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { strandedStates } from '#platform/kernel/machine'
import {
  acceptedDeal,
  deliveredDeal,
  heldDeal,
  must,
  negotiate,
  openMarket,
  readDeal,
  readEscrow,
  startTestService,
  type DealView,
  type Market,
  type TestService,
} from '#test'
import { deliveryMachine } from './deal/delivery-machine.ts'
import { escrowMachine } from './deal/escrow-machine.ts'
import { negotiationMachine } from './deal/negotiation-machine.ts'

const HOUR = 3600
const DAY = 24 * HOUR

let service: TestService
let market: Market
before(async () => {
  service = await startTestService()
  market = await openMarket(service)
})
after(() => service.close())

async function statusOf(id: string): Promise<string> {
  const { items } = await must<{ items: DealView[] }>(market, 'buyer', '/ap2/negotiations?limit=100')
  return items.find(item => item.id === id)?.status ?? 'unknown'
}

test('an offer that nobody answers in 72 hours expires; each answer begins them anew', async () => {
  const silent = await negotiate(market)
  await service.advance(71 * HOUR)
  const answered = await negotiate(market)
  await must(market, 'seller', '/ap2/respond', {
    negotiationId: answered.id,
    status: 'COUNTERED',
    price: 120,
  })
  assert.equal(await statusOf(silent.id), 'PENDING')
  await service.advance(2 * HOUR)
  assert.deepEqual([await statusOf(silent.id), await statusOf(answered.id)], ['EXPIRED', 'COUNTERED'])
  await service.advance(71 * HOUR)
  assert.equal(await statusOf(answered.id), 'EXPIRED')
})

test('an accepted deal that is not funded in 24 hours expires', async () => {
  const { id } = await acceptedDeal(market)
  await service.advance(23 * HOUR)
  assert.equal(await statusOf(id), 'ACCEPTED')
  await service.advance(2 * HOUR)
  assert.equal(await statusOf(id), 'EXPIRED')
})

test('a verified delivery that the buyer leaves unanswered is released after 7 days, or as many as agreed', async () => {
  const usual = await deliveredDeal(market)
  const agreed = await deliveredDeal(market, { autoReleaseDays: 2 })
  await service.advance(2 * DAY + 60)
  assert.equal((await readEscrow(market, agreed.escrowId)).status, 'RELEASED')
  assert.equal((await readEscrow(market, usual.escrowId)).status, 'HELD')
  await service.advance(5 * DAY)
  const released = await readEscrow(market, usual.escrowId)
  assert.deepEqual(
    [released.status, released.fee, released.timeline.at(-2)?.event, released.timeline.at(-2)?.details.code],
    ['RELEASED', '20.00', 'release', 'buyer_silent'],
  )
  assert.equal((await readDeal(market, usual.id)).status, 'COMPLETED')
})

test('money for which nothing verified was delivered goes back after 30 days, or as agreed', async () => {
  const usual = await heldDeal(market)
  const agreed = await heldDeal(market, {
    deliverBy: new Date(service.services.clock.now().getTime() + 3 * DAY * 1000).toISOString(),
  })
  await service.advance(3 * DAY + 60)
  assert.equal((await readEscrow(market, agreed.escrowId)).status, 'REFUNDED')
  assert.equal((await readEscrow(market, usual.escrowId)).status, 'HELD')
  await service.advance(27 * DAY)
  const refunded = await readEscrow(market, usual.escrowId)
  assert.deepEqual([refunded.status, refunded.refunded, refunded.fee], ['REFUNDED', '100.00', '0.00'])
  assert.ok(refunded.timeline.some(({ details }) => details.code === 'not_delivered'))
})

test('a deadline for delivery does not touch a verified delivery that waits for the buyer', async () => {
  const deal = await deliveredDeal(market, {
    deliverBy: new Date(service.services.clock.now().getTime() + DAY * 1000).toISOString(),
  })
  await service.advance(2 * DAY)
  assert.equal((await readEscrow(market, deal.escrowId)).status, 'HELD')
  await service.advance(6 * DAY)
  assert.equal((await readEscrow(market, deal.escrowId)).status, 'RELEASED')
})

test('what was released stays with the seller when the rest is not delivered in time', async () => {
  const deal = await heldDeal(market, {
    milestones: [
      { key: 'one', amount: 40 },
      { key: 'two', amount: 60 },
    ],
  })
  await must(market, 'seller', '/ap2/deliver', {
    negotiationId: deal.id,
    result: 'first',
    milestoneKey: 'one',
  })
  await service.advance(7 * DAY + 60)
  const part = await readEscrow(market, deal.escrowId)
  assert.deepEqual(
    [part.status, part.released, part.held, (await readDeal(market, deal.id)).status],
    ['HELD', '40.00', '60.00', 'IN_PROGRESS'],
  )
  await service.advance(23 * DAY)
  const ended = await readEscrow(market, deal.escrowId)
  assert.deepEqual(
    [ended.status, ended.released, ended.refunded, ended.fee],
    ['SPLIT', '40.00', '60.00', '8.00'],
  )
})

test('an answered dispute waits for an operator, and goes back to the buyer after 60 days', async () => {
  const { escrowId } = await heldDeal(market)
  await must(market, 'seller', `/payments/escrow/${escrowId}/dispute`, { reason: 'the buyer is gone' })
  await must(market, 'buyer', `/payments/escrow/${escrowId}/dispute/respond`, { statement: 'I am here' })
  await service.advance(59 * DAY)
  assert.equal((await readEscrow(market, escrowId)).status, 'DISPUTED')
  await service.advance(2 * DAY)
  assert.equal((await readEscrow(market, escrowId)).status, 'REFUNDED')
})

test('an undecided dispute over the rest of a deal splits it where the parts already stand', async () => {
  const { escrowId } = await deliveredDeal(market)
  await must(market, 'buyer', '/payments/ap2/release', { escrowId, amount: '25.00' })
  await must(market, 'buyer', `/payments/escrow/${escrowId}/dispute`, { reason: 'the rest is wrong' })
  await must(market, 'seller', `/payments/escrow/${escrowId}/dispute/respond`, { statement: 'it is right' })
  await service.advance(61 * DAY)
  const ended = await readEscrow(market, escrowId)
  assert.deepEqual([ended.status, ended.released, ended.refunded], ['SPLIT', '25.00', '75.00'])
})

test('a withdrawn dispute gives every timer what it had left', async () => {
  const deal = await deliveredDeal(market)
  await service.advance(3 * DAY)
  await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, { reason: 'hm' })
  await must(market, 'seller', `/payments/escrow/${deal.escrowId}/dispute/respond`, {
    statement: 'look again',
  })
  await service.advance(20 * DAY)
  const back = await must<{ status: string; autoReleaseAt: string }>(
    market,
    'buyer',
    `/payments/escrow/${deal.escrowId}/dispute/withdraw`,
    {},
  )
  assert.equal(back.status, 'HELD')
  const left = (Date.parse(back.autoReleaseAt) - service.services.clock.now().getTime()) / 1000
  assert.ok(Math.abs(left - 4 * DAY) < 60, `${left} s are left`)
  await service.advance(4 * DAY + 60)
  assert.equal((await readEscrow(market, deal.escrowId)).status, 'RELEASED')
})

test('requested changes stop the release and give the seller at least 7 more days', async () => {
  const deal = await deliveredDeal(market, {
    deliverBy: new Date(service.services.clock.now().getTime() + 2 * DAY * 1000).toISOString(),
  })
  await service.advance(DAY)
  const changed = await must<{
    status: string
    autoReleaseAt: string | null
    deliverBy: string
    deliveryStatus: string
  }>(market, 'buyer', `/payments/escrow/${deal.escrowId}/changes`, { reason: 'a chapter is missing' })
  assert.deepEqual(
    [changed.status, changed.autoReleaseAt, changed.deliveryStatus],
    ['HELD', null, 'SUPERSEDED'],
  )
  await service.advance(6 * DAY)
  assert.equal((await readEscrow(market, deal.escrowId)).status, 'HELD')
  await service.advance(DAY + HOUR)
  assert.equal((await readEscrow(market, deal.escrowId)).status, 'REFUNDED')
})

test('a deal that ends leaves no release to come', async () => {
  const milestones = [
    { key: 'one', amount: 40 },
    { key: 'two', amount: 60 },
  ]
  const { id: negotiationId, escrowId } = await heldDeal(market, { milestones })
  for (const milestoneKey of ['one', 'two'])
    await must(market, 'seller', '/ap2/deliver', { negotiationId, result: 'done', milestoneKey })
  await must(market, 'buyer', '/payments/ap2/release', { escrowId, milestoneKey: 'one' })
  await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
  const ended = await must<{ status: string; milestones: { autoReleaseAt: string | null }[] }>(
    market,
    'buyer',
    `/payments/escrow/${escrowId}`,
  )
  assert.deepEqual([ended.status, ...ended.milestones.map(each => each.autoReleaseAt)], ['SPLIT', null, null])
})

test('timers end every state except FROZEN, which an operator or a new key ends', () => {
  assert.deepEqual(strandedStates(negotiationMachine), [])
  assert.deepEqual(strandedStates(escrowMachine), ['FROZEN'])
  assert.deepEqual(strandedStates(deliveryMachine), [])
})
