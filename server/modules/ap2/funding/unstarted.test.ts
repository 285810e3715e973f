import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, mock, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { processorOf } from '#payments'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import {
  acceptedDeal,
  availableOf,
  eventually,
  fund,
  openMarket,
  readDeal,
  readEscrow,
  sessionContext,
  sharedChainService,
  type DealView,
  type Market,
  type TestService,
} from '#test'
import { rulesOf } from '../deal/tier.ts'
import { hireByCard } from '../hire/hire.ts'
import { fundEscrow } from './fund.ts'

type Funded = Awaited<ReturnType<typeof fundEscrow>>
const WAYS = {
  page: { rail: 'card' },
  card: { rail: 'card', paymentMethodId: 'pm_card_visa' },
  usdc: { rail: 'x402' },
} as const

/** A server that was killed, or is slow, between the reservation of an escrow and the start of its payment. */
suite('a reservation without a payment', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedChainService()
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 1 })
  })
  afterEach(() => mock.restoreAll())
  after(() => service.close())

  const call = <Body = { escrowId: string; status: string }>(path: string, body: object) =>
    service.http<Body>('POST', path, { token: market.buyer.token, body })
  const cancel = (negotiationId: string) => call<DealView>('/ap2/cancel', { negotiationId })
  const request = () => ({ services: service.services, rules: rulesOf(service.services), requestId: newId() })
  const context = () => sessionContext({ accountId: market.buyer.id })
  const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => service.services.db.transaction(work)

  /** The first transaction of a request to pay, and what it has still to do. */
  async function reserve(way: keyof typeof WAYS) {
    const { id } = await acceptedDeal(market, way === 'usdc' ? { currency: 'USDC' } : {})
    const input = { negotiationId: id, ...WAYS[way] }
    const begun = await inTransaction(tx => fundEscrow(tx, context(), input, request()))
    const { escrowId } = await readDeal(market, id)
    assert.ok(escrowId)
    assert.equal((await readEscrow(market, escrowId)).status, 'PENDING_FUNDING')
    return { id, escrowId, proceed: () => proceed(begun) }
  }
  const proceed = (begun: Funded) => {
    assert.ok('proceed' in begun)
    return begun.proceed()
  }
  const paymentsOf = async (escrowId: string): Promise<number> => {
    const { rows } = await service.services.db.pool.query(
      'select id from payments_intent where id = $1 union all select id from x402_payment where id = $1',
      [escrowId],
    )
    return rows.length
  }
  const pageOf = async (escrowId: string): Promise<string | undefined> => {
    const { rows } = await service.services.db.pool.query<{ status: string }>(
      "select status from platform_processor_object where kind = 'checkout.session' and idempotency_key = $1",
      [escrowId],
    )
    return rows[0]?.status
  }

  for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[])
    test(`by ${way} ends with the deal that is canceled; the request starts no payment later`, async () => {
      const { id, escrowId, proceed: goOn } = await reserve(way)
      const canceled = await cancel(id)
      assert.deepEqual([canceled.status, canceled.body.status], [201, 'CANCELLED'], canceled.text)
      const late = await goOn()
      assert.deepEqual([late.status, late.checkout], ['CANCELLED', undefined])
      assert.equal(await paymentsOf(escrowId), 0)
      assert.equal(await pageOf(escrowId), undefined)
    })

  test('by card gives way to a wallet, and the request charges nothing later', async () => {
    const { id, escrowId, proceed: goOn } = await reserve('card')
    await fund(service, market.buyer, 100)
    const paid = await call('/payments/ap2/initiate', { negotiationId: id })
    assert.deepEqual([paid.status, paid.body.status], [201, 'HELD'], paid.text)
    assert.equal((await goOn()).status, 'CANCELLED')
    assert.equal(await paymentsOf(escrowId), 0)
    assert.equal(await availableOf(service, market.buyer), '1.00')
  })

  test('by card that is charged while the deal is canceled is held, refunded or not charged', async () => {
    for (let n = 0; n < 4; n++) {
      market = await openMarket(service, { amount: 1 })
      const { id, escrowId, proceed: goOn } = await reserve('card')
      // A charge that was given up before it was sent is refused as expired.
      const [canceled] = await Promise.all([cancel(id), goOn().catch(() => undefined)])
      const { status } = await readEscrow(market, escrowId)
      const held = await balanceOf(service.services.db, accounts.escrow(escrowId), 'USD')
      const available = await availableOf(service, market.buyer)
      const seen = `${canceled.status} ${status}: ${await paymentsOf(escrowId)}, ${held}, ${available}`
      const ends = [
        '201 CANCELLED: 0, 0, 1.00',
        '201 CANCELLED: 1, 0, 1.00',
        '201 REFUNDED: 1, 0, 101.00',
        '409 HELD: 1, 100000000, 1.00',
      ]
      assert.ok(ends.includes(seen), seen)
    }
  })

  test('whose page opens after the deal was canceled is refused, and the page is closed', async () => {
    const { id, escrowId, proceed: goOn } = await reserve('page')
    const processor = processorOf(service.services)
    const open = processor.openCheckout.bind(processor)
    mock.method(processor, 'openCheckout', async (order: Parameters<typeof open>[0]) => {
      assert.equal((await cancel(id)).status, 201)
      await service.advance(1)
      await eventually('the payment has expired', async () => {
        const { rows } = await service.services.db.pool.query<{ status: string }>(
          'select status from payments_intent where id = $1',
          [escrowId],
        )
        return rows[0]?.status === 'EXPIRED'
      })
      return open(order)
    })
    await assert.rejects(goOn(), /Payment expired/)
    await eventually('the page is closed', async () => (await pageOf(escrowId)) === 'expired')
  })

  test('of a hire that was canceled is not reserved anew when the request is repeated', async () => {
    const input = { agentId: market.agent.id, amount: 20, ...WAYS.card }
    const how = request()
    const hire = () => inTransaction(tx => hireByCard(tx, context(), input, how))
    const begun = await hire()
    const { rows } = await service.services.db.pool.query<{ id: string; negotiation_id: string }>(
      'select id, negotiation_id from ap2_escrow where request_id = $1',
      [how.requestId],
    )
    const [reserved] = rows
    assert.ok(reserved && 'proceed' in begun)
    assert.equal((await cancel(reserved.negotiation_id)).status, 201)
    await assert.rejects(begun.proceed(), /the hire was cancelled meanwhile/)
    await assert.rejects(hire(), /Cannot fund while CANCELLED/)
    assert.equal(await paymentsOf(reserved.id), 0)
  })
})
