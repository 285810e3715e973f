import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { accounts, balanceOf, journalsOf } from '#ledger'
import {
  acceptedDeal,
  fund,
  mine,
  must,
  openMarket,
  Payer,
  readEscrow,
  sharedChainService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

interface Initiated {
  escrowId: string
  checkout?: { id: string; url: string }
}

/** The same deal on each rail: how it ends does not depend on how it was paid. */
suite('every rail funds deals that end alike', () => {
  let service: TestService
  let market: Market
  let payer: Payer
  before(async () => {
    service = await sharedChainService()
    payer = await Payer.open(service, 1000)
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 1 })
    await fund(service, market.buyer, 100)
    await must(market, 'buyer', '/wallets', { currency: 'USDC' })
  })
  after(() => service.close())

  const initiate = (negotiationId: string, body: object) =>
    must<Initiated>(market, 'buyer', '/payments/ap2/initiate', { negotiationId, ...body })

  /** Each returns the id of a HELD escrow of 100. */
  const RAILS: Record<string, () => Promise<string>> = {
    wallet: async () => (await initiate((await acceptedDeal(market)).id, {})).escrowId,
    card: async () =>
      (await initiate((await acceptedDeal(market)).id, { rail: 'card', paymentMethodId: 'pm_card_visa' }))
        .escrowId,
    page: async () => {
      const { escrowId, checkout } = await initiate((await acceptedDeal(market)).id, { rail: 'card' })
      await service.http('POST', `/sandbox/checkout/${checkout?.id}`, {
        body: { paymentMethodId: 'pm_card_visa' },
      })
      return escrowId
    },
    x402: async () => {
      const { id } = await acceptedDeal(market, { currency: 'USDC' })
      const { escrowId, checkout } = await initiate(id, { rail: 'x402' })
      assert.equal((await readEscrow(market, escrowId)).status, 'PENDING_FUNDING')
      const path = new URL(checkout?.url ?? '').pathname
      const paid = await service.http('GET', path, { headers: await payer.header(path) })
      assert.equal(paid.status, 200, paid.text)
      await mine(service)
      return escrowId
    },
  }
  const onEscrow = (role: 'buyer' | 'seller' | 'operator', path: string, body: object) => (id: string) =>
    must(market, role, `/payments/escrow/${id}/${path}`, body)
  const release = (id: string) =>
    must(market, 'buyer', '/payments/ap2/release', { escrowId: id, acceptUnverified: true })
  const dispute = onEscrow('buyer', 'dispute', { reason: 'wrong' })
  const resolve = (outcome: object) => async (id: string) => {
    await dispute(id)
    return onEscrow('operator', 'resolve', { reason: 'decided', ...outcome })(id)
  }
  const freeze = async (id: string) => {
    const token = market.agent.owner.token
    await service.http('POST', `/agents/${market.agent.id}/revoke-key`, { token, body: {} })
    const frozen = await readEscrow(market, id)
    assert.deepEqual([frozen.status, frozen.originalStatus], ['FROZEN', 'HELD'])
    assert.equal(
      (
        await service.http('POST', '/payments/ap2/release', {
          token: market.buyer.token,
          body: { escrowId: id },
        })
      ).status,
      409,
    )
    await service.http('POST', `/agents/${market.agent.id}/keys`, { token, body: {} })
    return release(id)
  }

  /** How a deal ends, with what the seller and the buyer have of 100 then. */
  const ENDS: Record<string, [(id: string) => Promise<unknown>, string, number, number]> = {
    release: [release, 'RELEASED', 80, 0],
    refund: [onEscrow('seller', 'refund', {}), 'REFUNDED', 0, 100],
    split: [resolve({ outcome: 'SPLIT', sellerBps: 5000 }), 'SPLIT', 40, 50],
    'dispute that the buyer wins': [resolve({ outcome: 'REFUND' }), 'REFUNDED', 0, 100],
    'freeze and release': [freeze, 'RELEASED', 80, 0],
  }

  for (const [rail, held] of Object.entries(RAILS)) {
    test(`by ${rail}: release, refund, split, dispute and freeze`, async () => {
      for (const [end, [action, status, toSeller, toBuyer]] of Object.entries(ENDS)) {
        market = await openMarket(service, { amount: 1 })
        await fund(service, market.buyer, 100)
        await must(market, 'buyer', '/wallets', { currency: 'USDC' })
        const id = await held()
        const escrow = await must<
          EscrowView & { buyerWalletId: string; sellerWalletId: string; currency: 'USD' }
        >(market, 'buyer', `/payments/escrow/${id}`)
        assert.deepEqual([escrow.status, escrow.held], ['HELD', '100.00'], `${rail} ${end}`)
        const { db } = service.services
        const balance = async (account: string) =>
          Number(await balanceOf(db, account, escrow.currency)) / 1_000_000
        const [buyer, seller] = [
          accounts.wallet(escrow.buyerWalletId),
          accounts.wallet(escrow.sellerWalletId),
        ]
        const before = [await balance(seller), await balance(buyer)]
        await action(id)
        const after = [await balance(seller), await balance(buyer)]
        assert.deepEqual(
          [(await readEscrow(market, id)).status, ...after.map((now, index) => now - (before[index] ?? 0))],
          [status, toSeller, toBuyer],
          `${rail} ${end}`,
        )
        const legs = (await journalsOf(db, accounts.escrow(id))).filter(
          ({ credit }) => credit === accounts.escrow(id),
        )
        assert.deepEqual(
          legs.map(({ kind, debit }) => [kind, debit]),
          [[{ wallet: 'ap2.hold', x402: 'x402_payment' }[rail] ?? 'fund', buyer]],
        )
        const books = await must<{ ok: boolean }>(
          market,
          'buyer',
          `/payments/ap2/escrows/${id}/reconciliation`,
        )
        assert.equal(books.ok, true, `${rail} ${end}`)
      }
    })
  }
})
