import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  ChargebackTrial,
  eventually,
  fund,
  mailTo,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'
import { reserveExactly, routingKey, usageRecord } from '../../../../../test/support/gateway/funds.ts'
import { routingBalance, topUp } from '../../../../../test/support/gateway/top-ups.ts'
import { createFunds } from '../index.ts'

const HOUR = 3600

suite('a top-up of the routing balance by card', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await startTestService()
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  const payments = (person: Person) =>
    trial.query<{ id: string; status: string; journal: string | null; processorId: string | null }>(
      'select id, status, journal_id as journal, processor_id as "processorId" from payments_intent where account_id = $1 order by created_at',
      [person.id],
    )
  const open = async (person: Person) => {
    const opened = await topUp(service, person, { amount: 20, rail: 'checkout' })
    assert.deepEqual([opened.status, opened.body.status, opened.body.balance], [200, 'PENDING', '0.00'])
    assert.ok(opened.body.checkout)
    assert.ok(opened.body.checkout.url.startsWith(`${service.baseUrl}/sandbox/checkout/`))
    return { ...opened.body, path: new URL(opened.body.checkout.url).pathname }
  }
  const payPage = (path: string, paymentMethodId: string) =>
    service.http('POST', path, { body: { paymentMethodId } })

  test('credits the whole amount, for requests of any process at once', async () => {
    const person = await registerHuman(service)
    const processes = [createFunds(service.services), createFunds(service.services)]
    const key = routingKey(person.id)
    const take = (amount: bigint) =>
      processes.map(funds => reserveExactly(funds, key, amount, { test: false }))
    await Promise.all(take(1_000_000n).map(refused => assert.rejects(refused, /Insufficient balance/)))
    const { status, body } = await topUp(service, person, { amount: 10, receipt: true })
    assert.deepEqual(
      [status, body.status, body.amount, body.walletId, body.balance],
      [200, 'COMPLETED', '10.00', null, '10.00'],
    )
    assert.deepEqual(await trial.legsOf(body.id), [
      `1010->${accounts.routing(person.id)} 10`,
      '5010->1010 0.59',
    ])
    for (const reservation of await Promise.all(take(5_000_000n)))
      reservation.settle(usageRecord(key, 1_000_000n, { simulated: false }))
    for (const funds of processes) await funds.stop()
    assert.equal(await routingBalance(service, person), '7.84')
    const { text } = await mailTo(service, person.email, /was received/)
    assert.match(text, new RegExp(body.paymentId))
  })

  test('takes what a card takes, and the fields of one way to pay', async () => {
    const person = await registerHuman(service)
    for (const body of [
      { amount: 0.49 },
      { amount: '1.001' },
      { amount: 1_000_000 },
      { amount: 5, paymentMethodId: 'pm_unknown' },
      { amount: 5, returnUrl: 'javascript:alert(1)' },
      { amount: 5, rail: 'x402' },
      { amount: 5, sourceWalletId: person.walletId },
      { amount: 5, rail: 'wallet' },
    ])
      assert.equal((await topUp(service, person, body)).status, 400, JSON.stringify(body))
    await fund(service, person, 6)
    const moved = await topUp(service, person, { amount: 5, rail: 'wallet' })
    assert.deepEqual(
      [moved.status, moved.body.status, moved.body.walletId, moved.body.paymentId],
      [200, 'COMPLETED', person.walletId, undefined],
    )
    const byField = await topUp(service, person, {
      amount: 5,
      rail: undefined,
      paymentMethodId: 'pm_card_visa',
    })
    assert.deepEqual([byField.body.status, byField.body.balance], ['COMPLETED', '10.00'])
    const page = await topUp(service, person, {
      amount: 5,
      rail: undefined,
      returnUrl: 'https://example.com/back',
    })
    assert.deepEqual([page.body.status, Boolean(page.body.checkout)], ['PENDING', true])
  })

  test('a declined card changes nothing and leaves its Idempotency-Key free', async () => {
    const person = await registerHuman(service)
    const key = newId()
    for (const card of ['chargeDeclined', 'authenticationRequired']) {
      const declined = { amount: 5, paymentMethodId: `pm_card_${card}` }
      const { status, body } = await topUp(service, person, declined, key)
      assert.deepEqual([status, body.message], [400, 'Card declined'])
    }
    assert.deepEqual(
      (await payments(person)).map(({ status, journal }) => [status, journal]),
      [
        ['FAILED', null],
        ['FAILED', null],
      ],
    )
    assert.equal((await topUp(service, person, { amount: 5 }, key)).body.balance, '5.00')
  })

  test('charges one of 20 parallel requests with one Idempotency-Key', async () => {
    const person = await registerHuman(service)
    const key = newId()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => topUp(service, person, { amount: 5 }, key)),
    )
    assert.ok(
      answers.every(({ status }) => status === 200 || status === 409),
      answers.map(({ status }) => status).join(),
    )
    const again = await topUp(service, person, { amount: 5 }, key)
    assert.deepEqual([again.headers.get('idempotency-replayed'), again.body.balance], ['true', '5.00'])
    assert.equal((await topUp(service, person, { amount: 6 }, key)).status, 422)
    assert.deepEqual([(await payments(person)).length, await routingBalance(service, person)], [1, '5.00'])
  })

  test('a hosted page takes a card that its holder confirms, after one that was declined', async () => {
    const person = await registerHuman(service)
    const { path, paymentId } = await open(person)
    assert.equal((await payPage(path, 'pm_card_chargeDeclined')).status, 400)
    assert.equal(await routingBalance(service, person), '0.00')
    const paid = await payPage(path, 'pm_card_authenticationRequired')
    assert.equal(paid.status, 200, paid.text)
    await eventually('the page is paid', async () => (await routingBalance(service, person)) === '20.00')
    assert.deepEqual(
      (await payments(person)).map(({ id, status }) => [id, status]),
      [[paymentId, 'SUCCEEDED']],
    )
  })

  test('a charge whose answer and notification are lost is PENDING, and booked once', async () => {
    const person = await registerHuman(service)
    const key = newId()
    await trial.breakProcessor('answer_lost', 1, true)
    const lost = await topUp(service, person, { amount: 5 }, key)
    assert.deepEqual([lost.status, lost.body.status, lost.body.balance], [200, 'PENDING', '0.00'])
    assert.equal(lost.body.id, lost.body.paymentId)
    const again = await topUp(service, person, { amount: 5 }, key)
    assert.deepEqual(
      [again.body.status, again.body.paymentId, again.body.balance],
      ['COMPLETED', lost.body.paymentId, '5.00'],
    )
    await service.advance(HOUR)
    assert.equal(await routingBalance(service, person), '5.00')
  })

  test('a charge whose answer is lost is booked by its notification', async () => {
    const person = await registerHuman(service)
    await trial.breakProcessor('answer_lost')
    await topUp(service, person, { amount: 5 })
    await eventually('the charge is booked', async () => (await routingBalance(service, person)) === '5.00')
  })

  /** The processor took the money for a payment and notifies nobody. */
  const payUnnoticed = (paymentId: string) =>
    trial.query(
      `insert into platform_processor_object (id, kind, idempotency_key, status, body, created_at)
       values ('pi_' || $1, 'payment_intent', $1, 'succeeded', jsonb_build_object('id', 'pi_' || $1, 'amount_received', 2000, 'currency', 'usd',
         'metadata', jsonb_build_object('paymentId', $1)), now())`,
      [paymentId],
    )
  const notify = (paymentId: string) =>
    trial.emit('payment_intent.succeeded', { id: `pi_${paymentId}`, metadata: { paymentId } })

  test('a payment that arrives after its time has ended counts', async () => {
    const person = await registerHuman(service)
    const { paymentId } = await open(person)
    await service.advance(25 * HOUR)
    await eventually('the page has expired', async () => (await payments(person))[0]?.status === 'EXPIRED')
    await payUnnoticed(paymentId)
    await notify(paymentId)
    await eventually('the payment is booked', async () => (await routingBalance(service, person)) === '20.00')
  })

  test('a payment that arrives after the account was deleted leaves with the rest', async () => {
    const { db } = service.services
    const person = await registerHuman(service)
    const { paymentId } = await open(person)
    const body = { confirmPhrase: 'DELETE MY ACCOUNT' }
    const deleted = await service.http('DELETE', '/users/me', { token: person.token, body })
    assert.equal(deleted.status, 204, deleted.text)
    const unclaimed = await balanceOf(db, accounts.unclaimed, 'USD')
    await payUnnoticed(paymentId)
    await notify(paymentId)
    await eventually(
      'the payment is booked',
      async () => (await balanceOf(db, accounts.unclaimed, 'USD')) === unclaimed + 20_000_000n,
    )
  })
})
