import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  as,
  deliveredDeal,
  heldDeal,
  mailsSettled,
  mailsTo,
  must,
  openMarket,
  readDeal,
  readEscrow,
  registerHuman,
  startTestService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

const DAY = 24 * 3600

interface Refusal {
  code: string
}
interface Disputed extends EscrowView {
  dispute: { outcome: string | null; answerBy: string | null; lapsesAt: string | null }
}

let service: TestService
let market: Market
before(async () => {
  service = await startTestService()
  market = await openMarket(service)
})
after(() => service.close())

const on = (escrowId: string, path: string) => `/payments/escrow/${escrowId}/${path}`
const dispute = (escrowId: string, role: 'buyer' | 'seller', body: object = {}, of = market) =>
  must<Disputed>(of, role, on(escrowId, 'dispute'), { reason: 'something is wrong', ...body })
const read = (escrowId: string, of = market) => must<Disputed>(of, 'seller', `/payments/escrow/${escrowId}`)

describe('a dispute that the seller opened and the buyer leaves unanswered', () => {
  test('releases nothing without a verified delivery: it waits for an operator until day 60', async () => {
    const { escrowId } = await heldDeal(market)
    await dispute(escrowId, 'seller')
    await service.advance(6 * DAY)
    const waiting = await read(escrowId)
    assert.deepEqual([waiting.status, waiting.released, waiting.dispute.answerBy], ['DISPUTED', '0.00', null])
    assert.ok(waiting.timeline.some(entry => entry.event === 'escalate'))
    await service.advance(55 * DAY)
    const ended = await read(escrowId)
    assert.deepEqual([ended.status, ended.refunded], ['REFUNDED', '100.00'])
  })

  test('can still be answered after the 5 days', async () => {
    const { escrowId } = await heldDeal(market)
    await dispute(escrowId, 'seller')
    await service.advance(6 * DAY)
    await must(market, 'buyer', on(escrowId, 'dispute/respond'), { statement: 'I was away' })
  })

  test('releases a verified delivery after 5 days', async () => {
    const { escrowId } = await deliveredDeal(market)
    await dispute(escrowId, 'seller')
    await service.advance(5 * DAY - 3600)
    assert.equal((await read(escrowId)).status, 'DISPUTED')
    await service.advance(7200)
    const ended = await read(escrowId)
    assert.deepEqual([ended.status, ended.released, ended.dispute.outcome], ['RELEASED', '100.00', 'RELEASE'])
  })

  test('releases the verified milestones alone; the work on the others goes on', async () => {
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
    const { deliverBy } = await readEscrow(market, deal.escrowId)
    await dispute(deal.escrowId, 'seller')
    await service.advance(5 * DAY + 60)
    const part = await read(deal.escrowId)
    assert.deepEqual(
      [part.status, part.released, part.held, part.dispute.outcome],
      ['HELD', '40.00', '60.00', 'RELEASE'],
    )
    assert.ok(
      Date.parse(part.deliverBy) - Date.parse(deliverBy) >= 5 * DAY * 1000,
      'the deadline moved by the time of the dispute',
    )
    assert.equal((await readDeal(market, deal.id)).status, 'IN_PROGRESS')
    await must(market, 'seller', '/ap2/deliver', {
      negotiationId: deal.id,
      result: 'second',
      milestoneKey: 'two',
    })
    await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
    assert.equal((await read(deal.escrowId)).status, 'RELEASED')
  })

  test('releases nothing while the account of the buyer is deleted', async () => {
    const leaving = await openMarket(service, { amount: 100, card: true })
    const { escrowId } = await deliveredDeal(leaving)
    await dispute(escrowId, 'seller', {}, leaving)
    assert.equal(
      (await service.http('DELETE', '/users/me', { token: leaving.buyer.token, body: {} })).status,
      204,
    )
    await service.advance(6 * DAY)
    assert.deepEqual((await read(escrowId, leaving)).status, 'DISPUTED')
    await must(leaving, 'seller', on(escrowId, 'dispute/withdraw'), {})
    await service.advance(8 * DAY)
    assert.equal((await read(escrowId, leaving)).status, 'RELEASED')
  })
})

test('a dispute that the buyer opened and the seller leaves unanswered refunds what is unreleased', async () => {
  const { escrowId } = await deliveredDeal(market)
  await must(market, 'buyer', '/payments/ap2/release', { escrowId, amount: 25 })
  await dispute(escrowId, 'buyer')
  await service.advance(5 * DAY + 60)
  const ended = await read(escrowId)
  assert.deepEqual([ended.status, ended.released, ended.refunded], ['SPLIT', '25.00', '75.00'])
})

describe('withdrawing a dispute', () => {
  test('is possible once for each side of an escrow', async () => {
    const { escrowId } = await heldDeal(market)
    for (const [role, other] of [
      ['buyer', 'seller'],
      ['seller', 'buyer'],
    ] as const) {
      await dispute(escrowId, role)
      await must(market, other, on(escrowId, 'dispute/respond'), { statement: 'no' })
      assert.equal(
        (await must<EscrowView>(market, role, on(escrowId, 'dispute/withdraw'), {})).status,
        'HELD',
      )
    }
    const again = await dispute(escrowId, 'buyer')
    assert.ok(!again.allowedActions.includes('withdraw'))
    const refused = await as<Refusal>(market, 'buyer', on(escrowId, 'dispute/withdraw'), {})
    assert.deepEqual([refused.status, refused.body.code], [409, 'WITHDRAWALS_EXHAUSTED'])
  })

  test('does not restart the 60 days: they count from the first dispute of the escrow', async () => {
    const { escrowId } = await deliveredDeal(market)
    await dispute(escrowId, 'buyer')
    await must(market, 'seller', on(escrowId, 'dispute/respond'), { statement: 'no' })
    await service.advance(50 * DAY)
    await must(market, 'buyer', on(escrowId, 'dispute/withdraw'), {})
    await dispute(escrowId, 'buyer')
    await must(market, 'seller', on(escrowId, 'dispute/respond'), { statement: 'no' })
    await service.advance(9 * DAY)
    assert.equal((await read(escrowId)).status, 'DISPUTED')
    await service.advance(DAY + 60)
    assert.equal((await read(escrowId)).status, 'REFUNDED')
  })

  test('a dispute lasts at least 7 days, however old the first one is', async () => {
    const { escrowId } = await heldDeal(market, {
      deliverBy: new Date(service.services.clock.now().getTime() + 300 * DAY * 1000).toISOString(),
    })
    await dispute(escrowId, 'buyer')
    await must(market, 'buyer', on(escrowId, 'dispute/withdraw'), {})
    await service.advance(100 * DAY)
    await dispute(escrowId, 'seller')
    await must(market, 'buyer', on(escrowId, 'dispute/respond'), { statement: 'no' })
    await service.advance(6 * DAY)
    assert.equal((await read(escrowId)).status, 'DISPUTED')
    await service.advance(DAY + 60)
    assert.equal((await read(escrowId)).status, 'REFUNDED')
  })
})

describe('mail about a dispute', () => {
  const subjects = async (to: string) =>
    (await mailsTo(service, to))
      .map(mail => mail.subject)
      .filter(subject => /dispute/i.test(subject))
      .reverse()

  test('notifies both parties when it opens, and a day before the answer is due', async () => {
    const notified = await openMarket(service)
    const { escrowId } = await heldDeal(notified)
    await dispute(escrowId, 'seller', {}, notified)
    await mailsSettled(service)
    const [buyer, seller] = [notified.buyer.email, notified.agent.owner.email]
    assert.deepEqual([(await subjects(buyer)).length, (await subjects(seller)).length], [1, 1])
    const mail = (await mailsTo(service, buyer)).find(({ subject }) => /dispute/i.test(subject))
    assert.match(mail?.text ?? '', new RegExp(escrowId))
    assert.match(mail?.text ?? '', /Answer/)
    await service.advance(4 * DAY - 3600)
    await mailsSettled(service)
    assert.equal((await subjects(buyer)).length, 1)
    await service.advance(7200)
    await mailsSettled(service)
    assert.deepEqual([(await subjects(buyer)).length, (await subjects(seller)).length], [2, 2])
    await service.advance(2 * DAY)
    await mailsSettled(service)
    assert.equal((await subjects(buyer)).length, 2)
  })

  test('there is no reminder once the dispute is answered', async () => {
    const notified = await openMarket(service)
    const { escrowId } = await heldDeal(notified)
    await dispute(escrowId, 'buyer', {}, notified)
    await must(notified, 'seller', on(escrowId, 'dispute/respond'), { statement: 'no' })
    await service.advance(10 * DAY)
    await mailsSettled(service)
    assert.equal((await subjects(notified.agent.owner.email)).length, 1)
  })

  test('who deals with oneself gets one mail', async () => {
    const person = await registerHuman(service)
    const wallet = await service.http<{ id: string }>('POST', '/wallets', { token: person.token, body: {} })
    await must(market, 'operator', '/wallets/admin/test-credit', {
      walletId: person.walletId,
      amount: 10,
      reason: 'test',
    })
    const held = await service.http<{ escrowId: string }>('POST', '/payments/ap2/initiate', {
      token: person.token,
      body: { sourceWalletId: person.walletId, destinationWalletId: wallet.body.id, amount: 1 },
    })
    assert.equal(held.status, 201, held.text)
    await service.http('POST', on(held.body.escrowId, 'dispute'), {
      token: person.token,
      body: { reason: 'to myself' },
    })
    await mailsSettled(service)
    assert.equal((await subjects(person.email)).length, 1)
  })
})
