import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '#platform/kernel/id'
import { registerHuman, startTestService, type Person, type TestService } from '#test'
import { processorOf } from '../processor.ts'

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
afterEach(() => mock.restoreAll())

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

async function untilStatus(status: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    const all = await payments()
    if (all.at(-1)?.status === status) return
    assert.ok(Date.now() < deadline, `still ${JSON.stringify(all)} after 30 s, not ${status}`)
  }
}

test('a hosted page that could not be opened is 503; the same key opens the one page', async () => {
  const key = newId()
  const body = { amount: 20, rail: 'checkout' }
  await breakProcessor({ kind: 'answer_lost', count: 1 })
  const away = await pay(key, body)
  assert.deepEqual([away.status, away.body.code], [503, 'PROCESSOR_UNAVAILABLE'])
  const [opened, replayed] = [await pay(key, body), await pay(key, body)]
  assert.deepEqual(
    [opened.status, opened.body.checkout, replayed.headers.get('idempotency-replayed')],
    [201, replayed.body.checkout, 'true'],
  )
  const { rowCount } = await service.services.db.pool.query(
    "select from platform_processor_object where kind = 'checkout.session' and body->>'description' = $1",
    [`Wallet ${payer.walletId}`],
  )
  assert.deepEqual([rowCount, (await payments()).length], [1, 1])
})

/** The processor took the money for a payment and notifies nobody. */
const payUnnoticed = (paymentId: string) =>
  service.services.db.pool.query(
    `
  insert into platform_processor_object (id, kind, idempotency_key, status, body, created_at)
  values ('pi_' || $1, 'payment_intent', $1, 'succeeded', jsonb_build_object('id', 'pi_' || $1, 'amount_received', 2000, 'currency', 'usd',
    'metadata', jsonb_build_object('paymentId', $1)), now())`,
    [paymentId],
  )

test("a hosted page whose notification never comes is booked from the processor's answer", async () => {
  const {
    body: {
      transaction: { id },
    },
  } = await pay(null, { amount: 20, rail: 'checkout' })
  await service.advance(6 * 60)
  assert.deepEqual(
    (await payments()).map(({ status }) => status),
    ['PENDING'],
    'nobody has paid yet',
  )
  await payUnnoticed(id)
  await service.advance(HOUR)
  await untilStatus('SUCCEEDED')
  assert.equal(await available(), '20.00')
})

test('a hosted page that expired while the processor was away is asked about until it answers', async () => {
  await breakProcessor({ kind: 'not_reached', count: 100 })
  await service.services.db.pool.query('update platform_processor_fault set remaining = 0')
  const {
    body: {
      transaction: { id },
    },
  } = await pay(null, { amount: 20, rail: 'checkout' })
  await service.services.db.pool.query('update platform_processor_fault set remaining = 1000')
  await service.advance(25 * HOUR)
  await untilStatus('EXPIRED')
  await payUnnoticed(id)
  await service.services.db.pool.query('update platform_processor_fault set remaining = 0')
  await service.advance(24 * HOUR)
  await untilStatus('SUCCEEDED')
  assert.equal(await available(), '20.00')
})

/** Asks for the outcome of a payment after its end, before the timer of the end runs. */
async function askAtTheEnd(paymentId: string): Promise<void> {
  const { timers, jobs, db, clock } = service.services
  await timers.stop()
  clock.setOffset(clock.offsetMs + 25 * HOUR * 1000)
  await db.transaction(tx => jobs.enqueue(tx, 'payments.ask-outcome', { paymentId }))
}

test('a page is closed when the question about its payment is answered before its timer runs', async () => {
  const { body } = await pay(null, { amount: 20, rail: 'checkout' })
  const { id: paymentId } = body.transaction
  await askAtTheEnd(paymentId)
  await untilStatus('EXPIRED')
  const sessionOf = async () =>
    (
      await service.services.db.pool.query<{ status: string }>(
        "select status from platform_processor_object where kind = 'checkout.session' and idempotency_key = $1",
        [paymentId],
      )
    ).rows[0]?.status
  for (const deadline = Date.now() + 30_000; (await sessionOf()) !== 'expired'; await sleep(50))
    assert.ok(Date.now() < deadline, `the page is ${await sessionOf()}`)
})

test('what somebody pays between that answer and the closing of the page is booked', async () => {
  const { body } = await pay(null, { amount: 20, rail: 'checkout' })
  const { id: paymentId } = body.transaction
  const processor = processorOf(service.services)
  const expire = processor.expireCheckout.bind(processor)
  mock.method(processor, 'expireCheckout', async (checkoutId: string) => {
    await payUnnoticed(paymentId)
    const paid = "update platform_processor_object set status = 'complete' where id = $1"
    await service.services.db.pool.query(paid, [checkoutId])
    return expire(checkoutId)
  })
  await askAtTheEnd(paymentId)
  await untilStatus('SUCCEEDED')
  assert.equal(await available(), '20.00')
})
