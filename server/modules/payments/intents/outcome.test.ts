import assert from 'node:assert/strict'
import { after, before, beforeEach, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, balanceOf, post } from '#ledger'
import { newId } from '#platform/kernel/id'
import { sandboxProcessor } from '../processor.ts'
import { registerHuman, startTestService, statementsOf, type Person, type TestService } from '#test'

interface Funded {
  wallet: { available: string }
  transaction: { id: string; status: string; reference: { paymentId: string } }
  checkout?: { id: string; url: string }
  message: string
  hint?: string
  code: string
}
interface Outage {
  kind: 'not_reached' | 'answer_lost'
  count: number
  delayMs?: number
  silent?: boolean
}
const HOUR = 3600

let service: TestService
let admin: string
let payer: Person
before(async () => {
  service = await startTestService()
  admin = await service.adminToken()
})
beforeEach(async () => {
  payer = await registerHuman(service)
})
after(() => service.close())

const pay = (key: string | null, body: object = { amount: 20 }) =>
  service.http<Funded>('POST', `/wallets/${payer.walletId}/fund`, {
    token: payer.token,
    body,
    headers: key ? { 'idempotency-key': key } : {},
  })
const breakProcessor = async (outage: Outage) => {
  const { status, text } = await service.http('POST', '/sandbox/processor/faults', {
    token: admin,
    body: outage,
  })
  assert.equal(status, 201, text)
}
const available = async () =>
  (await service.http<Funded['wallet']>('GET', `/wallets/${payer.walletId}`, { token: payer.token })).body
    .available
const payments = async () =>
  (
    await service.services.db.pool.query<{ id: string; status: string }>(
      'select id, status from payments_intent where account_id = $1 order by created_at',
      [payer.id],
    )
  ).rows
/** How often the processor took this person's money. */
const charges = async () =>
  (
    await service.services.db.pool.query(
      "select from platform_processor_object where kind = 'payment_intent' and status = 'succeeded' and body->>'description' = $1",
      [`Wallet ${payer.walletId}`],
    )
  ).rowCount

async function untilStatus(status: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    const all = await payments()
    if (all.at(-1)?.status === status) return
    assert.ok(Date.now() < deadline, `still ${JSON.stringify(all)} after 30 s, not ${status}`)
  }
}

test('a lost answer does no harm where the notification comes', async () => {
  await breakProcessor({ kind: 'answer_lost', count: 1 })
  const { status, body } = await pay(newId())
  assert.deepEqual(
    [status, body.transaction.status, body.wallet.available, await charges()],
    [201, 'COMPLETED', '20.00', 1],
  )
})

test('without an answer and a notification the outcome is unknown; the same key goes on with the same payment', async () => {
  const key = newId()
  await breakProcessor({ kind: 'answer_lost', count: 1, silent: true })
  const first = await pay(key)
  assert.deepEqual(
    [first.status, first.body.transaction.status, first.body.wallet.available],
    [201, 'PENDING', '0.00'],
  )
  assert.equal((await pay(key, { amount: 21 })).status, 422)
  const [second] = await Promise.all(Array.from({ length: 32 }, () => pay(key)))
  assert.ok(second && [201, 409].includes(second.status), second?.text)
  assert.equal(await available(), '20.00', 'the processor was asked when no notification came')

  const third = await pay(key)
  assert.deepEqual(
    [third.status, third.body.transaction.status, third.body.transaction.reference.paymentId],
    [201, 'COMPLETED', first.body.transaction.id],
  )
  const again = await pay(key)
  assert.deepEqual([again.headers.get('idempotency-replayed'), again.body], ['true', third.body])
  assert.deepEqual([await available(), await charges(), (await payments()).length], ['20.00', 1, 1])
})

test('the request that goes on asks the processor at once, before it waits for a notification', async () => {
  const key = newId()
  await breakProcessor({ kind: 'answer_lost', count: 1, silent: true })
  assert.equal((await pay(key)).body.transaction.status, 'PENDING')
  const ask = mock.method(sandboxProcessor(service.services), 'outcomeOf')
  const looks = await statementsOf(service, /^select \* from payments_intent where id = \$1$/, async () => {
    assert.equal((await pay(key)).body.transaction.status, 'COMPLETED')
  })
  assert.ok(looks.length <= 4, `the payment was looked at ${looks.length} times`)
  assert.match(ask.mock.calls[0]?.arguments[1] ?? '', /^pi_/, "by its id: Stripe's search knows it later")
  ask.mock.restore()
})

test('a booked payment is found by its journal, however many movements came after it', async () => {
  const key = newId()
  await breakProcessor({ kind: 'answer_lost', count: 1, silent: true })
  assert.equal((await pay(key)).body.transaction.status, 'PENDING')
  await service.advance(200)
  await untilStatus('SUCCEEDED')
  await service.services.db.transaction(async tx => {
    for (let n = 0; n < 101; n++)
      await post(tx, {
        kind: 'promotion',
        key: `promotion/${newId()}`,
        legs: [
          { debit: accounts.promotion, credit: accounts.wallet(payer.walletId), amount: 1n, asset: 'USD' },
        ],
      })
  })
  const found = await pay(key)
  assert.deepEqual([found.status, found.body.transaction.status], [201, 'COMPLETED'])
})

test('an outage charges nothing, and 32 requests after it charge once', async () => {
  const key = newId()
  await breakProcessor({ kind: 'not_reached', count: 1 })
  assert.equal((await pay(key)).body.transaction.status, 'PENDING')
  assert.equal(await charges(), 0)
  const answers = await Promise.all(Array.from({ length: 32 }, () => pay(key)))
  assert.deepEqual(
    answers
      .filter(({ status }) => status !== 409)
      .map(({ status, body }) => [status, body.transaction.status])
      .at(0),
    [201, 'COMPLETED'],
  )
  assert.deepEqual([await available(), await charges(), (await payments()).length], ['20.00', 1, 1])
})

test('a payment that the processor never got ends after an hour, and its key is free again', async () => {
  const key = newId()
  await breakProcessor({ kind: 'not_reached', count: 1 })
  await pay(key)
  await service.advance(HOUR / 2)
  assert.deepEqual(
    (await payments()).map(({ status }) => status),
    ['PENDING'],
    'it may still be sent again',
  )
  await service.advance(2 * HOUR)
  await untilStatus('EXPIRED')
  const late = await pay(key)
  assert.deepEqual([late.status, late.body.code], [400, 'PAYMENT_EXPIRED'])
  assert.equal((await pay(key)).body.transaction.status, 'COMPLETED')
  assert.deepEqual([await available(), await charges()], ['20.00', 1])
})

test('while the processor is away a payment waits for its word, and is not charged late', async () => {
  const key = newId()
  await breakProcessor({ kind: 'not_reached', count: 100 })
  await pay(key)
  await service.advance(5 * HOUR)
  await sleep(1500)
  assert.deepEqual(
    (await payments()).map(({ status }) => status),
    ['PENDING'],
  )
  assert.equal((await pay(key)).body.transaction.status, 'PENDING')
  await service.services.db.pool.query('update platform_processor_fault set remaining = 0')
  assert.equal(
    (await pay(key)).body.transaction.status,
    'PENDING',
    'a processor deletes keys after a day: it is only asked',
  )
  assert.equal(await charges(), 0)
  await service.advance(24 * HOUR)
  await untilStatus('EXPIRED')
})

test('a refusal whose answer was lost is found out, refused once, and leaves the key free', async () => {
  const key = newId()
  const body = { amount: 20, paymentMethodId: 'pm_card_chargeDeclined' }
  await breakProcessor({ kind: 'answer_lost', count: 1, silent: true })
  assert.equal((await pay(key, body)).body.transaction.status, 'PENDING')
  await service.advance(61)
  await untilStatus('FAILED')
  const refused = await pay(key, body)
  assert.deepEqual(
    [refused.status, refused.body.message, refused.body.hint],
    [400, 'Card declined', 'Your card was declined.'],
  )
  assert.equal((await pay(key)).status, 201)
  assert.deepEqual(
    [await available(), (await payments()).map(({ status }) => status)],
    ['20.00', ['FAILED', 'SUCCEEDED']],
  )
})

test('another amount than asked for is found out too: suspense, and a payment that failed', async () => {
  const key = newId()
  await breakProcessor({ kind: 'answer_lost', count: 1, silent: true })
  const {
    body: {
      transaction: { id },
    },
  } = await pay(key)
  await service.services.db.pool.query(
    `update platform_processor_object set body = body || '{"amount_received": 1900}' where idempotency_key = $1`,
    [id],
  )
  const suspense = await balanceOf(service.services.db, accounts.suspense, 'USD')
  await service.advance(61)
  await untilStatus('FAILED')
  assert.equal((await balanceOf(service.services.db, accounts.suspense, 'USD')) - suspense, 19_000_000n)
  const refused = await pay(key)
  assert.deepEqual([refused.status, refused.body.code, await available()], [400, 'PAYMENT_MISMATCH', '0.00'])
})

test('what the processor refuses outright ends the payment', async () => {
  const key = newId()
  assert.equal((await pay(key, { amount: 20, paymentMethodId: 'pm_unknown' })).status, 400)
  assert.deepEqual(
    (await payments()).map(({ status }) => status),
    ['FAILED'],
  )
  assert.equal((await pay(key)).status, 201)
})

test('a processor that does not answer is not waited for without end', async () => {
  await breakProcessor({ kind: 'answer_lost', count: 1, delayMs: 60_000, silent: true })
  const started = performance.now()
  const { status, body } = await pay(null)
  assert.deepEqual([status, body.transaction.status], [201, 'PENDING'])
  assert.ok(performance.now() - started < 15_000)
  await service.advance(61)
  await untilStatus('SUCCEEDED')
  assert.equal(await available(), '20.00')
})

test("outages are an admin's to make", async () => {
  for (const body of [
    {},
    { kind: 'fire', count: 1 },
    { kind: 'answer_lost', count: -1 },
    { kind: 'answer_lost', count: 1, delayMs: 1e9 },
  ]) {
    assert.equal(
      (await service.http('POST', '/sandbox/processor/faults', { token: admin, body })).status,
      400,
      JSON.stringify(body),
    )
  }
  assert.equal(
    (
      await service.http('POST', '/sandbox/processor/faults', {
        token: payer.token,
        body: { kind: 'answer_lost', count: 1 },
      })
    ).status,
    403,
  )
})
