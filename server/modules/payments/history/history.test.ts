import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  openMarket,
  registerHuman,
  reservedDeal,
  startTestService,
  type Person,
  type TestService,
} from '#test'
import { erasePaymentsOf } from '../erase.ts'

interface Payment {
  id: string
  status: string
  amount: string
  currency: string
  rail: string
  purpose: string
  reference: string
  checkoutUrl: string | null
  createdAt: string
  expiresAt: string
  confirmedAt: string | null
}
interface Funded {
  transaction: { reference: { paymentId: string } }
  checkout: { id: string; url: string }
}

suite('the card payments of an account', () => {
  let service: TestService
  let payer: Person
  before(async () => {
    service = await startTestService()
  })
  beforeEach(async () => {
    payer = await registerHuman(service)
  })
  after(() => service.close())

  const read = (id: string, { token } = payer) =>
    service.http<Payment & { code: string }>('GET', `/payments/card/${id}`, { token })
  const list = (query = '', { token } = payer) =>
    service.http<{ items: Payment[]; total: number }>('GET', `/payments/card${query}`, { token })
  const fund = async (body: object) => {
    const { token, walletId } = payer
    const answer = await service.http<Funded>('POST', `/wallets/${walletId}/fund`, { token, body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  test('lead back to a hosted page that was left, until it is paid', async () => {
    const { transaction, checkout } = await fund({ amount: 20, rail: 'checkout' })
    const { paymentId } = transaction.reference
    const { status, body } = await read(paymentId)
    const { createdAt, expiresAt, ...payment } = body
    assert.equal(status, 200)
    assert.deepEqual(payment, {
      id: paymentId,
      status: 'PENDING',
      amount: '20.00',
      currency: 'USD',
      rail: 'checkout',
      purpose: 'WALLET_FUNDING',
      reference: payer.walletId,
      checkoutUrl: checkout.url,
      confirmedAt: null,
    })
    assert.ok(createdAt < expiresAt)
    const paid = await service.http('POST', new URL(checkout.url).pathname, {
      body: { paymentMethodId: 'pm_card_visa' },
    })
    assert.equal(paid.status, 200, paid.text)
    const { body: confirmed } = await read(paymentId)
    assert.deepEqual([confirmed.status, confirmed.checkoutUrl], ['SUCCEEDED', null])
    assert.notEqual(confirmed.confirmedAt, null)
  })

  test('name the escrow that they pay for, to the buyer alone', async () => {
    const market = await openMarket(service, { amount: 1 })
    const { escrowId } = await reservedDeal(market)
    const { body } = await list('', market.buyer)
    assert.deepEqual(body.items.map(({ purpose, reference }) => [purpose, reference]).slice(0, 1), [
      ['ESCROW', escrowId],
    ])
    assert.equal((await read(escrowId, market.buyer)).body.id, escrowId)
    for (const other of [market.outsider, payer]) {
      const { status, body: refused } = await read(escrowId, other)
      assert.deepEqual([status, refused.code], [404, 'PAYMENT_NOT_FOUND'])
    }
  })

  test('are 404 for an unknown id and an invalid one', async () => {
    for (const id of [newId(), 'none']) assert.equal((await read(id)).status, 404)
  })

  test('have no page after their time to pay', async () => {
    const { transaction } = await fund({ amount: 20, rail: 'checkout' })
    const { paymentId } = transaction.reference
    await service.services.db.pool.query('update payments_intent set expires_at = created_at where id = $1', [
      paymentId,
    ])
    assert.equal((await read(paymentId)).body.checkoutUrl, null)
  })

  test('lose the address of the page with the account', async () => {
    const { transaction } = await fund({ amount: 20, rail: 'checkout' })
    const { db } = service.services
    await db.transaction(tx => erasePaymentsOf(tx, payer.id))
    const { rows } = await db.pool.query('select checkout_url from payments_intent where id = $1', [
      transaction.reference.paymentId,
    ])
    assert.deepEqual(rows, [{ checkout_url: null }])
  })

  test('are listed page by page, the newest first, by state', async () => {
    const pages = [await fund({ amount: 1, rail: 'checkout' }), await fund({ amount: 2, rail: 'checkout' })]
    await fund({ amount: 3 })
    const amounts = async (query: string) => {
      const { body } = await list(query)
      return [body.total, ...body.items.map(({ amount }) => amount)]
    }
    assert.deepEqual(await amounts(''), [3, '3.00', '2.00', '1.00'])
    assert.deepEqual(await amounts('?limit=1&offset=1'), [3, '2.00'])
    assert.deepEqual(await amounts('?status=PENDING'), [2, '2.00', '1.00'])
    assert.deepEqual(
      (await list('?status=PENDING')).body.items.map(item => item.checkoutUrl),
      pages.toReversed().map(({ checkout }) => checkout.url),
    )
    assert.deepEqual(await amounts('?status=FAILED'), [0])
    assert.equal((await list('?status=PAID')).status, 400)
  })
})
