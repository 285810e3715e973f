import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  mailsSettled,
  mailsTo,
  mailTo,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Funded {
  wallet: { available: string; withdrawable: string }
  transaction: { id: string; status: string; amount: string; type: string; reference: { paymentId: string } }
  checkout?: { id: string; url: string }
  message: string
  hint?: string
}

let service: TestService
let ada: Person
before(async () => {
  service = await startTestService()
  ada = await registerHuman(service)
})
after(() => service.close())

const pay = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
  service.http<Funded>('POST', `/wallets/${person.walletId}/fund`, { token: person.token, body, headers })
const available = async (person: Person) =>
  (await service.http<Funded['wallet']>('GET', `/wallets/${person.walletId}`, { token: person.token })).body
    .available
const platformBalance = (account: string) => balanceOf(service.services.db, account, 'USD')

describe('funding by card', () => {
  test("credits the whole amount, and the processor's fee is the platform's expense", async () => {
    const person = await registerHuman(service)
    const [processor, fees] = [
      await platformBalance(accounts.processor),
      await platformBalance(accounts.processorFee),
    ]
    const { status, body } = await pay(person, { amount: 150, paymentMethodId: 'pm_card_visa' })
    assert.equal(status, 201)
    assert.deepEqual(
      [
        body.transaction.status,
        body.transaction.type,
        body.transaction.amount,
        body.wallet.available,
        body.wallet.withdrawable,
      ],
      ['COMPLETED', 'fund', '150.00', '150.00', '150.00'],
    )
    // 2.9 % and 30 cents of 150 are 4.65; assets are below zero in a credit-positive ledger.
    assert.deepEqual(
      [
        (await platformBalance(accounts.processor)) - processor,
        (await platformBalance(accounts.processorFee)) - fees,
      ],
      [-145_350_000n, -4_650_000n],
    )
  })

  test('mails a receipt for a payment that was made, if the payer asks for one', async () => {
    const person = await registerHuman(service)
    await pay(person, { amount: 5 })
    await pay(person, { amount: 6, receipt: true, paymentMethodId: 'pm_card_chargeDeclined' })
    const { body } = await pay(person, { amount: 7, receipt: true })
    const { subject, text } = await mailTo(service, person.email, /received/)
    assert.match(subject, /Receipt for your payment/)
    assert.match(text, new RegExp(`7\\.00 USD[^]*${body.transaction.reference.paymentId}`))
    await mailsSettled(service)
    const receipts = (await mailsTo(service, person.email)).filter(mail => /Receipt/.test(mail.subject))
    assert.equal(receipts.length, 1)
  })

  test('refuses what no card takes', async () => {
    for (const amount of [0, -5, 0.49, '1.001', '0.000001', 'x', null, 1_000_000, [], {}])
      assert.equal((await pay(ada, { amount })).status, 400, JSON.stringify(amount))
    for (const body of [
      {},
      { amount: 5, rail: 'cash' },
      { amount: 5, paymentMethodId: 'pm_unknown' },
      { amount: 5, returnUrl: 'javascript:alert(1)' },
    ]) {
      assert.equal((await pay(ada, body)).status, 400, JSON.stringify(body))
    }
    const crypto = await pay(ada, { amount: 5, rail: 'x402' })
    assert.deepEqual(
      [crypto.status, crypto.body.message, crypto.body.hint],
      [
        400,
        'Payment rail not available',
        'x402 pays in USDC, this wallet is in USD: fund a USDC wallet, or use rail card',
      ],
    )
    assert.equal((await pay(ada, { amount: '0.50' })).status, 201)
  })

  test("is the owner's alone", async () => {
    const other = await registerHuman(service)
    assert.equal(
      (
        await service.http('POST', `/wallets/${ada.walletId}/fund`, {
          token: other.token,
          body: { amount: 5 },
        })
      ).status,
      403,
    )
    assert.equal(
      (await service.http('POST', `/wallets/${newId()}/fund`, { token: other.token, body: { amount: 5 } }))
        .status,
      404,
    )
    assert.equal(
      (await service.http('POST', `/wallets/${ada.walletId}/fund`, { body: { amount: 5 } })).status,
      401,
    )
  })

  test('pays into dollar wallets only', async () => {
    const usdc = await service.http<{ id: string }>('POST', '/wallets', {
      token: ada.token,
      body: { currency: 'USDC' },
    })
    const { status, body } = await service.http<Funded>('POST', `/wallets/${usdc.body.id}/fund`, {
      token: ada.token,
      body: { amount: 5 },
    })
    assert.deepEqual(
      [status, body.message, body.hint],
      [400, 'Currency mismatch', 'A card pays in USD, this payment is in USDC'],
    )
  })

  test('with one Idempotency-Key 64 times at once charges once; another body with it is 422', async () => {
    const person = await registerHuman(service)
    const key = { 'idempotency-key': newId() }
    const answers = await Promise.all(Array.from({ length: 64 }, () => pay(person, { amount: 20 }, key)))
    assert.ok(
      answers.every(({ status }) => status === 201 || status === 409),
      answers.map(({ status }) => status).join(),
    )
    const again = await pay(person, { amount: 20 }, key)
    assert.deepEqual(
      [again.status, again.headers.get('idempotency-replayed'), again.body.wallet.available],
      [201, 'true', '20.00'],
    )
    assert.equal((await pay(person, { amount: 21 }, key)).status, 422)
    assert.equal(await available(person), '20.00')
  })

  test('a refused payment leaves its Idempotency-Key free for another try, an answered one is replayed', async () => {
    const person = await registerHuman(service)
    const key = { 'idempotency-key': newId() }
    const declined = { amount: 20, paymentMethodId: 'pm_card_chargeDeclined' }
    const refusals = [
      await pay(person, declined, key),
      await pay(person, declined, key),
      ...(await Promise.all(Array.from({ length: 16 }, () => pay(person, declined, key)))),
    ]
    for (const { status, headers } of refusals) {
      assert.ok(status === 400 || status === 409, String(status))
      assert.equal(headers.get('idempotency-replayed'), null)
    }
    const paid = await pay(person, { amount: 20 }, key)
    assert.equal(paid.status, 201)
    for (const again of [
      await pay(person, { amount: 20 }, key),
      ...(await Promise.all(Array.from({ length: 8 }, () => pay(person, { amount: 20 }, key)))),
    ]) {
      if (again.status === 409) continue
      assert.deepEqual(
        [again.status, again.headers.get('idempotency-replayed'), again.body],
        [201, 'true', paid.body],
      )
    }
    assert.equal((await pay(person, declined, key)).status, 422)
    assert.equal(await available(person), '20.00')
  })
})

describe('the hosted checkout', () => {
  const open = async (person: Person, body: object = { rail: 'checkout' }) => {
    const opened = await pay(person, { amount: '30.50', ...body })
    assert.deepEqual(
      [opened.status, opened.body.transaction.status, opened.body.wallet.available],
      [201, 'PENDING', '0.00'],
    )
    assert.ok(opened.body.checkout)
    assert.ok(opened.body.checkout.url.startsWith(`${service.baseUrl}/sandbox/checkout/`))
    return new URL(opened.body.checkout.url).pathname
  }
  const post = (path: string, body: unknown) =>
    service.http<{ status: string; returnUrl: string | null; message: string; hint?: string }>('POST', path, {
      body,
    })

  test('shows a page with a form and pays by card number, once', async () => {
    const person = await registerHuman(service)
    const path = await open(person, { returnUrl: 'https://shop.example/done?a="b"' })
    const page = await service.http('GET', path)
    assert.equal(page.status, 200)
    assert.match(page.text, /30\.50 <small>USD/)
    assert.ok(!page.text.includes('a="b"'), 'the address is escaped')
    const paid = await post(path, { cardNumber: '4242 4242 4242 4242' })
    assert.deepEqual(
      [paid.status, paid.body.status, paid.body.returnUrl],
      [200, 'complete', 'https://shop.example/done?a="b"'],
    )
    assert.equal(await available(person), '30.50')
    assert.equal((await post(path, { paymentMethodId: 'pm_card_visa' })).status, 409)
    assert.match((await service.http('GET', path)).text, /has been made/)
  })

  test('lets another card be tried after a declined one, and pays once however often it is pressed', async () => {
    const person = await registerHuman(service)
    const path = await open(person)
    const declined = await post(path, { cardNumber: '4000000000000002' })
    assert.deepEqual(
      [declined.status, declined.body.message, declined.body.hint],
      [400, 'Card declined', 'Your card was declined.'],
    )
    const presses = await Promise.all(
      Array.from({ length: 8 }, () => post(path, { paymentMethodId: 'pm_card_visa' })),
    )
    assert.deepEqual(
      presses.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409, 409, 409, 409, 409, 409, 409],
    )
    assert.equal(await available(person), '30.50')
  })

  test('refuses an unknown page and what is no card', async () => {
    assert.equal((await service.http('GET', '/sandbox/checkout/cs_test_x')).status, 404)
    assert.equal((await post('/sandbox/checkout/cs_test_x', { paymentMethodId: 'pm_card_visa' })).status, 404)
    const path = await open(await registerHuman(service))
    for (const body of [{}, { cardNumber: '1234' }, { paymentMethodId: '' }])
      assert.equal((await post(path, body)).status, 400)
  })

  test('not paid in a day expires; money that comes later is credited all the same', async () => {
    const person = await registerHuman(service)
    const path = await open(person)
    await service.advance(25 * 3600)
    const { rows } = await service.services.db.pool.query<{ status: string }>(
      'select status from payments_intent where account_id = $1',
      [person.id],
    )
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['EXPIRED'],
    )
    assert.equal((await post(path, { paymentMethodId: 'pm_card_visa' })).status, 409)
    assert.match((await service.http('GET', path)).text, /nothing was charged/)
    // A payment that was under way when the page expired.
    await service.services.db.pool.query(
      "update platform_processor_object set status = 'open', body = body - 'expires_at' where id = $1",
      [path.split('/').at(-1)],
    )
    assert.equal((await post(path, { paymentMethodId: 'pm_card_visa' })).status, 200)
    assert.equal(await available(person), '30.50')
  })
})
