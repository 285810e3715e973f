import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, afterEach, before, mock, test } from 'node:test'
import type { AddressInfo } from 'node:net'
import { DAY, HOUR } from '#platform/kernel/clock'
import { ApiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { openStripeFixture, type StripeFixture } from '#test'
import { NoAnswer } from '../port.ts'
import { StripeProcessor } from './processor.ts'

const INSTALLATION = 'installation_1'

let fixture: StripeFixture
/** Answers each request with the next of `answers`. */
let other: Server
let processor: StripeProcessor
const answers: { status: number; body: string }[] = []

before(async () => {
  fixture = await openStripeFixture()
  other = createServer((_, response) => {
    const { status, body } = answers.shift() ?? { status: 500, body: '' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const apiUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  processor = new StripeProcessor({ secretKey: 'sk_test_x', apiUrl, publicUrl: 'https://market.example' })
})
after(async () => {
  other.closeAllConnections()
  other.close()
  await fixture.close()
})

afterEach(() => mock.restoreAll())

const order = (id: string = newId()) => ({
  id,
  installation: INSTALLATION,
  cents: 1500,
  description: 'Test',
  paymentMethodId: 'pm_card_visa',
})
const stripeError = (type: string, more: object = {}) =>
  JSON.stringify({ error: { type, message: 'What Stripe says.', ...more } })

test('what is not from Stripe is no answer, whatever its status', async () => {
  for (const answer of [
    { status: 404, body: '{"message": "Not Found"}' },
    { status: 200, body: '{}' },
    { status: 200, body: '<html>Sign in to the network</html>' },
    { status: 502, body: '<html>Bad gateway</html>' },
  ]) {
    answers.push(answer)
    await assert.rejects(processor.charge(order()), NoAnswer, answer.body)
  }
  answers.push({ status: 404, body: '{"message": "Not Found"}' })
  await assert.rejects(processor.outcomeOf(newId()), NoAnswer)
  answers.push({ status: 200, body: '{"object": "list"}' })
  await assert.rejects(processor.payouts.read(newId(), 'acct_1'), NoAnswer)
})

test("Stripe's own failures and limits are no answer, its refusals have a status and its words", async () => {
  for (const [status, body] of [
    [500, stripeError('api_error')],
    [429, stripeError('invalid_request_error', { code: 'rate_limit' })],
    [409, stripeError('idempotency_error', { code: 'idempotency_key_in_use' })],
    [400, stripeError('invalid_request_error', { code: 'lock_timeout' })],
  ] as const) {
    answers.push({ status, body })
    await assert.rejects(processor.charge(order()), NoAnswer, body)
  }
  for (const [status, body, expected] of [
    [401, stripeError('invalid_request_error'), 503],
    [403, stripeError('invalid_request_error'), 503],
    [403, stripeError('invalid_request_error', { code: 'account_invalid' }), 404],
    [400, stripeError('idempotency_error'), 400],
    [400, stripeError('invalid_request_error', { code: 'balance_insufficient' }), 400],
    [404, stripeError('invalid_request_error', { code: 'resource_missing', param: 'account' }), 404],
  ] as const) {
    answers.push({ status, body })
    await assert.rejects(
      processor.accounts.read('acct_1'),
      (error: unknown) =>
        error instanceof ApiError && error.row.status === expected && Boolean(error.extra.hint),
      `${status} ${body}`,
    )
  }
})

test('a server that is away is no answer', async () => {
  const away = new StripeProcessor({
    secretKey: 'sk_test_x',
    apiUrl: 'http://127.0.0.1:9',
    publicUrl: 'https://market.example',
  })
  await assert.rejects(away.charge(order()), NoAnswer)
})

test('a payment that needs its holder is declined, and the hosted page recommended', async () => {
  answers.push({ status: 200, body: JSON.stringify({ id: 'pi_1', status: 'requires_action' }) })
  await assert.rejects(processor.charge(order()), { code: 'authentication_required', processorId: 'pi_1' })
})

test('each request of money has our id as its key, and payouts run on the connected account', async () => {
  const { processor: stripe, server } = fixture
  const { accountId } = await stripe.accounts.create({
    id: newId(),
    installation: INSTALLATION,
    email: null,
    country: null,
  })
  await fixture.onboard(accountId, '000123456789')
  const [chargeId, payoutId, refundId] = [newId(), newId(), newId()]
  const { processorId } = await stripe.charge(order(chargeId))
  await stripe.refund({ id: refundId, installation: INSTALLATION, processorId, cents: 5 })
  const payout = { id: payoutId, installation: INSTALLATION, accountId, cents: 900, description: 'Payout' }
  await stripe.payouts.send(payout)
  const keys = server.wire.requests
    .filter(({ method }) => method === 'POST')
    .slice(-4)
    .map(({ path, idempotencyKey, account }) => [path, idempotencyKey, account])
  assert.deepEqual(keys, [
    ['/v1/payment_intents', chargeId, undefined],
    ['/v1/refunds', refundId, undefined],
    ['/v1/transfers', `${payoutId}/transfer`, undefined],
    ['/v1/payouts', `${payoutId}/payout`, accountId],
  ])
  await assert.rejects(
    stripe.charge({ ...order(chargeId), cents: 1 }),
    (error: unknown) => error instanceof ApiError && error.row.status === 400,
    'the key was used with another amount',
  )
})

test('a recurring charge stores the card for its payer, who alone can charge it again', async () => {
  const { processor: stripe, server } = fixture
  const [payerId, method] = [newId(), 'pm_card_createDispute']
  const chargeAs = (kind: 'first' | 'renewal', payer = payerId, paymentMethodId = method) =>
    stripe.charge({ ...order(), paymentMethodId, recurring: { kind, payerId: payer } })
  await chargeAs('first')
  await chargeAs('renewal')
  const charges = server.wire.requests.filter(({ path }) => path === '/v1/payment_intents').slice(-2)
  const [first, renewal] = charges.map(({ form }) => [
    form.customer,
    form.setup_future_usage,
    form.off_session,
  ])
  assert.match(JSON.stringify(first?.[0]), /^"cus_/)
  assert.deepEqual(
    [first?.slice(1), renewal],
    [
      ['off_session', undefined],
      [first?.[0], undefined, 'true'],
    ],
  )
  for (const kind of ['first', 'renewal'] as const)
    await assert.rejects(
      chargeAs(kind, newId()),
      (error: unknown) => error instanceof ApiError && error.row.status === 400,
      'of another payer',
    )
  await chargeAs('first')
})

test('a card that was chosen without a payment is stored with its first renewal', async () => {
  const { processor: stripe, server } = fixture
  const renewal = (payerId: string) => ({
    ...order(),
    paymentMethodId: 'pm_card_refundFail',
    recurring: { kind: 'renewal' as const, payerId },
  })
  const [payerId, first] = [newId(), server.wire.requests.length]
  const once = renewal(payerId)
  assert.deepEqual(await stripe.charge(once), await stripe.charge(once))
  await stripe.charge(renewal(payerId))
  const charges = server.wire.requests.slice(first).filter(({ path }) => path === '/v1/payment_intents')
  const [{ customer } = {}] = charges.map(({ form }) => form)
  assert.match(JSON.stringify(customer), /^"cus_/)
  assert.deepEqual(
    charges.map(({ form }) => [form.customer, form.off_session]),
    [
      [customer, 'true'],
      [customer, 'true'],
      [customer, 'true'],
    ],
  )
  await assert.rejects(
    stripe.charge(renewal(newId())),
    (error: unknown) => error instanceof ApiError && error.row.status === 400,
    'of another payer',
  )
})

test('a page that is asked for again is the same page, however close its end is', async () => {
  for (const payableMs of [DAY, 2 * HOUR, HOUR]) {
    const { paymentMethodId: _, ...page } = order()
    const now = Date.now()
    const expiresAt = new Date(now + payableMs)
    const open = () =>
      fixture.processor.openCheckout({ ...page, returnUrl: null, cancelUrl: null, expiresAt })
    const first = await open()
    for (const laterMs of [61_000, HOUR]) {
      const { mock: clock } = mock.method(Date, 'now', () => now + laterMs)
      assert.deepEqual(await open(), first)
      clock.restore()
    }
  }
})

test('a page that may still be open is not reported as closed', async () => {
  const session = { status: 200, body: '{"id": "cs_1", "status": "open"}' }
  answers.push(session, { status: 429, body: stripeError('invalid_request_error') }, session)
  await assert.rejects(processor.expireCheckout('cs_1'), NoAnswer)
})

test('a payout that Stripe refuses after the transfer has failed for good, and its transfer comes back', async () => {
  const { processor: stripe, server } = fixture
  const { accountId } = await stripe.accounts.create({
    id: newId(),
    installation: INSTALLATION,
    email: null,
    country: null,
  })
  await fixture.onboard(accountId, '000123456789')
  server.objects.find('account', accountId).payoutsRefused = true
  const payout = { id: newId(), installation: INSTALLATION, accountId, cents: 900, description: 'Payout' }
  const sent = await stripe.payouts.send(payout)
  assert.deepEqual([sent.payoutId, sent.state, sent.failure?.code], [null, 'failed', 'payouts_not_allowed'])
  server.objects.find('account', accountId).payoutsRefused = false
  assert.deepEqual(await stripe.payouts.send(payout), sent, 'it is not sent again')
  assert.deepEqual(await stripe.payouts.read(payout.id, accountId), sent)
  await stripe.payouts.reverse(payout.id, accountId)
  assert.equal(server.objects.find('transfer', sent.transferId).reversed, true)
})

test('a transfer without its payout is sent on with the same id', async () => {
  const { processor: stripe, server } = fixture
  const { accountId } = await stripe.accounts.create({
    id: newId(),
    installation: INSTALLATION,
    email: null,
    country: null,
  })
  await fixture.onboard(accountId, '000123456789')
  const id = newId()
  const payout = { id, installation: INSTALLATION, accountId, cents: 900, description: 'Payout' }
  // The answer to the transfer is lost: nothing is known of it, and there is no payout.
  const { transferId } = await stripe.payouts.send({ ...payout, id: newId() })
  const transfer = server.objects.find('transfer', transferId)
  transfer.transfer_group = id
  assert.deepEqual(await stripe.payouts.read(id, accountId), {
    transferId,
    payoutId: null,
    state: 'pending',
    failure: null,
  })
  const sent = await stripe.payouts.send(payout)
  assert.deepEqual([sent.transferId, sent.payoutId?.slice(0, 3), sent.state], [transferId, 'po_', 'pending'])
})

test('an inquiry of the bank is no dispute yet', async () => {
  const { processor: stripe, server } = fixture
  const { processorId } = await stripe.charge(order())
  const disputeId = await fixture.openDispute(processorId)
  server.objects.find('dispute', disputeId).status = 'warning_needs_response'
  assert.equal(await stripe.disputes.read(disputeId), null)
})

test('the statement is read to its end, page by page, oldest first', async () => {
  await fixture.advance(3_600_000)
  const from = fixture.now()
  for (let n = 0; n < 120; n++)
    fixture.server.objects.dispute((await fixture.processor.charge(order())).processorId)
  const to = new Date(fixture.now().getTime() + 1000)
  const lines = await Array.fromAsync(fixture.processor.movements(from, to))
  assert.equal(lines.length, 240)
  assert.deepEqual(
    lines.slice(0, 4).map(({ kind }) => kind),
    ['charge', 'dispute', 'charge', 'dispute'],
  )
  assert.deepEqual(
    lines.map(({ at }) => at.getTime()),
    lines.map(({ at }) => at.getTime()).toSorted((a, b) => a - b),
  )
})
