import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/id'
import { availableOf, notifyOf, pendingPage, processorEvent as event, startTestService, type TestService } from '#test'

let service: TestService
before(async () => { service = await startTestService({ PROCESSOR_WEBHOOK_SECRET: 'whsec_of_this_file' }) })
after(() => service.close())

const pendingPayment = (amount: number) => pendingPage(service, amount)
const available = (person: Parameters<typeof availableOf>[1]) => availableOf(service, person)
const outcomeOf = async (body: object) => (await notifyOf(service, body)).body.outcome
const statusOf = async (paymentId: string) => (await service.services.db.pool.query<{ status: string }>('select status from payments_intent where id = $1', [paymentId])).rows[0]?.status

test('an event that names our payment and cannot be read is a mismatch, and the outcome is asked for', async t => {
  const logged = t.mock.method(service.services.log, 'error', () => undefined)
  const shapes = [
    { amount_received: 'all' }, { amount_received: -1 }, { amount_received: 1e13 }, { currency: null }, { balance_transaction: 5 }, { id: 7 }, { last_payment_error: 'no' },
  ]
  for (const [count, wrong] of shapes.entries()) {
    const { payer, intent } = await pendingPayment(15)
    const { paymentId } = intent.metadata
    assert.equal(await outcomeOf(event('payment_intent.succeeded', { ...intent, ...wrong })), 'mismatch', JSON.stringify(wrong))
    assert.equal(logged.mock.calls.filter(({ arguments: [, message] }) => /could not be posted/.test(String(message))).length, count + 1)
    const { rows } = await service.services.db.pool.query<{ due: boolean }>(
      'select ask_at < created_at + interval \'5 minutes\' as due from payments_intent where id = $1', [paymentId])
    assert.deepEqual([rows, await statusOf(paymentId), await available(payer)], [[{ due: true }], 'PENDING', '0.00'])
    assert.equal(await outcomeOf(event('payment_intent.succeeded', intent)), 'booked', 'it still counts once it can be read')
  }
})

test('fields that the processor left out, or did not expand, may be null or an id', async () => {
  const shapes = [{ balance_transaction: 'txn_1' }, { balance_transaction: null }, { last_payment_error: null, amount_total: null, payment_intent: null, payment_status: null }]
  for (const loose of shapes) {
    const { payer, intent } = await pendingPayment(15)
    assert.equal(await outcomeOf(event('payment_intent.succeeded', { ...intent, ...loose })), 'booked', JSON.stringify(loose))
    assert.equal(await available(payer), '15.00')
  }
  const { intent } = await pendingPayment(15)
  const declined = { ...intent, last_payment_error: { code: null, message: null } }
  assert.equal(await outcomeOf(event('payment_intent.canceled', declined)), 'ended')
  assert.equal(await statusOf(intent.metadata.paymentId), 'EXPIRED')
})

test('disputes and refunds at the processor are logged as errors', async t => {
  const logged = t.mock.method(service.services.log, 'error', () => undefined)
  for (const [type, outcome] of [['charge.dispute.created', 'dispute'], ['charge.dispute.funds_withdrawn', 'dispute'], ['charge.refunded', 'refund']] as const) {
    assert.equal(await outcomeOf(event(type, { id: `x_${newId()}`, payment_intent: 'pi_1' })), outcome)
    assert.match(String(logged.mock.calls.at(-1)?.arguments[1]), /nothing was posted/)
  }
  assert.equal(await outcomeOf(event('charge.refunded', { metadata: { paymentId: newId(), installation: newId() } })), 'unmatched')
})

test('one processor id for two payments at the same moment books one and never fails', async () => {
  for (let round = 0; round < 4; round++) {
    const payments = await Promise.all(Array.from({ length: 6 }, () => pendingPayment(15)))
    const id = `pi_${newId()}`
    const answers = await Promise.all(payments.map(({ intent }) => notifyOf(service, event('payment_intent.succeeded', { ...intent, id }))))
    assert.deepEqual(answers.map(({ status }) => status), payments.map(() => 200))
    assert.deepEqual(answers.map(({ body }) => body.outcome).sort(), ['booked', ...Array.from({ length: 5 }, () => 'mismatch')])
  }
})
