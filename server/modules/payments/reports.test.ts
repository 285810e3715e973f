import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  availableOf,
  makeTrue,
  notifyOf,
  pendingPage,
  processorEvent as event,
  sendEvent,
  startTestService,
  type TestService,
} from '#test'
import { confirm } from './intents/booking.ts'
import { sandboxProcessor } from './processor.ts'
import { lockIntent } from './sql.ts'

let service: TestService
before(async () => {
  service = await startTestService({ PROCESSOR_WEBHOOK_SECRET: 'whsec_of_this_file' })
})
after(() => service.close())

const pendingPayment = (amount: number) => pendingPage(service, amount)
const available = (person: Parameters<typeof availableOf>[1]) => availableOf(service, person)
const outcomeOf = async (body: object) => (await notifyOf(service, body)).body.outcome
const statusOf = async (paymentId: string) =>
  (
    await service.services.db.pool.query<{ status: string }>(
      'select status from payments_intent where id = $1',
      [paymentId],
    )
  ).rows[0]?.status

test('what an event says of money counts for nothing: the word of the processor is booked', async () => {
  const shapes = [
    { amount_received: 'all' },
    { amount_received: -1 },
    { amount_received: 150_000 },
    { currency: null },
    { balance_transaction: { fee: 1 } },
    { id: 7 },
    { status: 'requires_payment_method', last_payment_error: 'no' },
  ]
  for (const wrong of shapes) {
    const { payer, intent } = await pendingPayment(15)
    const invented = event('payment_intent.succeeded', { ...intent, ...wrong })
    assert.equal((await sendEvent(service, invented)).body.outcome, 'recorded', 'it has no such payment')
    assert.deepEqual([await statusOf(intent.metadata.paymentId), await available(payer)], ['PENDING', '0.00'])
    await makeTrue(service, event('payment_intent.succeeded', intent))
    const fees = await balanceOf(service.services.db, accounts.processorFee, 'USD')
    const { body } = await sendEvent(service, { ...invented, id: `evt_${newId()}` })
    assert.deepEqual(
      [
        body.outcome,
        await available(payer),
        (await balanceOf(service.services.db, accounts.processorFee, 'USD')) - fees,
      ],
      ['booked', '15.00', -590_000n],
      JSON.stringify(wrong),
    )
  }
})

test('an event while the processor is away is 503, and counts when it comes again', async () => {
  const { payer, intent } = await pendingPayment(15)
  const paid = event('payment_intent.succeeded', intent)
  await makeTrue(service, paid)
  await sandboxProcessor(service.services).break({ kind: 'not_reached', count: 1 })
  const away = await sendEvent(service, paid)
  assert.deepEqual([away.status, await available(payer)], [503, '0.00'])
  assert.deepEqual(
    [(await sendEvent(service, paid)).body.outcome, (await sendEvent(service, paid)).body.outcome],
    ['booked', 'duplicate'],
  )
  assert.equal(await available(payer), '15.00')
})

test('a failure that an event reports does not end a payment that was paid', async () => {
  const { payer, intent, session } = await pendingPayment(15)
  await makeTrue(service, event('payment_intent.succeeded', intent))
  const expired = event('checkout.session.expired', session)
  assert.equal((await sendEvent(service, expired)).body.outcome, 'booked')
  assert.equal(await available(payer), '15.00')
})

test('fields that the processor left out, or did not expand, may be null or an id', async () => {
  const shapes = [
    { balance_transaction: 'txn_1' },
    { balance_transaction: null },
    { last_payment_error: null, amount_total: null, payment_intent: null, payment_status: null },
  ]
  for (const loose of shapes) {
    const { payer, intent } = await pendingPayment(15)
    assert.equal(
      await outcomeOf(event('payment_intent.succeeded', { ...intent, ...loose })),
      'booked',
      JSON.stringify(loose),
    )
    assert.equal(await available(payer), '15.00')
  }
  const { intent } = await pendingPayment(15)
  const declined = { ...intent, last_payment_error: { code: null, message: null } }
  assert.equal(await outcomeOf(event('payment_intent.canceled', declined)), 'ended')
  assert.equal(await statusOf(intent.metadata.paymentId), 'EXPIRED')
})

test('disputes and refunds at the processor are logged as errors', async t => {
  const logged = t.mock.method(service.services.log, 'error', () => undefined)
  for (const [type, outcome] of [
    ['charge.dispute.created', 'dispute'],
    ['charge.dispute.funds_withdrawn', 'dispute'],
    ['charge.refunded', 'refund'],
  ] as const) {
    assert.equal(await outcomeOf(event(type, { id: `x_${newId()}`, payment_intent: 'pi_1' })), outcome)
    assert.match(String(logged.mock.calls.at(-1)?.arguments[1]), /nothing was posted/)
  }
  assert.equal(
    await outcomeOf(event('charge.refunded', { metadata: { paymentId: newId(), installation: newId() } })),
    'unmatched',
  )
})

test('one processor id for two payments at the same moment books one and never fails', async () => {
  const { db } = service.services
  for (let round = 0; round < 4; round++) {
    const payments = await Promise.all(Array.from({ length: 6 }, () => pendingPayment(15)))
    const paid = {
      processorId: `pi_${newId()}`,
      cents: 1500,
      currency: 'USD',
      feeCents: 59,
      cardFingerprint: null,
    }
    const outcomes = await Promise.all(
      payments.map(({ intent }) =>
        db.transaction(async tx => confirm(tx, await tx.one(lockIntent(intent.metadata.paymentId)), paid)),
      ),
    )
    assert.deepEqual(outcomes.sort(), ['booked', ...Array.from({ length: 5 }, () => 'mismatch')])
  }
})
