import assert from 'node:assert/strict'
import { after, afterEach, before, mock, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '#platform/kernel/id'
import { acceptedDeal, as, availableOf, openMarket, readDeal, sharedService } from '#test'
import type { Market, TestService } from '#test'
import { processorOf } from '../processor.ts'

interface Funded {
  wallet: { available: string }
  transaction: { status: string; reference: { paymentId: string } }
  code: string
  details: { paymentId: string; declineCode: string }
}

/** The processor sends the webhook of a charge before it answers the charge: nothing promises an order. */
suite('the webhook of a charge arrives before its answer', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service, { amount: 1 })
  })
  afterEach(() => mock.restoreAll())
  after(() => service.close())

  const rows = async <Row extends object>(text: string, values: unknown[]) =>
    (await service.services.db.pool.query<Row>(text, values)).rows
  const statusOf = async (paymentId: string) =>
    (await rows<{ status: string }>('select status from payments_intent where id = $1', [paymentId]))[0]
      ?.status
  const processorIdOf = async (paymentId: string) =>
    (
      await rows<{ id: string | null }>('select processor_id as id from payments_intent where id = $1', [
        paymentId,
      ])
    )[0]?.id
  const fund = (body: object, key = newId()) =>
    service.http<Funded>('POST', `/wallets/${market.buyer.walletId}/fund`, {
      token: market.buyer.token,
      body: { amount: 20, ...body },
      headers: { 'idempotency-key': key },
    })

  /** Holds the next answers of the processor back until the webhooks have ended their payments. Returns what each payment was then. */
  function holdAnswers(): string[] {
    const seen: string[] = []
    const processor = processorOf(service.services)
    const charge = processor.charge.bind(processor)
    mock.method(processor, 'charge', async (order: Parameters<typeof charge>[0]) => {
      const answer = await charge(order).then(
        value => () => value,
        (error: Error) => () => {
          throw error
        },
      )
      const deadline = Date.now() + 20_000
      while ((await statusOf(order.id)) === 'PENDING') {
        assert.ok(Date.now() < deadline, 'no webhook in 20 s')
        await sleep(10)
      }
      seen.push((await statusOf(order.id)) ?? '')
      return answer()
    })
    return seen
  }

  test('a funding is credited once, by the webhook', async () => {
    const seen = holdAnswers()
    const before = Number(await availableOf(service, market.buyer))
    const key = newId()
    const { status, body } = await fund({}, key)
    assert.deepEqual([seen, status, body.transaction.status], [['SUCCEEDED'], 201, 'COMPLETED'])
    const { paymentId } = body.transaction.reference
    assert.match((await processorIdOf(paymentId)) ?? '', /^pi_/)
    assert.equal((await fund({}, key)).headers.get('idempotency-replayed'), 'true')
    const journals = await rows("select from ledger_journal where reference->>'paymentId' = $1", [paymentId])
    assert.deepEqual([journals.length, Number(await availableOf(service, market.buyer)) - before], [1, 20])
  })

  test('a declined charge fails once, by the webhook or its answer, and is 400', async () => {
    const seen = holdAnswers()
    const { status, body } = await fund({ paymentMethodId: 'pm_card_chargeDeclinedExpiredCard' })
    assert.deepEqual(
      [seen, status, body.code, body.details.declineCode],
      [['FAILED'], 400, 'CARD_DECLINED', 'expired_card'],
    )
    const moves = await rows("select from payments_intent_history where subject_id = $1 and event = 'fail'", [
      body.details.paymentId,
    ])
    assert.equal(moves.length, 1)
  })

  test('a deal is HELD by the webhook, and the answer changes nothing', async () => {
    const seen = holdAnswers()
    const { id: negotiationId } = await acceptedDeal(market)
    const order = { negotiationId, rail: 'card', paymentMethodId: 'pm_card_visa' }
    const { status, body } = await as<{ status: string }>(market, 'buyer', '/payments/ap2/initiate', order)
    assert.deepEqual([seen, status, body.status], [['SUCCEEDED'], 201, 'HELD'])
    assert.equal((await readDeal(market, negotiationId)).escrow.held, '100.00')
  })

  test('an answer that is lost after the webhook loses nothing', async () => {
    const before = Number(await availableOf(service, market.buyer))
    const broken = { kind: 'answer_lost', count: 1, delayMs: 1000 }
    assert.equal((await as(market, 'operator', '/sandbox/processor/faults', broken)).status, 201)
    const { status, body } = await fund({})
    assert.deepEqual([status, body.transaction.status], [201, 'COMPLETED'])
    assert.equal(Number(await availableOf(service, market.buyer)) - before, 20)
  })
})
