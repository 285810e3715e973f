import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import {
  acceptedDeal,
  eventually,
  must,
  openMarket,
  startTestService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

interface CardRefund {
  id: string
  status: string
  amount: string
}
interface Shown {
  escrow: { refunded: string; cardRefunds?: CardRefund[] } | null
}
interface Sums {
  period: string
  type: string
  direction: string
  amount: string
}
interface Totals {
  periods: Sums[]
  cardRefunds: { period: string; amount: string; currency: string; count: number }[]
}

suite('a refund to the card is shown', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await startTestService()
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 1 })
  })
  after(() => service.close())

  const held = async (paymentMethodId = 'pm_card_visa') => {
    const { id } = await acceptedDeal(market)
    const body = { negotiationId: id, rail: 'card', paymentMethodId }
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', body)
    return { id, escrowId }
  }
  const refund = (escrowId: string, body: object) =>
    must(market, 'seller', `/payments/escrow/${escrowId}/refund`, body)
  const refundsIn = async (path: string) => {
    const shown = await must<Shown & { cardRefunds?: CardRefund[] }>(market, 'buyer', path)
    const refunds = shown.cardRefunds ?? shown.escrow?.cardRefunds
    return refunds?.map(({ status, amount }) => `${amount} ${status}`)
  }
  const until = (path: string, expected: string[]) =>
    eventually(`${path} shows ${expected.join(', ')}`, async () =>
      isDeepStrictEqual(await refundsIn(path), expected),
    )
  const month = () => `${service.services.clock.now().toISOString().slice(0, 7)}-01`
  const totals = () =>
    must<Totals>(market, 'buyer', `/wallets/totals?from=${service.services.clock.now().toISOString()}`)
  /** What was paid for deals, without what came back. */
  const net = ({ periods, cardRefunds }: Totals) => {
    const sum = (wanted: (each: Sums) => boolean) =>
      periods.filter(wanted).reduce((total, { amount }) => total + Number(amount), 0)
    const paid = sum(({ type, direction }) => direction === 'OUT' && type === 'fund')
    const returned = sum(({ type }) => ['ap2.refund', 'refund_failed'].includes(type))
    return paid - returned - cardRefunds.reduce((total, { amount }) => total + Number(amount), 0)
  }

  test('in the deal and its escrow, and is no spending in the totals', async () => {
    const { id, escrowId } = await held()
    assert.deepEqual(await refundsIn(`/ap2/negotiations/${id}`), [])
    assert.deepEqual((await totals()).cardRefunds, [])
    assert.equal(net(await totals()), 100)
    await refund(escrowId, { to: 'card' })
    await until(`/ap2/negotiations/${id}`, ['100.00 SUCCEEDED'])
    assert.deepEqual(await refundsIn(`/payments/escrow/${escrowId}`), ['100.00 SUCCEEDED'])
    const { cardRefunds, ...rest } = await totals()
    assert.deepEqual(cardRefunds, [{ period: month(), amount: '100.00', currency: 'USD', count: 1 }])
    assert.equal(net({ cardRefunds, ...rest }), 0)
  })

  test('which is on its way, and one that failed and is in the wallet', async () => {
    const pending = await held('pm_card_pendingRefund')
    await refund(pending.escrowId, { to: 'card' })
    await until(`/ap2/negotiations/${pending.id}`, ['100.00 PENDING'])
    assert.equal(net(await totals()), 0)
    const failing = await held('pm_card_refundFail')
    await refund(failing.escrowId, { to: 'card' })
    await service.advance(3600)
    await until(`/ap2/negotiations/${failing.id}`, ['100.00 FAILED'])
    await until(`/ap2/negotiations/${pending.id}`, ['100.00 SUCCEEDED'])
    assert.equal(net(await totals()), 0)
    assert.deepEqual(
      (await totals()).cardRefunds.map(({ amount }) => amount),
      ['100.00'],
    )
  })

  test('is none where the money went to the wallet', async () => {
    const { id, escrowId } = await held()
    await refund(escrowId, {})
    assert.deepEqual(await refundsIn(`/ap2/negotiations/${id}`), [])
    assert.deepEqual((await totals()).cardRefunds, [])
    assert.equal(net(await totals()), 0)
    const { items } = await must<{ items: (DealView & Shown)[] }>(market, 'buyer', '/ap2/negotiations')
    assert.deepEqual(
      items.map(({ escrow }) => escrow && 'cardRefunds' in escrow),
      [false],
      'a list does not read them',
    )
  })
})
