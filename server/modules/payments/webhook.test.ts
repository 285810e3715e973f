import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import { signatureHeader } from './processors/signature.ts'
import {
  availableOf,
  makeTrue,
  pendingPage,
  processorEvent as event,
  startTestService,
  type Answer,
  type Person,
  type TestService,
} from '#test'

const SECRET = 'whsec_of_this_test'
const ENDPOINTS = [
  'payout-updated',
  'transfer-updated',
  'account-updated',
  'payment-intent',
  'checkout-session',
] as const
type Outcome = Answer<{ outcome: string; message: string }>

let service: TestService
before(async () => {
  service = await startTestService({ PROCESSOR_WEBHOOK_SECRET: SECRET })
})
after(() => service.close())

/** One notification; `header` and `text` say how it differs from what was signed. */
async function notify(
  body: object,
  how: {
    endpoint?: string
    at?: Date
    text?: string
    header?: (good: string) => Record<string, string>
  } = {},
): Promise<Outcome> {
  await makeTrue(service, body)
  const signed = JSON.stringify(body)
  const good = signatureHeader(signed, SECRET, how.at ?? new Date())
  const headers = how.header ? how.header(good) : { 'payment-processor-signature': good }
  return service.http('POST', `/webhooks/payment-processor/${how.endpoint ?? 'payment-intent'}`, {
    body: how.text ?? signed,
    headers,
  })
}

const available = (person: Person) => availableOf(service, person)
const pendingPayment = (amount: number, person?: Person) => pendingPage(service, amount, person)

describe('a signature', () => {
  test('is required by all five endpoints, in either header', async () => {
    for (const endpoint of ENDPOINTS) {
      const body = event('something.else', {})
      assert.equal((await notify(body, { endpoint, header: () => ({}) })).status, 400)
      assert.equal(
        (await notify(body, { endpoint, header: good => ({ 'stripe-signature': good }) })).status,
        200,
      )
      assert.equal((await notify(event('something.else', {}), { endpoint })).status, 200)
    }
  })

  test('lets an event be stored, without the fingerprint of a card', async () => {
    const card = { brand: 'visa', fingerprint: 'Xt5EWLLDS7FJjR1c' }
    const body = event('charge.succeeded', { payment_method_details: { card } })
    assert.equal((await notify(body)).status, 200)
    const { rows } = await service.services.db.pool.query<{ body: string }>(
      'select body::text from payments_event where id = $1',
      [body.id],
    )
    assert.deepEqual(
      ['visa', card.fingerprint].map(text => rows[0]?.body.includes(text)),
      [true, false],
    )
  })

  test('that is wrong, stale or over another body credits nothing', async () => {
    const { payer, intent } = await pendingPayment(10)
    const body = event('payment_intent.succeeded', intent)
    const hour = (n: number) => new Date(Date.now() + n * 3_600_000)
    const refused = [
      notify(body, {
        header: good => ({
          'payment-processor-signature': good.replace(/.$/, last => (last === '0' ? '1' : '0')),
        }),
      }),
      notify(body, {
        header: () => ({
          'payment-processor-signature': signatureHeader(
            JSON.stringify(body),
            'whsec_of_a_thief',
            new Date(),
          ),
        }),
      }),
      notify(body, { at: hour(-1) }),
      notify(body, { at: hour(1) }),
      notify(body, {
        text: JSON.stringify({ ...body, data: { object: { ...intent, amount_received: 100_000 } } }),
      }),
      notify(body, { text: `${JSON.stringify(body)} ` }),
      notify(body, { header: () => ({ 'payment-processor-signature': '' }) }),
    ]
    for (const answer of await Promise.all(refused))
      assert.deepEqual([answer.status, answer.body.message.split(':')[0]], [400, 'Invalid signature'])
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
      () => same,
      () => same,
      () => event('payment_intent.succeeded', intent),
      () => event('checkout.session.completed', session),
      () => event('checkout.session.expired', session),
      () => event('payment_intent.payment_failed', intent),
      () => event('payment_intent.processing', intent),
    ]
    const sent = Array.from({ length: 50 }, (_, n) => kinds[n % kinds.length] ?? (() => same)).sort(
      () => Math.random() - 0.5,
    )
    const answers = await Promise.all(
      sent.map((make, n) => notify(make(), { endpoint: n % 2 ? 'payment-intent' : 'checkout-session' })),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(answers.filter(({ body }) => body.outcome === 'booked').length, 1)
    assert.equal(await available(payer), '40.00')
    assert.equal((await balanceOf(service.services.db, accounts.processorFee, 'USD')) - fees, -590_000n)
  })

  test('sent again answer 200 and change nothing', async () => {
    const { payer, intent } = await pendingPayment(15)
    const body = event('payment_intent.succeeded', intent)
    assert.deepEqual(
      [(await notify(body)).body.outcome, (await notify(body)).body.outcome],
      ['booked', 'duplicate'],
    )
    assert.equal(await available(payer), '15.00')
  })

  test('of a failure after the success do not take the money back', async () => {
    const { payer, intent, session } = await pendingPayment(15)
    await notify(event('payment_intent.succeeded', intent))
    for (const type of ['payment_intent.payment_failed', 'payment_intent.canceled'])
      assert.equal((await notify(event(type, intent))).body.outcome, 'known')
    assert.equal((await notify(event('checkout.session.expired', session))).body.outcome, 'known')
    assert.equal(await available(payer), '15.00')
  })

  test('about other payments are stored and answered with 200', async () => {
    const { intent } = await pendingPayment(15)
    const foreign = [
      {},
      { ...intent, metadata: {} },
      { ...intent, metadata: { paymentId: 'x' } },
      { ...intent, metadata: { paymentId: newId() } },
      { ...intent, amount_received: 'all', metadata: { paymentId: newId() } },
    ]
    for (const object of foreign) {
      const answer = await notify(event('payment_intent.succeeded', object))
      assert.deepEqual([answer.status, answer.body.outcome], [200, 'unmatched'])
    }
    for (const endpoint of ENDPOINTS)
      assert.equal((await notify(event('customer.created', {}), { endpoint })).body.outcome, 'recorded')
  })

  test('that are no events are 400', async () => {
    for (const body of [
      {},
      { id: 'evt_1' },
      { ...event('x', {}), id: '' },
      { ...event('x', {}), data: null },
      [],
      'text',
      null,
    ]) {
      assert.equal((await notify(body as object)).status, 400, JSON.stringify(body))
    }
    assert.equal((await notify({}, { text: '{' })).status, 400)
  })
})

describe('every state of a payment meets every event', () => {
  type Pending = Awaited<ReturnType<typeof pendingPayment>>
  const EVENTS: Record<string, (payment: Pending) => object> = {
    paid: ({ intent }) => event('payment_intent.succeeded', intent),
    'page paid': ({ intent, session }) =>
      event('checkout.session.completed', { ...session, payment_intent: intent.id }),
    'page paid later': ({ intent, session }) =>
      event('checkout.session.async_payment_succeeded', { ...session, payment_intent: intent.id }),
    'page done, unpaid': ({ session }) =>
      event('checkout.session.completed', { ...session, payment_status: 'unpaid' }),
    declined: ({ intent }) =>
      event('payment_intent.payment_failed', {
        ...intent,
        last_payment_error: { code: 'card_declined', message: 'No.' },
      }),
    cancelled: ({ intent }) => event('payment_intent.canceled', intent),
    'page failed': ({ session }) => event('checkout.session.async_payment_failed', session),
    'page expired': ({ session }) => event('checkout.session.expired', session),
  }
  const PATHS: Record<string, string[]> = {
    PENDING: [],
    SUCCEEDED: ['paid'],
    FAILED: ['page failed'],
    EXPIRED: ['page expired'],
  }
  const PAYING = ['paid', 'page paid', 'page paid later']
  /** On a hosted page another card can be tried after a declined one. */
  const ENDS: Record<string, string> = {
    cancelled: 'EXPIRED',
    'page failed': 'FAILED',
    'page expired': 'EXPIRED',
  }

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
        const to = pays ? 'SUCCEEDED' : from === 'PENDING' ? (ENDS[name] ?? 'PENDING') : from
        const { rows } = await service.services.db.pool.query<{
          status: string
          posted: boolean
          moves: number
        }>(
          `select status, journal_id is not null as posted, (select count(*)::int from payments_intent_history where subject_id = i.id) as moves
           from payments_intent i where id = $1`,
          [payment.intent.metadata.paymentId],
        )
        assert.deepEqual(rows, [
          { status: to, posted: to === 'SUCCEEDED', moves: path.length + (to === from ? 0 : 1) },
        ])
        assert.equal(await available(payment.payer), to === 'SUCCEEDED' ? '15.00' : '0.00')
        assert.equal(
          copy.body.outcome,
          to === from && first.body.outcome === 'recorded' ? 'recorded' : 'known',
        )
      })
    }
  }
})
