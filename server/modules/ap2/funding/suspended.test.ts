import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import {
  acceptedDeal,
  availableOf,
  mailTo,
  mine,
  must,
  openMarket,
  Payer,
  readDeal,
  readEscrow,
  reservedDeal,
  sharedChainService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

interface Timeline {
  timeline: { event: string; details: { code?: string } }[]
}

/** A seller with whom no deal may be made any more when the payment of an accepted deal arrives. */
suite('a payment to a seller that was suspended meanwhile', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedChainService()
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 1 })
  })
  after(() => service.close())

  const change = (action: 'suspend' | 'reinstate') =>
    must(market, 'operator', `/admin/agents/${market.agent.id}/${action}`, { reason: 'test' })
  const pay = (page: string) => service.http('POST', page, { body: { paymentMethodId: 'pm_card_visa' } })
  const walletIn = async (currency: string): Promise<string | undefined> => {
    const { wallets } = await must<{ wallets: { currency: string; available: string }[] }>(
      market,
      'buyer',
      `/wallets/user/${market.buyer.id}`,
    )
    return wallets.find(wallet => wallet.currency === currency)?.available
  }
  const requireReturned = async (id: string, escrowId: string) => {
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    const { status, timeline } = await must<DealView & Timeline>(market, 'buyer', `/ap2/negotiations/${id}`)
    const { event, details } = timeline.at(-1) ?? assert.fail()
    assert.deepEqual([status, event, details.code], ['ACCEPTED', 'fail', 'seller_suspended'])
  }

  test('in USDC is in the wallet of the buyer', async () => {
    const { id } = await acceptedDeal(market, { currency: 'USDC' })
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
      negotiationId: id,
      rail: 'x402',
    })
    const { to } = await must<{ to: `0x${string}` }>(market, 'buyer', `/payments/x402/${escrowId}`)
    await change('suspend')
    const payer = await Payer.open(service, 100)
    await payer.transfer(to, 100_000_000n)
    await mine(service)
    await requireReturned(id, escrowId)
    assert.equal(await walletIn('USDC'), '100.00')
    const { subject } = await mailTo(
      service,
      market.buyer.email,
      /when the seller of the deal had been suspended/,
    )
    assert.match(subject, /Your payment is in your wallet$/)
  })

  test('on a page is in the wallet of the buyer', async () => {
    const { id, escrowId, page } = await reservedDeal(market)
    await change('suspend')
    assert.equal((await pay(page)).status, 200)
    await requireReturned(id, escrowId)
    assert.equal(await availableOf(service, market.buyer), '101.00')
  })

  test('is held if the seller was reinstated before it arrives', async () => {
    const { id, page } = await reservedDeal(market)
    await change('suspend')
    await change('reinstate')
    assert.equal((await pay(page)).status, 200)
    assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
  })
})
