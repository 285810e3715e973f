import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, mock, suite, test } from 'node:test'
import { NoAnswer, processorOf } from '#payments'
import {
  acceptedDeal,
  availableOf,
  eventually,
  fund,
  openMarket,
  readDeal,
  readEscrow,
  sharedChainService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

const CARD = { rail: 'card', paymentMethodId: 'pm_card_visa' }

/** A server that was killed between the storage of a payment by card and the end of its charge. */
suite('a charge that a crash cut off', () => {
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

  const call = <Body = { escrowId: string; status: string; hint?: string }>(
    path: string,
    body: object,
    key?: string,
  ) =>
    service.http<Body>('POST', path, {
      token: market.buyer.token,
      body,
      ...(key ? { headers: { 'idempotency-key': key } } : {}),
    })
  const initiate = (negotiationId: string, key?: string) =>
    call('/payments/ap2/initiate', { negotiationId, ...CARD }, key)
  const cancel = (negotiationId: string) =>
    call<DealView & { hint?: string }>('/ap2/cancel', { negotiationId })
  const paymentOf = (escrowId: string) =>
    service.http<{ status: string }>('GET', `/payments/card/${escrowId}`, { token: market.buyer.token })
  const chargesOf = async (escrowId: string): Promise<number> => {
    const { rows } = await service.services.db.pool.query(
      "select from platform_processor_object where kind = 'payment_intent' and idempotency_key = $1",
      [escrowId],
    )
    return rows.length
  }

  /** Runs `meanwhile` where the server is about to note that it sends the charge. */
  function atCharge(meanwhile: () => Promise<void>): void {
    const { db } = service.services
    const run = db.run.bind(db)
    mock.method(db, 'run', async (statement: Parameters<typeof run>[0]) => {
      if (statement.text.includes('charge_sent')) await meanwhile()
      return run(statement)
    })
  }
  /** A deal whose payment is stored, and whose charge was never sent. */
  async function unsentDeal(key?: string) {
    const { id } = await acceptedDeal(market)
    atCharge(() => Promise.reject(new Error('killed')))
    assert.equal((await initiate(id, key)).status, 500)
    mock.restoreAll()
    const { escrowId } = await readDeal(market, id)
    assert.ok(escrowId)
    assert.equal((await paymentOf(escrowId)).body.status, 'PENDING')
    return { id, escrowId }
  }

  test('before it was sent ends with the deal that is canceled, and is never sent', async () => {
    const { id, escrowId } = await unsentDeal('unsent-cancel')
    const canceled = await cancel(id)
    assert.deepEqual([canceled.status, canceled.body.status], [201, 'CANCELLED'], canceled.text)
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    assert.equal((await paymentOf(escrowId)).body.status, 'EXPIRED')
    await service.advance(11)
    assert.equal((await initiate(id, 'unsent-cancel')).status, 409)
    assert.equal(await chargesOf(escrowId), 0)
  })

  test('before it was sent gives way to a wallet', async () => {
    const { id, escrowId } = await unsentDeal()
    await fund(service, market.buyer, 100)
    const paid = await call('/payments/ap2/initiate', { negotiationId: id })
    assert.deepEqual([paid.status, paid.body.status], [201, 'HELD'], paid.text)
    assert.equal(await chargesOf(escrowId), 0)
    assert.equal(await availableOf(service, market.buyer), '1.00')
  })

  test('before it was sent is sent when the request is repeated', async () => {
    const { id, escrowId } = await unsentDeal('unsent-repeat')
    await service.advance(11)
    const paid = await initiate(id, 'unsent-repeat')
    assert.deepEqual([paid.status, paid.body.escrowId, paid.body.status], [201, escrowId, 'HELD'], paid.text)
    assert.equal(await chargesOf(escrowId), 1)
  })

  test('is refused where the deal is canceled just before it is sent', async () => {
    const { id } = await acceptedDeal(market)
    atCharge(async () => assert.equal((await cancel(id)).status, 201))
    const paid = await call<{ code: string }>('/payments/ap2/initiate', { negotiationId: id, ...CARD })
    assert.deepEqual([paid.status, paid.body.code], [400, 'PAYMENT_EXPIRED'], paid.text)
    assert.equal(await availableOf(service, market.buyer), '1.00')
  })

  test('while it was sent stays under way, and its money is held', async () => {
    const { id } = await acceptedDeal(market)
    const processor = processorOf(service.services)
    const charge = processor.charge.bind(processor)
    let order: Parameters<typeof charge>[0] | undefined
    mock.method(processor, 'charge', (sent: typeof order) => {
      order = sent
      throw new NoAnswer('killed')
    })
    const pending = await initiate(id)
    assert.deepEqual([pending.status, pending.body.status], [201, 'PENDING_FUNDING'], pending.text)
    const { escrowId } = pending.body
    const refused = await cancel(id)
    assert.equal(refused.status, 409, refused.text)
    assert.match(refused.body.hint ?? '', /^The payment is under way/)
    assert.ok(order)
    await charge(order)
    await eventually('the money is held', async () => (await readEscrow(market, escrowId)).status === 'HELD')
  })
})
