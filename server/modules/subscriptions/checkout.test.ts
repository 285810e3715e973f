import assert from 'node:assert/strict'
import { after, afterEach, before, mock, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { cardPayments, NoAnswer, processorOf } from '#payments'
import { availableOf, fund, registerHuman, sharedService, type Person, type TestService } from '#test'
import { daysOf } from './period.ts'

interface Subscription {
  plan: string
  feeBps: number
  id: string
  status: string | null
  currentPeriodStart: string
  currentPeriodEnd: string
  cancelsAtPeriodEnd: boolean
  renewsFrom: string | null
  endedAt: string | null
  invoices: { id: string; number: number; status: string; amount: string; rail: string; returned: string }[]
  checkout?: { id: string; url: string }
}
type Refusal = { message: string; code: string; hint?: string }

suite('subscriptions', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  afterEach(() => mock.restoreAll())

  const post = <Body>(path: string, { token }: { token: string }, body: object = {}, key?: string) =>
    service.http<Body & Refusal>('POST', path, {
      token,
      body,
      headers: key ? { 'idempotency-key': key } : {},
    })
  const checkout = (person: Person, body: object = {}, key?: string) =>
    post<Subscription>('/subscriptions/checkout', person, body, key)
  const cancel = (person: Person, body: object = {}) =>
    post<Subscription>('/subscriptions/cancel', person, body)
  const me = async ({ token }: Person) =>
    (await service.http<Subscription>('GET', '/subscriptions/me', { token })).body
  const planOf = async ({ token }: Person) =>
    (await service.http<{ plan: string }>('GET', '/users/me', { token })).body.plan
  const rich = async (amount = 100) => {
    const person = await registerHuman(service)
    await fund(service, person, amount)
    return person
  }
  const payPage = (id: string, paymentMethodId = 'pm_card_visa') =>
    service.http('POST', `/sandbox/checkout/${id}`, { body: { paymentMethodId } })
  const deferred = ({ id }: Subscription) =>
    balanceOf(service.services.db, accounts.deferredSubscription(id), 'USD')

  test('lists the plans with their fees, and Free for an account without a subscription', async () => {
    const { body } = await service.http<{ items: Record<string, unknown>[]; total: number }>(
      'GET',
      '/subscriptions/plans',
    )
    assert.deepEqual(
      body.items.map(({ id, price, feeBps, feeRate }) => [id, price, feeBps, feeRate]),
      [
        ['FREE', '0.00', 2000, 0.2],
        ['PRO', '59.00', 1000, 0.1],
      ],
    )
    const person = await registerHuman(service)
    const { plan, status, feeBps, invoices } = await me(person)
    assert.deepEqual([plan, status, feeBps, invoices], ['FREE', null, 2000, []])
    const none = await cancel(person)
    assert.deepEqual([none.status, none.body.code], [404, 'SUBSCRIPTION_NOT_FOUND'])
  })

  test('pays one month from the wallet and defers it', async () => {
    const person = await rich()
    const { status, body, text } = await checkout(person, { plan: 'PRO', walletId: person.walletId }, 'sub-1')
    assert.equal(status, 201, text)
    assert.deepEqual(
      [
        body.plan,
        body.status,
        body.feeBps,
        body.renewsFrom,
        body.invoices.map(each => [each.status, each.rail, each.amount]),
      ],
      ['PRO', 'ACTIVE', 1000, 'wallet', [['PAID', 'wallet', '59.00']]],
    )
    const period = { start: new Date(body.currentPeriodStart), end: new Date(body.currentPeriodEnd) }
    assert.ok(daysOf(period) >= 28 && daysOf(period) <= 31)
    assert.deepEqual([await availableOf(service, person), await deferred(body)], ['41.00', 59_000_000n])
    assert.equal(await planOf(person), 'PRO')
    const replay = await checkout(person, { plan: 'PRO', walletId: person.walletId }, 'sub-1')
    assert.deepEqual([replay.headers.get('idempotency-replayed'), replay.body.id], ['true', body.id])
    const again = await checkout(person, { rail: 'wallet' })
    assert.deepEqual([again.status, again.body.code], [409, 'ALREADY_SUBSCRIBED'])
  })

  test('charges one of 20 parallel checkouts', async () => {
    const person = await rich(200)
    const answers = await Promise.all(Array.from({ length: 20 }, () => checkout(person, { rail: 'wallet' })))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, ...Array<number>(19).fill(409)],
    )
    assert.equal(await availableOf(service, person), '141.00')
  })

  test('requires real money in a dollar wallet of the caller', async () => {
    const [poor, other] = [await registerHuman(service), await registerHuman(service)]
    await service.http('POST', '/wallets/admin/test-credit', {
      token: await service.adminToken(),
      body: { walletId: poor.walletId, amount: 100, reason: 'test' },
    })
    const refused = await checkout(poor, { rail: 'wallet' })
    assert.deepEqual([refused.status, refused.body.message], [400, 'Insufficient balance'])
    const { body: usdc } = await post<{ id: string }>('/wallets', poor, { currency: 'USDC' })
    assert.equal((await checkout(poor, { walletId: usdc.id })).body.message, 'Currency mismatch')
    assert.equal((await checkout(poor, { walletId: other.walletId })).status, 403)
    assert.equal((await checkout(poor, { walletId: poor.id })).status, 404)
    assert.equal((await checkout(poor, { rail: 'checkout', returnUrl: 'ftp://x' })).status, 400)
    assert.deepEqual([(await me(poor)).status, await planOf(poor)], [null, 'FREE'])
  })

  test('charges a card; a declined one leaves Free', async () => {
    const person = await registerHuman(service)
    const declined = await checkout(person, { paymentMethodId: 'pm_card_chargeDeclined' })
    assert.deepEqual([declined.status, declined.body.message], [400, 'Card declined'])
    assert.deepEqual([(await me(person)).status, await planOf(person)], ['EXPIRED', 'FREE'])
    const { status, body } = await checkout(person, { paymentMethodId: 'pm_card_visa' })
    assert.equal(status, 201)
    assert.deepEqual([body.status, body.renewsFrom, await deferred(body)], ['ACTIVE', 'card', 59_000_000n])
    assert.deepEqual([await planOf(person), await availableOf(service, person)], ['PRO', '0.00'])
  })

  test('answers a repeated request with the decline that came late, and begins nothing', async () => {
    const person = await registerHuman(service)
    const processor = processorOf(service.services)
    mock.method(processor, 'charge', () => Promise.reject(new NoAnswer('silent')))
    const { body: first } = await checkout(person, { paymentMethodId: 'pm_card_visa' }, 'late-1')
    assert.equal(first.status, 'PENDING')
    const declined = { state: 'declined', code: 'card_declined', message: 'Your card was declined.' } as const
    mock.method(processor, 'outcomeOf', async () => declined)
    const { rows } = await service.services.db.pool.query<{ id: string }>(
      'select payment_id as id from subscriptions_invoice where subscription_id = $1',
      [first.id],
    )
    await cardPayments.refreshPayment(service.services, rows[0]?.id ?? '')
    assert.equal((await me(person)).status, 'EXPIRED')
    mock.restoreAll()
    const repeated = await checkout(person, { paymentMethodId: 'pm_card_visa' }, 'late-1')
    assert.deepEqual([repeated.status, repeated.body.message], [400, 'Card declined'])
    const { id, status } = await me(person)
    assert.deepEqual([id, status], [first.id, 'EXPIRED'])
    const other = await checkout(person, { paymentMethodId: 'pm_card_visa' })
    assert.deepEqual([other.status, other.body.status], [201, 'ACTIVE'], other.text)
  })

  test('opens a hosted page that starts Pro once it is paid; late money goes to the wallet', async () => {
    const person = await registerHuman(service)
    const { body: first } = await checkout(person, {}, 'page-1')
    assert.deepEqual([first.plan, first.status], ['FREE', 'PENDING'])
    assert.deepEqual((await checkout(person, {}, 'page-1')).body.checkout, first.checkout)
    const { body: second } = await checkout(person)
    assert.notEqual(second.checkout?.id, first.checkout?.id)
    assert.equal(second.id, first.id)
    for (const { checkout } of [second, first]) assert.equal((await payPage(checkout?.id ?? '')).status, 200)
    const { status, renewsFrom, invoices } = await me(person)
    assert.deepEqual(
      [status, renewsFrom, invoices.length, await planOf(person)],
      ['ACTIVE', 'wallet', 1, 'PRO'],
    )
    assert.equal(await availableOf(service, person), '59.00')
  })

  test('cancels an unpaid checkout at once, and credits a later payment to the wallet', async () => {
    const person = await registerHuman(service)
    const { body } = await checkout(person)
    const { body: canceled } = await cancel(person)
    assert.deepEqual([canceled.status, canceled.renewsFrom], ['CANCELLED', null])
    assert.equal((await payPage(body.checkout?.id ?? '')).status, 200)
    assert.deepEqual([(await me(person)).plan, await availableOf(service, person)], ['FREE', '59.00'])
  })

  test('a checkout that was cancelled begins nothing when it is repeated', async () => {
    const person = await registerHuman(service)
    mock.method(processorOf(service.services), 'charge', () => Promise.reject(new NoAnswer('silent')))
    const { body: first } = await checkout(person, { paymentMethodId: 'pm_card_visa' }, 'canceled-1')
    assert.equal((await cancel(person)).body.status, 'CANCELLED')
    mock.restoreAll()
    const { status, body } = await checkout(person, { paymentMethodId: 'pm_card_visa' }, 'canceled-1')
    assert.deepEqual([status, body.id, body.status], [201, first.id, 'CANCELLED'])
    assert.equal(await availableOf(service, person), '0.00')
    assert.equal((await checkout(person, { paymentMethodId: 'pm_card_visa' })).body.status, 'ACTIVE')
  })

  test('cancels at the end of the month, and continues with another checkout without a payment', async () => {
    const person = await rich()
    await checkout(person, { rail: 'wallet' })
    for (let n = 0; n < 2; n++) {
      const { status, body } = await cancel(person)
      assert.deepEqual(
        [status, body.status, body.plan, body.cancelsAtPeriodEnd],
        [200, 'ACTIVE', 'PRO', true],
      )
    }
    const { body } = await checkout(person, { paymentMethodId: 'pm_card_visa' })
    assert.deepEqual([body.status, body.cancelsAtPeriodEnd, body.renewsFrom], ['ACTIVE', false, 'card'])
    assert.equal(await availableOf(service, person), '41.00')
    await cancel(person)
    const { status, body: continued, text } = await checkout(person, { plan: 'PRO' })
    assert.equal(status, 201, text)
    assert.deepEqual(
      [continued.status, continued.cancelsAtPeriodEnd, continued.renewsFrom, continued.checkout],
      ['ACTIVE', false, 'card', undefined],
      'nothing else named: the card pays on',
    )
  })

  test('cancels at once with the rest back to the wallet, once; the day under way is paid', async () => {
    const person = await rich()
    const { body: bought } = await checkout(person, { rail: 'wallet' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(person, { immediately: true })))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, ...Array<number>(7).fill(404)],
    )
    const days = daysOf({
      start: new Date(bought.currentPeriodStart),
      end: new Date(bought.currentPeriodEnd),
    })
    const firstDay = Math.floor(59_000_000 / days) / 1e6
    const { status, plan, endedAt, invoices } = await me(person)
    assert.deepEqual([status, plan, typeof endedAt], ['CANCELLED', 'FREE', 'string'])
    assert.equal(Number(invoices[0]?.returned).toFixed(6), (59 - firstDay).toFixed(6))
    assert.equal(Number(await availableOf(service, person)).toFixed(6), (100 - firstDay).toFixed(6))
    assert.deepEqual([await deferred(bought), await planOf(person)], [0n, 'FREE'])
    assert.equal((await checkout(person, { rail: 'wallet' })).body.status, 'ACTIVE', 'a new month')
  })

  test('ends with the account; what is not earned goes to the unclaimed funds', async () => {
    const person = await rich(59)
    const { body } = await checkout(person, { rail: 'wallet' })
    assert.equal((await service.http('DELETE', '/users/me', { token: person.token })).status, 204)
    assert.equal(await deferred(body), 0n)
    assert.equal(await balanceOf(service.services.db, accounts.wallet(person.walletId), 'USD'), 0n)
    const { rows } = await service.services.db.pool.query(
      'select status, payment_method_id from subscriptions_subscription where id = $1',
      [body.id],
    )
    assert.deepEqual(rows, [{ status: 'CANCELLED', payment_method_id: null }])
  })
})
