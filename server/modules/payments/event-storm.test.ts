import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  availableOf,
  makeTrue,
  pendingPage,
  processorEvent as event,
  registerHuman,
  sendEvent,
  sharedService,
  type TestService,
} from '#test'

const PAYERS = 10
const PAGES = 10
/** How many requests are under way at once. */
const PARALLEL = 8

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

function shuffled<T>(all: readonly T[]): T[] {
  const copy = [...all]
  for (let last = copy.length - 1; last > 0; last--) {
    const at = Math.floor(Math.random() * (last + 1))
    ;[copy[last], copy[at]] = [copy[at]!, copy[last]!]
  }
  return copy
}

async function all<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  const queue = work.entries()
  const worker = async () => {
    for (const [index, task] of queue) results[index] = await task()
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return results
}

test('1,000 processor events, duplicated and shuffled, take effect once each', async () => {
  const payers = await all(Array.from({ length: PAYERS }, () => () => registerHuman(service)))
  const pages = await all(
    payers.flatMap(payer => Array.from({ length: PAGES }, () => () => pendingPage(service, 3, payer))),
  )
  const events = pages.flatMap(({ intent, session }) => [
    event('payment_intent.succeeded', intent, `evt_${newId()}`),
    event('checkout.session.completed', { ...session, payment_intent: intent.id }),
    event('payment_intent.payment_failed', intent),
    event('checkout.session.expired', session),
    event('payment_intent.processing', intent),
  ])
  await all(
    pages.map(
      ({ intent }) =>
        () =>
          makeTrue(service, event('payment_intent.succeeded', intent)),
    ),
  )
  const db = service.services.db
  const fees = await balanceOf(db, accounts.processorFee, 'USD')

  const sent = shuffled([...events, ...events])
  assert.equal(sent.length, 1000)
  const answers = await all(sent.map(each => () => sendEvent(service, each)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(answers.filter(({ body }) => body.outcome === 'booked').length, PAYERS * PAGES)

  for (const payer of payers) assert.equal(await availableOf(service, payer), `${3 * PAGES}.00`)
  const { rows } = await db.pool.query<{ events: number; journals: number; confirmed: number }>(
    `select (select count(*)::int from payments_event where id = any($1)) as events,
      (select count(*)::int from ledger_journal where key = any($2)) as journals,
      (select count(*)::int from payments_intent_history where subject_id = any($3) and to_status = 'SUCCEEDED') as confirmed`,
    [
      events.map(({ id }) => id),
      pages.map(({ intent }) => `payment/${intent.metadata.paymentId}`),
      pages.map(({ intent }) => intent.metadata.paymentId),
    ],
  )
  assert.deepEqual(rows, [{ events: 500, journals: 100, confirmed: 100 }])
  // Other tests of this process may pay meanwhile.
  assert.ok((await balanceOf(db, accounts.processorFee, 'USD')) - fees <= -590_000n * BigInt(PAYERS * PAGES))
})
