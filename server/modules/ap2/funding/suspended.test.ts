import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
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
suite('a payment to a seller that was suspended, archived or paused meanwhile', () => {
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
  const changeOwner = (action: 'suspend' | 'reinstate') =>
    must(market, 'operator', `/admin/users/${market.agent.owner.id}/${action}`, { reason: 'test' })
  const setStatus = (status: 'PAUSED' | 'ARCHIVED') =>
    service.http<{ code?: string }>('PATCH', `/agents/${market.agent.id}`, {
      token: market.agent.owner.token,
      body: { status },
    })
  const requireReturned = async (id: string, escrowId: string, code = 'seller_suspended') => {
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    const { status, timeline } = await must<DealView & Timeline>(market, 'buyer', `/ap2/negotiations/${id}`)
    const { event, details } = timeline.at(-1) ?? assert.fail()
    assert.deepEqual([status, event, details.code], ['ACCEPTED', 'fail', code])
  }

  /** A deal in USDC whose transfer is awaited, and the transfer. */
  async function usdcDeal() {
    const { id } = await acceptedDeal(market, { currency: 'USDC' })
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
      negotiationId: id,
      rail: 'x402',
    })
    const { to } = await must<{ to: `0x${string}` }>(market, 'buyer', `/payments/x402/${escrowId}`)
    const transfer = async () => {
      const payer = await Payer.open(service, 100)
      await payer.transfer(to, 100_000_000n)
      await mine(service)
    }
    return { id, escrowId, transfer }
  }
  for (const [what, suspend] of [
    ['the agent', () => change('suspend')],
    ['its owner', () => changeOwner('suspend')],
  ] as const) {
    test(`in USDC is in the wallet of the buyer when ${what} is suspended`, async () => {
      const { id, escrowId, transfer } = await usdcDeal()
      await suspend()
      await transfer()
      await requireReturned(id, escrowId)
      assert.equal(await walletIn('USDC'), '100.00')
      const { subject } = await mailTo(
        service,
        market.buyer.email,
        /when the seller of the deal had been suspended/,
      )
      assert.match(subject, /Your payment is in your wallet$/)
    })

    test(`on a page is in the wallet of the buyer when ${what} is suspended`, async () => {
      const { id, escrowId, page } = await reservedDeal(market)
      await suspend()
      assert.equal((await pay(page)).status, 200)
      await requireReturned(id, escrowId)
      assert.equal(await availableOf(service, market.buyer), '101.00')
    })
  }

  test('is held if the owner of the seller was reinstated before it arrives', async () => {
    const { id, page } = await reservedDeal(market)
    await changeOwner('suspend')
    await changeOwner('reinstate')
    assert.equal((await pay(page)).status, 200)
    assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
  })

  test('on a page and in USDC is held when the seller was paused: the deal was begun before', async () => {
    const onPage = await reservedDeal(market)
    const inUsdc = await usdcDeal()
    assert.equal((await setStatus('PAUSED')).status, 200)
    assert.equal((await pay(onPage.page)).status, 200)
    await inUsdc.transfer()
    for (const { id } of [onPage, inUsdc]) assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
    const fresh = await service.http<{ message: string }>('POST', '/ap2/negotiate', {
      token: market.buyer.token,
      body: { responderAgentId: market.agent.id, requestedService: 'More', budget: 1 },
    })
    assert.deepEqual([fresh.status, fresh.body.message], [400, 'Agent not published'])
  })

  test('keeps the seller from archiving the agent, and is in the wallet if it was archived', async () => {
    const { id, escrowId, page } = await reservedDeal(market)
    const refused = await setStatus('ARCHIVED')
    assert.deepEqual([refused.status, refused.body.code], [409, 'LIVE_ESCROW'])
    // Not by a request: the deletion of an account archives its agents after it has canceled such deals.
    await service.services.db.run(
      sql`update agents_agent set status = 'ARCHIVED' where id = ${market.agent.id}`,
    )
    assert.equal((await pay(page)).status, 200)
    await requireReturned(id, escrowId, 'seller_archived')
    assert.equal(await availableOf(service, market.buyer), '101.00')
    await mailTo(service, market.buyer.email, /when the seller of the deal had been archived/)
  })

  test('is held if the seller was reinstated before it arrives', async () => {
    const { id, page } = await reservedDeal(market)
    await change('suspend')
    await change('reinstate')
    assert.equal((await pay(page)).status, 200)
    assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
  })
})
