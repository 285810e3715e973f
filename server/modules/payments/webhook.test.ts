import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/id'
import { signatureHeader } from '#platform/processor/signature'
import { availableOf, pendingPage, processorEvent as event, startTestService, type Answer, type Person, type TestService } from '#test'
import { installationOf } from './processor.ts'

const SECRET = 'whsec_of_this_test'
const ENDPOINTS = ['payout-updated', 'transfer-updated', 'account-updated', 'payment-intent', 'checkout-session'] as const
type Outcome = Answer<{ outcome: string; message: string }>

let service: TestService
before(async () => { service = await startTestService({ PROCESSOR_WEBHOOK_SECRET: SECRET }) })
after(() => service.close())

/** One notification; `header` and `text` say how it differs from what was signed. */
function notify(body: object, how: { endpoint?: string; at?: Date; text?: string; header?: (good: string) => Record<string, string> } = {}): Promise<Outcome> {
  const signed = JSON.stringify(body)
  const good = signatureHeader(signed, SECRET, how.at ?? new Date())
  const headers = how.header ? how.header(good) : { 'payment-processor-signature': good }
  return service.http('POST', `/webhooks/payment-processor/${how.endpoint ?? 'payment-intent'}`, { body: how.text ?? signed, headers })
}

const available = (person: Person) => availableOf(service, person)
const pendingPayment = (amount: number, person?: Person) => pendingPage(service, amount, person)

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

  test('about nothing of ours are kept and answered 200', async () => {
    const { intent } = await pendingPayment(15)
    const foreign = [{}, { ...intent, metadata: {} }, { ...intent, metadata: { paymentId: 'x' } }, { ...intent, metadata: { paymentId: newId() } }, { ...intent, amount_received: 'all', metadata: { paymentId: newId() } }]
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

describe('money that fits no payment', () => {
  const platform = async () => {
    const [processor, suspense, fees] = await Promise.all([accounts.processor, accounts.suspense, accounts.processorFee].map(account => balanceOf(service.services.db, account, 'USD')))
    return { processor, suspense, fees } as { processor: bigint; suspense: bigint; fees: bigint }
  }
  /** What the platform's accounts gained while `act` ran; the processor's is an asset, so money there is below zero. */
  async function gained(act: () => Promise<unknown>): Promise<[processor: bigint, suspense: bigint, fees: bigint]> {
    const before = await platform()
    await act()
    const now = await platform()
    return [now.processor - before.processor, now.suspense - before.suspense, now.fees - before.fees]
  }
  const outcomeOf = async (body: object) => (await notify(body)).body.outcome
  const audited = async (paymentId: string) => (await service.services.db.pool.query<{ action: string; reason: string }>(
    `select action, details->>'reason' as reason from platform_audit a join platform_audit_private p on p.audit_id = a.id where target_id = $1`, [paymentId])).rows
  const statusOf = async (paymentId: string) => (await service.services.db.pool.query<{ status: string }>('select status from payments_intent where id = $1', [paymentId])).rows[0]?.status

  test('another amount goes to suspense with its fee, once, and leaves the payment as it was', async () => {
    for (const cents of [1499, 1501, 1_500_000]) {
      const { payer, intent } = await pendingPayment(15)
      const wrong = { ...intent, amount_received: cents }
      assert.deepEqual(await gained(async () => { assert.equal(await outcomeOf(event('payment_intent.succeeded', wrong)), 'suspense') }),
        [590_000n - BigInt(cents) * 10_000n, BigInt(cents) * 10_000n, -590_000n])
      const copies = await gained(async () => {
        const session = { ...wrong, id: `cs_${newId()}`, payment_intent: intent.id, amount_received: undefined, amount_total: cents, payment_status: 'paid' }
        const all = [event('payment_intent.succeeded', wrong), event('payment_intent.succeeded', wrong), event('checkout.session.completed', session)]
        assert.deepEqual(await Promise.all(all.map(outcomeOf)), ['known', 'known', 'known'])
      })
      assert.deepEqual(copies, [0n, 0n, 0n])
      assert.deepEqual([await available(payer), await statusOf(intent.metadata.paymentId)], ['0.00', 'PENDING'])
      assert.deepEqual(await audited(intent.metadata.paymentId), [{ action: 'payment.suspended', reason: 'MISMATCH' }])
    }
  })

  test('32 copies at once book it once', async () => {
    const { intent } = await pendingPayment(15)
    const copies = await gained(() => Promise.all(Array.from({ length: 32 }, () => notify(event('payment_intent.succeeded', { ...intent, amount_received: 1400 })))))
    assert.deepEqual(copies, [-13_410_000n, 14_000_000n, -590_000n])
  })

  test('what the ledger has no asset or amount for is told, not posted', async () => {
    const { intent, payer } = await pendingPayment(15)
    const all = [{ currency: 'eur' }, { amount_received: undefined }, { amount_received: 0 }]
    assert.deepEqual(await gained(async () => {
      for (const wrong of all) assert.equal(await outcomeOf(event('payment_intent.succeeded', { ...intent, ...wrong, id: `pi_${newId()}` })), 'mismatch', JSON.stringify(wrong))
    }), [0n, 0n, 0n])
    assert.deepEqual(await audited(intent.metadata.paymentId), [{ action: 'payment.suspended', reason: 'MISMATCH' }], 'the euros are on record')
    assert.equal(await available(payer), '0.00')
  })

  test('a later word that fits takes it out of suspense and credits', async () => {
    const { payer, intent } = await pendingPayment(15)
    const both = await gained(async () => {
      assert.equal(await outcomeOf(event('payment_intent.succeeded', { ...intent, amount_received: 1000 })), 'suspense')
      assert.equal(await outcomeOf(event('payment_intent.succeeded', intent)), 'booked')
    })
    assert.deepEqual([await available(payer), both], ['15.00', [-14_410_000n, 0n, -590_000n]])
  })

  test('a second payment for the same thing goes to suspense, a copy of the first does not', async () => {
    const { payer, intent, session } = await pendingPayment(15)
    assert.equal(await outcomeOf(event('checkout.session.completed', session)), 'booked')
    assert.equal(await outcomeOf(event('payment_intent.succeeded', intent)), 'known', 'the session did not say which payment it was')
    const second = { ...intent, id: `pi_${newId()}` }
    assert.deepEqual(await gained(async () => { assert.equal(await outcomeOf(event('payment_intent.succeeded', second)), 'suspense') }), [-14_410_000n, 15_000_000n, -590_000n])
    assert.deepEqual([await outcomeOf(event('payment_intent.succeeded', second)), await outcomeOf(event('payment_intent.succeeded', intent))], ['known', 'known'])
    assert.equal(await available(payer), '15.00')
  })

  test('a fee that only a later notification names is booked then, once', async () => {
    const { payer, intent, session } = await pendingPayment(15)
    const wrong = await gained(async () => {
      assert.equal(await outcomeOf(event('checkout.session.completed', { ...session, payment_intent: intent.id, balance_transaction: undefined })), 'booked')
    })
    assert.deepEqual(wrong, [-15_000_000n, 0n, 0n])
    const fee = await gained(async () => {
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(event('payment_intent.succeeded', intent))))
      assert.deepEqual(outcomes.sort(), ['booked', ...Array.from({ length: 7 }, () => 'known')])
      assert.equal(await outcomeOf(event('payment_intent.succeeded', { ...intent, balance_transaction: { fee: 60 } })), 'known')
    })
    assert.deepEqual([fee, await available(payer)], [[590_000n, 0n, -590_000n], '15.00'])
  })

  test('one payment of the processor pays one of ours', async () => {
    const [one, two] = [await pendingPayment(15), await pendingPayment(15)]
    assert.equal(await outcomeOf(event('payment_intent.succeeded', one.intent)), 'booked')
    assert.equal(await outcomeOf(event('payment_intent.succeeded', { ...one.intent, metadata: two.intent.metadata })), 'mismatch')
    assert.deepEqual([await available(one.payer), await available(two.payer)], ['15.00', '0.00'])
  })

  test('a payment that is unknown here is booked only where our own mark is on it', async () => {
    const { payer, intent } = await pendingPayment(15)
    const installation = await installationOf(service.services)
    const unknown = (metadata: object) => ({ ...intent, id: `pi_${newId()}`, metadata: { paymentId: newId(), ...metadata } })
    assert.deepEqual(await gained(async () => {
      for (const metadata of [{}, { installation: newId() }]) assert.equal(await outcomeOf(event('payment_intent.succeeded', unknown(metadata))), 'unmatched')
      assert.equal(await outcomeOf(event('payment_intent.succeeded', { ...intent, metadata: { ...intent.metadata, installation: newId() } })), 'unmatched')
      for (const type of ['payment_intent.payment_failed', 'payment_intent.canceled']) assert.equal(await outcomeOf(event(type, unknown({ installation }))), 'unmatched')
    }), [0n, 0n, 0n])
    assert.equal(await available(payer), '0.00')
    const ours = unknown({ installation })
    assert.deepEqual(await gained(async () => { assert.equal(await outcomeOf(event('payment_intent.succeeded', ours)), 'suspense') }), [-14_410_000n, 15_000_000n, -590_000n])
    assert.equal(await outcomeOf(event('payment_intent.succeeded', ours)), 'known')
  })
})

describe('every state of a payment meets every event', () => {
  type Pending = Awaited<ReturnType<typeof pendingPayment>>
  const EVENTS: Record<string, (payment: Pending) => object> = {
    paid: ({ intent }) => event('payment_intent.succeeded', intent),
    'page paid': ({ intent, session }) => event('checkout.session.completed', { ...session, payment_intent: intent.id }),
    'page paid later': ({ intent, session }) => event('checkout.session.async_payment_succeeded', { ...session, payment_intent: intent.id }),
    'page done, unpaid': ({ session }) => event('checkout.session.completed', { ...session, payment_status: 'unpaid' }),
    declined: ({ intent }) => event('payment_intent.payment_failed', { ...intent, last_payment_error: { code: 'card_declined', message: 'No.' } }),
    cancelled: ({ intent }) => event('payment_intent.canceled', intent),
    'page failed': ({ session }) => event('checkout.session.async_payment_failed', session),
    'page expired': ({ session }) => event('checkout.session.expired', session),
  }
  const PATHS: Record<string, string[]> = { PENDING: [], SUCCEEDED: ['paid'], FAILED: ['page failed'], EXPIRED: ['page expired'] }
  const PAYING = ['paid', 'page paid', 'page paid later']
  /** On a hosted page another card can be tried after a declined one. */
  const ENDS: Record<string, string> = { cancelled: 'EXPIRED', 'page failed': 'FAILED', 'page expired': 'EXPIRED' }

  for (const [from, path] of Object.entries(PATHS)) {
    for (const [name, make] of Object.entries(EVENTS)) {
      test(`${from}: ${name}`, async () => {
        const payment = await pendingPayment(15)
        for (const step of path) await notify(EVENTS[step]!(payment))
        const was = from === 'SUCCEEDED' ? '15.00' : '0.00'
        assert.equal(await available(payment.payer), was)
        const [first, copy] = [await notify(make(payment)), await notify(make(payment))]
        assert.deepEqual([first.status, copy.status], [200, 200])
        const pays = PAYING.includes(name)
        const to = pays ? 'SUCCEEDED' : from === 'PENDING' ? ENDS[name] ?? 'PENDING' : from
        const { rows } = await service.services.db.pool.query<{ status: string; posted: boolean; moves: number }>(
          `select status, journal_id is not null as posted, (select count(*)::int from payments_intent_history where subject_id = i.id) as moves
           from payments_intent i where id = $1`, [payment.intent.metadata.paymentId])
        assert.deepEqual(rows, [{ status: to, posted: to === 'SUCCEEDED', moves: path.length + (to === from ? 0 : 1) }])
        assert.equal(await available(payment.payer), to === 'SUCCEEDED' ? '15.00' : '0.00')
        assert.equal(copy.body.outcome, to === from && first.body.outcome === 'recorded' ? 'recorded' : 'known')
      })
    }
  }
})
