import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  acceptedDeal,
  as,
  availableOf,
  ChargebackTrial,
  eventually,
  fundingBy,
  must,
  notifyOf,
  openMarket,
  processorEvent,
  processorIdOf,
  registerHuman,
  startTestService,
  type Market,
  type Person,
  type TestService,
} from '#test'

interface Difference {
  kind: string
  subject: string
  externalId: string | null
  ourId: string | null
  expected: string | null
  actual: string | null
  note: string
  open: boolean
}
interface Report {
  id: string
  compared: Record<string, number>
  open: number
  differences: Difference[]
}

suite('the reconciliation with the card processor', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await startTestService({ PROCESSOR_WEBHOOK_SECRET: 'whsec_of_this_file' })
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  const run = async (body: object = {}): Promise<Report> => {
    const answer = await trial.post<Report>('/admin/reconciliation', body)
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  /** What a report says about one object. */
  const about = ({ differences }: Report, id: string) =>
    differences
      .filter(({ externalId, ourId, note }) => externalId === id || ourId === id || note.includes(id))
      .map(({ kind, subject, open }) => `${kind} ${subject}${open ? '' : ' (done)'}`)
  /** A payment whose notification and answer are lost. */
  async function lostPayment(payer: Person, amount: number): Promise<string> {
    await trial.breakProcessor('answer_lost', 1, true)
    const { body } = await trial.post<{ transaction: { id: string; status: string } }>(
      `/wallets/${payer.walletId}/fund`,
      { amount, paymentMethodId: 'pm_card_visa' },
      { token: payer.token },
    )
    assert.equal(body.transaction.status, 'PENDING')
    return body.transaction.id
  }
  async function paid(amount = 20): Promise<{ payer: Person; paymentId: string; processorId: string }> {
    const payer = await registerHuman(service)
    const paymentId = await fundingBy(service, payer, amount)
    return { payer, paymentId, processorId: await processorIdOf(service, paymentId) }
  }

  test('what agrees is not reported', async () => {
    const { processorId, paymentId } = await paid()
    const report = await run()
    assert.deepEqual([about(report, processorId), about(report, paymentId)], [[], []])
    assert.ok((report.compared.card ?? 0) >= 1)
    const read = await service.http<Report>('GET', `/admin/reconciliation/${report.id}`, {
      token: trial.admin,
    })
    assert.deepEqual(read.body, report)
    const list = await service.http<{ items: Report[] }>('GET', '/admin/reconciliation', {
      token: trial.admin,
    })
    assert.deepEqual(list.body.items[0], report)
    const none = await service.http('GET', `/admin/reconciliation/${newId()}`, { token: trial.admin })
    assert.equal(none.status, 404)
    const backwards = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }
    assert.equal((await trial.post('/admin/reconciliation', backwards)).status, 400)
  })

  test('a lost event is named, and what it was about is booked', async () => {
    const payer = await registerHuman(service)
    const paymentId = await lostPayment(payer, 30)
    const report = await run()
    assert.deepEqual(about(report, paymentId).sort(), [
      'EVENT_LOST payment (done)',
      'MISSING_HERE payment (done)',
    ])
    assert.equal(await availableOf(service, payer), '30.00')
    assert.deepEqual(about(await run(), paymentId), ['EVENT_LOST payment (done)'])
    const { disputeId } = await trial.unnoticed(11)
    await trial.query("delete from payments_event where body #>> '{data,object,id}' = $1", [disputeId])
    assert.deepEqual(about(await run(), disputeId).sort(), [
      'EVENT_LOST dispute (done)',
      'MISSING_HERE dispute (done)',
    ])
    assert.ok(await trial.chargebackOf(disputeId))
  })

  test('a duplicated, a reordered and an altered event are named, and change nothing', async () => {
    const { payer, paymentId, processorId } = await paid()
    const object = {
      id: processorId,
      amount_received: 2000,
      currency: 'usd',
      metadata: { paymentId },
      balance_transaction: { fee: 88 },
    }
    const twice = processorEvent('payment_intent.succeeded', object)
    for (let copy = 0; copy < 3; copy++) await notifyOf(service, { ...twice, created: 4_000_000_000 })
    const late = processorEvent('payment_intent.succeeded', object)
    await notifyOf(service, { ...late, created: 1_000_000_000 })
    const altered = processorEvent('payment_intent.succeeded', { ...object, amount_received: 9900 })
    await notifyOf(service, { ...altered, created: 4_000_000_001 })
    const report = await run()
    const of = (id: string) =>
      report.differences.filter(({ externalId }) => externalId === id).map(({ kind, open }) => [kind, open])
    assert.deepEqual(of(twice.id), [['EVENT_DUPLICATED', false]])
    assert.deepEqual(of(late.id), [['EVENT_REORDERED', false]])
    assert.deepEqual(of(altered.id), [['EVENT_ALTERED', true]])
    assert.equal(await availableOf(service, payer), '20.00')
  })

  test('other amounts, fees and states, and what only one side has, wait for an operator', async () => {
    const altered = await paid()
    const away = await paid()
    const fee = await paid()
    const movement = (id: string, change: string) =>
      trial.query(`update payments_sandbox_movement set ${change} where source_id = $1`, [id])
    await movement(altered.processorId, 'cents = 1999')
    await movement(fee.processorId, 'fee_cents = 1')
    await trial.query('delete from payments_sandbox_movement where source_id = $1', [away.processorId])
    await trial.query(
      "insert into payments_sandbox_movement select 'txn_twice', kind, source_id, our_id, cents, fee_cents, currency, at from payments_sandbox_movement where source_id = $1",
      [fee.processorId],
    )
    const won = await trial.disputed(12)
    await trial.breakProcessor('not_reached')
    await trial.win(won.disputeId)
    await trial.dropEvents(won.disputeId)
    const report = await run()
    assert.deepEqual(about(report, altered.paymentId), ['AMOUNT_DIFFERS payment'])
    assert.deepEqual(about(report, away.paymentId), ['MISSING_AT_PROCESSOR payment'])
    assert.deepEqual(about(report, fee.paymentId).sort(), ['AMOUNT_DIFFERS fee', 'DUPLICATE payment'])
    assert.ok(about(report, won.disputeId).includes('STATE_DIFFERS dispute (done)'))
    assert.equal((await trial.read(won.chargebackId)).status, 'WON')
    assert.ok(report.open >= 4)
  })

  /** A refund to the card of a deal of 100 dollars, when the processor has made it. */
  async function refunded(market: Market, paymentMethodId = 'pm_card_visa') {
    const { id } = await acceptedDeal(market)
    const order = { negotiationId: id, rail: 'card', paymentMethodId }
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', order)
    const path = `/payments/escrow/${escrowId}/refund`
    const { body, text } = await as<{ refund?: { id: string } }>(market, 'seller', path, { to: 'card' })
    const refundId = body.refund?.id ?? assert.fail(text)
    const externalId = async () => {
      const [row] = await trial.query<{ source: string }>(
        'select source_id as source from payments_sandbox_movement where our_id = $1',
        [refundId],
      )
      return row?.source ?? ''
    }
    await eventually('the processor has the refund', async () => (await externalId()) !== '')
    return { refundId, externalId: await externalId() }
  }
  const refundStatus = async (id: string) =>
    (await trial.query<{ status: string }>('select status from payments_refund where id = $1', [id]))[0]
      ?.status
  const addMovement = (
    from: string,
    to: { id: string; source: string; ourId: string | null; cents: number },
  ) =>
    trial.query(
      `insert into payments_sandbox_movement
       select $2, kind, $3, $4, $5, 0, currency, at from payments_sandbox_movement where source_id = $1`,
      [from, to.id, to.source, to.ourId, to.cents],
    )

  test('names what differs of a refund, and books one that came back unnoticed', async () => {
    const market = await openMarket(service, { amount: 100 })
    const [same, away, altered, back] = [
      await refunded(market),
      await refunded(market),
      await refunded(market),
      await refunded(market, 'pm_card_pendingRefund'),
    ]
    for (const { refundId } of [same, away, altered])
      await eventually('the refund succeeds', async () => (await refundStatus(refundId)) === 'SUCCEEDED')
    await trial.query('delete from payments_sandbox_movement where source_id = $1', [away.externalId])
    await trial.query('update payments_sandbox_movement set cents = -9999 where source_id = $1', [
      altered.externalId,
    ])
    await addMovement(same.externalId, {
      id: 'txn_hand',
      source: 're_by_hand',
      ourId: null,
      cents: -500,
    })
    await trial.change(back.externalId, { status: 'failed', failure_reason: 'lost_or_stolen_card' })
    await addMovement(back.externalId, {
      id: 'txn_back',
      source: back.externalId,
      ourId: back.refundId,
      cents: 10_000,
    })
    const report = await run()
    assert.deepEqual(about(report, same.refundId), [])
    assert.deepEqual(about(report, away.refundId), ['MISSING_AT_PROCESSOR refund'])
    assert.ok(about(report, altered.refundId).includes('AMOUNT_DIFFERS refund'))
    assert.deepEqual(about(report, 're_by_hand'), ['MISSING_HERE refund', 'EVENT_LOST refund (done)'])
    assert.deepEqual(about(report, back.refundId), ['STATE_DIFFERS refund (done)'])
    assert.equal(await refundStatus(back.refundId), 'FAILED')
    assert.deepEqual(about(await run(), back.refundId), [])
  })

  test('names a lost, a duplicated, a reordered and an altered event of a refund', async () => {
    const market = await openMarket(service, { amount: 100 })
    const { refundId, externalId } = await refunded(market)
    const lost = await refunded(market)
    await eventually('its events are received', async () => {
      const about = "where body #>> '{data,object,id}' = any($1)"
      const rows = await trial.query(`select from payments_event ${about}`, [[externalId, lost.externalId]])
      return rows.length === 2
    })
    await trial.query("delete from payments_event where body #>> '{data,object,id}' = $1", [lost.externalId])
    const object = { id: externalId, amount: 10_000, metadata: { refundId } }
    const twice = { ...processorEvent('refund.updated', object), created: 4_000_000_000 }
    for (let copy = 0; copy < 2; copy++) await notifyOf(service, twice)
    const late = { ...processorEvent('refund.updated', object), created: 1_000_000_000 }
    await notifyOf(service, late)
    const altered = { ...processorEvent('refund.updated', { ...object, amount: 1 }), created: 4_000_000_001 }
    await notifyOf(service, altered)
    const report = await run()
    assert.deepEqual(about(report, lost.refundId), ['EVENT_LOST refund (done)'])
    assert.deepEqual(about(report, twice.id), ['EVENT_DUPLICATED refund.updated (done)'])
    assert.deepEqual(about(report, late.id), ['EVENT_REORDERED refund.updated (done)'])
    assert.deepEqual(about(report, altered.id), ['EVENT_ALTERED refund.updated'])
  })

  test('without the list of the processor there is no report', async () => {
    await trial.breakProcessor('not_reached')
    assert.equal((await trial.post('/admin/reconciliation', {})).status, 503)
  })
})
