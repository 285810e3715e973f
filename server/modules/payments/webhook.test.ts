import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/id'
import { signatureHeader } from '#platform/processor/signature'
import { registerHuman, startTestService, type Answer, type Person, type TestService } from '#test'

const SECRET = 'whsec_of_this_test'
const ENDPOINTS = ['payout-updated', 'transfer-updated', 'account-updated', 'payment-intent', 'checkout-session'] as const
type Outcome = Answer<{ outcome: string; message: string }>

let service: TestService
before(async () => { service = await startTestService({ PROCESSOR_WEBHOOK_SECRET: SECRET }) })
after(() => service.close())

const event = (type: string, object: object, id = `evt_${newId()}`) => ({ id, type, object: 'event', created: 1, livemode: false, data: { object } })

/** One notification; `header` and `text` say how it differs from what was signed. */
function notify(body: object, how: { endpoint?: string; at?: Date; text?: string; header?: (good: string) => Record<string, string> } = {}): Promise<Outcome> {
  const signed = JSON.stringify(body)
  const good = signatureHeader(signed, SECRET, how.at ?? new Date())
  const headers = how.header ? how.header(good) : { 'payment-processor-signature': good }
  return service.http('POST', `/webhooks/payment-processor/${how.endpoint ?? 'payment-intent'}`, { body: how.text ?? signed, headers })
}

const available = async (person: Person) =>
  (await service.http<{ available: string }>('GET', `/wallets/${person.walletId}`, { token: person.token })).body.available

/** A payment that waits for its notification, and the objects that would confirm or end it. */
async function pendingPayment(amount: number, person?: Person) {
  const payer = person ?? await registerHuman(service)
  const { body } = await service.http<{ transaction: { reference: { paymentId: string } } }>('POST', `/wallets/${payer.walletId}/fund`, { token: payer.token, body: { amount, rail: 'checkout' } })
  const metadata = { paymentId: body.transaction.reference.paymentId }
  const common = { currency: 'usd', metadata, balance_transaction: { fee: 59 } }
  return {
    payer,
    intent: { id: `pi_${newId()}`, amount_received: amount * 100, status: 'succeeded', ...common },
    session: { id: `cs_${newId()}`, amount_total: amount * 100, payment_status: 'paid', ...common },
  }
}

describe('a signature', () => {
  test('is demanded by all five endpoints, in either header', async () => {
    for (const endpoint of ENDPOINTS) {
      const body = event('something.else', {})
      assert.equal((await notify(body, { endpoint, header: () => ({}) })).status, 400)
      assert.equal((await notify(body, { endpoint, header: good => ({ 'stripe-signature': good }) })).status, 200)
      assert.equal((await notify(event('something.else', {}), { endpoint })).status, 200)
    }
  })

  test('that is wrong, stale or over another body credits nothing', async () => {
    const { payer, intent } = await pendingPayment(10)
    const body = event('payment_intent.succeeded', intent)
    const hour = (n: number) => new Date(Date.now() + n * 3_600_000)
    const refused = [
      notify(body, { header: good => ({ 'payment-processor-signature': good.replace(/.$/, last => (last === '0' ? '1' : '0')) }) }),
      notify(body, { header: () => ({ 'payment-processor-signature': signatureHeader(JSON.stringify(body), 'whsec_of_a_thief', new Date()) }) }),
      notify(body, { at: hour(-1) }), notify(body, { at: hour(1) }),
      notify(body, { text: JSON.stringify({ ...body, data: { object: { ...intent, amount_received: 100_000 } } }) }),
      notify(body, { text: `${JSON.stringify(body)} ` }),
      notify(body, { header: () => ({ 'payment-processor-signature': '' }) }),
    ]
    for (const answer of await Promise.all(refused)) assert.deepEqual([answer.status, answer.body.message.split(':')[0]], [400, 'Invalid signature'])
    assert.equal(await available(payer), '0.00')
    assert.equal((await notify(body)).body.outcome, 'booked', 'a refused notification does not use its id up')
    assert.equal(await available(payer), '10.00')
  })

  test('keeps to real time when the sandbox clock is moved', async () => {
    await service.advance(3600)
    assert.equal((await notify(event('something.else', {}))).status, 200)
  })
})

describe('notifications', () => {
  test('doubled and shuffled, 50 at once, credit exactly once and book the fee once', async () => {
    const { payer, intent, session } = await pendingPayment(40)
    const fees = await balanceOf(service.services.db, accounts.processorFee, 'USD')
    const same = event('payment_intent.succeeded', intent)
    const kinds = [
      () => same, () => same, () => event('payment_intent.succeeded', intent), () => event('checkout.session.completed', session),
      () => event('checkout.session.expired', session), () => event('payment_intent.payment_failed', intent), () => event('payment_intent.processing', intent),
    ]
    const sent = Array.from({ length: 50 }, (_, n) => kinds[n % kinds.length] ?? (() => same)).sort(() => Math.random() - 0.5)
    const answers = await Promise.all(sent.map((make, n) => notify(make(), { endpoint: n % 2 ? 'payment-intent' : 'checkout-session' })))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(answers.filter(({ body }) => body.outcome === 'booked').length, 1)
    assert.equal(await available(payer), '40.00')
    assert.equal(await balanceOf(service.services.db, accounts.processorFee, 'USD') - fees, -590_000n)
  })

  test('sent again answer 200 and change nothing', async () => {
    const { payer, intent } = await pendingPayment(15)
    const body = event('payment_intent.succeeded', intent)
    assert.deepEqual([(await notify(body)).body.outcome, (await notify(body)).body.outcome], ['booked', 'duplicate'])
    assert.equal(await available(payer), '15.00')
  })

  test('of a failure after the success do not take the money back', async () => {
    const { payer, intent, session } = await pendingPayment(15)
    await notify(event('payment_intent.succeeded', intent))
    for (const type of ['payment_intent.payment_failed', 'payment_intent.canceled']) assert.equal((await notify(event(type, intent))).body.outcome, 'known')
    assert.equal((await notify(event('checkout.session.expired', session))).body.outcome, 'known')
    assert.equal(await available(payer), '15.00')
  })

  test('of another amount or currency book nothing', async () => {
    const { payer, intent } = await pendingPayment(15)
    for (const wrong of [{ amount_received: 1499 }, { amount_received: 1_500_000 }, { amount_received: undefined }, { currency: 'eur' }]) {
      assert.equal((await notify(event('payment_intent.succeeded', { ...intent, ...wrong }))).body.outcome, 'mismatch', JSON.stringify(wrong))
    }
    assert.equal(await available(payer), '0.00')
  })

  test('about nothing of ours are kept and answered 200', async () => {
    const { intent } = await pendingPayment(15)
    const foreign = [{}, { ...intent, metadata: {} }, { ...intent, metadata: { paymentId: 'x' } }, { ...intent, metadata: { paymentId: newId() } }, { ...intent, amount_received: 'all' }]
    for (const object of foreign) {
      const answer = await notify(event('payment_intent.succeeded', object))
      assert.deepEqual([answer.status, answer.body.outcome], [200, 'unmatched'])
    }
    for (const endpoint of ENDPOINTS) assert.equal((await notify(event('payout.paid', {}), { endpoint })).body.outcome, 'recorded')
  })

  test('that are no events are 400', async () => {
    for (const body of [{}, { id: 'evt_1' }, { ...event('x', {}), id: '' }, { ...event('x', {}), data: null }, [], 'text', null]) {
      assert.equal((await notify(body as object)).status, 400, JSON.stringify(body))
    }
    assert.equal((await notify({}, { text: '{' })).status, 400)
  })
})
