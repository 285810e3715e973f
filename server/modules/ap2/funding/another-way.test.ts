import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { accounts, balanceOf } from '#ledger'
import {
  acceptedDeal,
  availableOf,
  eventually,
  fund,
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

interface Initiated {
  escrowId: string
  status: string
  checkout: { url: string }
  hint?: string
}

interface Timeline {
  timeline: { subject: string; event: string; to: string }[]
}
const lineOf = ({ subject, event, to }: Timeline['timeline'][number]): string => `${subject} ${event} ${to}`

/** What a buyer does who has begun to pay, and has not paid yet. */
suite('a payment that is awaited', () => {
  let service: TestService
  let market: Market
  let payer: Payer
  before(async () => {
    service = await sharedChainService()
    payer = await Payer.open(service, 300)
  })
  beforeEach(async () => {
    // The wallet has a dollar of test credit.
    market = await openMarket(service, { amount: 1 })
  })
  after(() => service.close())

  const call = <Body = Initiated>(path: string, body: object) =>
    service.http<Body>('POST', path, { token: market.buyer.token, body })
  const initiate = (negotiationId: string, more: object = {}) =>
    call('/payments/ap2/initiate', { negotiationId, ...more })
  const cancel = (negotiationId: string) =>
    call<DealView & { hint?: string }>('/ap2/cancel', { negotiationId })
  const pay = (page: string) => service.http('POST', page, { body: { paymentMethodId: 'pm_card_visa' } })
  // A job closes the page, and nobody waits for it.
  const untilClosed = async (page: string) => {
    await service.advance(1)
    await eventually('the page is closed', async () =>
      (await service.http('GET', page)).text.includes('Payment link expired'),
    )
  }
  const usdcDeal = async () => {
    const { id } = await acceptedDeal(market, { currency: 'USDC' })
    const { status, body, text } = await initiate(id, { rail: 'x402' })
    assert.equal(status, 201, text)
    return { id, escrowId: body.escrowId, path: new URL(body.checkout.url).pathname }
  }
  const walletOf = async (currency: string): Promise<string | undefined> => {
    const { wallets } = await must<{ wallets: { currency: string; available: string }[] }>(
      market,
      'buyer',
      `/wallets/user/${market.buyer.id}`,
    )
    return wallets.find(wallet => wallet.currency === currency)?.available
  }

  test('on a page gives way to a wallet: the page is closed, and the deal is paid once', async () => {
    const { id, escrowId, page } = await reservedDeal(market)
    const asked = await readDeal(market, id)
    assert.deepEqual([...asked.allowedActions].sort(), ['cancel', 'fund'])
    const same = await initiate(id, { rail: 'card' })
    assert.equal(same.status, 409)
    assert.match(same.body.hint ?? '', /with another rail pays in another way/)
    assert.equal((await initiate(id)).status, 400, 'the wallet has too little')
    assert.equal((await readEscrow(market, escrowId)).status, 'PENDING_FUNDING', 'a refusal changes nothing')
    await fund(service, market.buyer, 100)
    const paid = await initiate(id)
    assert.deepEqual([paid.status, paid.body.status], [201, 'HELD'], paid.text)
    assert.notEqual(paid.body.escrowId, escrowId)
    await untilClosed(page)
    assert.equal((await pay(page)).status, 409)
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    const { items } = await must<{ items: { subject: string; event: string; to: string }[] }>(
      market,
      'buyer',
      `/payments/escrow/${escrowId}/events`,
    )
    assert.deepEqual(
      items.filter(({ subject }) => subject === 'escrow').map(({ event, to }) => `${event} ${to}`),
      ['reserve PENDING_FUNDING', 'abandon CANCELLED'],
    )
    assert.equal(await availableOf(service, market.buyer), '1.00')
  })

  test('on a page ends with the deal that is canceled, and the seller sees that', async () => {
    const { id, escrowId, page } = await reservedDeal(market)
    const canceled = await cancel(id)
    assert.deepEqual([canceled.status, canceled.body.status], [201, 'CANCELLED'], canceled.text)
    await untilClosed(page)
    assert.equal((await pay(page)).status, 409)
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    const seen = await must<DealView & Timeline>(market, 'seller', `/ap2/negotiations/${id}`)
    assert.equal(seen.status, 'CANCELLED')
    assert.deepEqual(seen.timeline.map(lineOf), [
      'negotiation negotiate PENDING',
      'negotiation accept ACCEPTED',
      'escrow reserve PENDING_FUNDING',
      'escrow abandon CANCELLED',
      'negotiation cancel CANCELLED',
    ])
  })

  test('on a page that is paid while the deal is canceled is held, or in the wallet', async () => {
    for (let n = 0; n < 4; n++) {
      market = await openMarket(service, { amount: 1 })
      const { id, escrowId, page } = await reservedDeal(market)
      const [canceled, paid] = await Promise.all([cancel(id), pay(page)])
      const { status } = await readEscrow(market, escrowId)
      // A payment that comes first is held, and its cancellation refunds it.
      const ends = ['201 CANCELLED', '201 REFUNDED', '409 HELD']
      assert.ok(ends.includes(`${canceled.status} ${status}`), `${canceled.status} ${status}`)
      const expected = [status === 'HELD', status !== 'HELD' && paid.status === 200]
      await eventually(`the money is where it belongs: ${paid.status} ${status}`, async () => {
        const held = await balanceOf(service.services.db, accounts.escrow(escrowId), 'USD')
        const available = await availableOf(service, market.buyer)
        return isDeepStrictEqual([held === 100_000_000n, available === '101.00'], expected)
      })
    }
  })

  test('in USDC ends with the deal, and a transfer that comes later is in the wallet', async () => {
    const { id, escrowId, path } = await usdcDeal()
    const { to } = await must<{ to: `0x${string}` }>(market, 'buyer', `/payments/x402/${escrowId}`)
    const headers = await payer.header(path)
    assert.equal((await cancel(id)).status, 201)
    await service.advance(1)
    assert.equal((await service.http('GET', path, { headers })).status, 409)
    await payer.transfer(to, 100_000_000n)
    await mine(service)
    assert.deepEqual(
      [(await readEscrow(market, escrowId)).status, await walletOf('USDC')],
      ['CANCELLED', '100.00'],
    )
  })

  test('in USDC that has been sent is under way: neither canceled nor paid in another way', async () => {
    const { id, escrowId, path } = await usdcDeal()
    const sent = await service.http('GET', path, { headers: await payer.header(path) })
    assert.equal(sent.status, 200, sent.text)
    for (const refused of [await cancel(id), await initiate(id)]) {
      assert.equal(refused.status, 409, refused.text)
      assert.match(refused.body.hint ?? '', /^The payment is under way/)
    }
    await mine(service)
    assert.equal((await readEscrow(market, escrowId)).status, 'HELD')
  })
})
