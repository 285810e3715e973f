import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { cancelUnfundedDealsOf } from '#ap2'
import { accounts, balanceOf, journalsOf } from '#ledger'
import { DAY, SECOND } from '#platform/kernel/clock'
import {
  acceptedDeal,
  as,
  mine,
  openMarket,
  Payer,
  readDeal,
  readEscrow,
  sharedChainService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

interface Initiated {
  escrowId: string
  status: string
  escrow: EscrowView
  checkout?: { id: string; url: string }
  message: string
}

suite('funding a deal in USDC', () => {
  let service: TestService
  let market: Market
  let payer: Payer
  before(async () => {
    service = await sharedChainService()
    market = await openMarket(service, { amount: 1 })
    payer = await Payer.open(service, 300)
  })
  after(() => service.close())

  const initiate = (negotiationId: string) =>
    service.http<Initiated>('POST', '/payments/ap2/initiate', {
      token: market.buyer.token,
      body: { negotiationId, rail: 'x402' },
    })
  const pathOf = (url: string | undefined) => new URL(url ?? '').pathname

  test('the stock client pays into escrow through the buyer’s first USDC wallet', async () => {
    const { id } = await acceptedDeal(market, { currency: 'USDC' })
    const { status, body, text } = await initiate(id)
    assert.equal(status, 201, text)
    assert.deepEqual([body.status, body.escrow.status], ['PENDING_FUNDING', 'PENDING_FUNDING'])
    const path = pathOf(body.checkout?.url)
    const paid = await service.http<{ status: string }>('GET', path, { headers: await payer.header(path) })
    assert.deepEqual([paid.status, paid.body.status], [200, 'CONFIRMED'])
    assert.equal(
      (await readEscrow(market, body.escrowId)).status,
      'PENDING_FUNDING',
      'not before it is final',
    )
    await mine(service)
    const { escrow, status: phase } = await readDeal(market, id)
    assert.deepEqual([phase, escrow.status], ['ESCROWED', 'HELD'])
    const legs = await journalsOf(service.services.db, accounts.escrow(body.escrowId))
    const [arrival, hold] = legs
    assert.deepEqual(
      [arrival?.debit, hold?.debit, hold?.credit, arrival?.amount, hold?.amount],
      [
        accounts.custody('eip155:84532', 'USDC'),
        arrival?.credit,
        accounts.escrow(body.escrowId),
        100_000_000n,
        100_000_000n,
      ],
    )
    assert.equal((await initiate(id)).status, 409)
  })

  test('USDC that comes after the day goes to the buyer’s wallet; a deal in dollars has no x402', async () => {
    const { id } = await acceptedDeal(market, { currency: 'USDC' })
    const { body } = await initiate(id)
    for (const [path, asked] of [
      ['/payments/ap2/initiate', { negotiationId: id, rail: 'x402' }],
      ['/payments/ap2/release', { escrowId: body.escrowId }],
    ] as const) {
      const refused = await as<{ message: string; hint?: string }>(market, 'buyer', path, asked)
      assert.match(refused.body.message, /^Cannot \w+ while PENDING_FUNDING$/)
      assert.match(refused.body.hint ?? '', /^The payment is awaited until 2\d{3}-/)
    }
    const payment = await service.http<{ to: `0x${string}` }>('GET', `/payments/x402/${body.escrowId}`)
    await service.advance(DAY / SECOND + 1)
    assert.equal((await readEscrow(market, body.escrowId)).status, 'CANCELLED')
    await payer.transfer(payment.body.to, 100_000_000n)
    await mine(service)
    assert.equal((await readEscrow(market, body.escrowId)).status, 'CANCELLED')
    const wallets = await service.http<{ wallets: { id: string; currency: string; available: string }[] }>(
      'GET',
      `/wallets/user/${market.buyer.id}`,
      { token: market.buyer.token },
    )
    const usdc = wallets.body.wallets.find(({ currency }) => currency === 'USDC')
    assert.equal(usdc?.available, '100.00')
    assert.equal(await balanceOf(service.services.db, accounts.escrow(body.escrowId), 'USDC'), 0n)
    const dollars = await acceptedDeal(market)
    const refused = await initiate(dollars.id)
    assert.deepEqual([refused.status, refused.body.message], [400, 'Payment rail not available'])
  })

  test('a payment of a deal that ends with the account of its seller is not taken any more', async () => {
    const seller = await openMarket(service, { amount: 1 })
    const { id } = await acceptedDeal(seller, { currency: 'USDC' })
    const { status, body, text } = await service.http<Initiated>('POST', '/payments/ap2/initiate', {
      token: seller.buyer.token,
      body: { negotiationId: id, rail: 'x402' },
    })
    assert.equal(status, 201, text)
    const path = pathOf(body.checkout?.url)
    const headers = await payer.header(path)
    await service.services.db.transaction(tx => cancelUnfundedDealsOf(tx, [seller.agent.owner.id]))
    await service.advance(1)
    assert.equal((await service.http('GET', path)).status, 409)
    assert.equal((await service.http('GET', path, { headers })).status, 409)
  })
})
