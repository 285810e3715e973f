import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { availableOf, openMarket, acceptedDeal, as, readDeal, sharedService } from '#test'
import type { Market, TestService } from '#test'
import { testCards } from '../processors/sandbox/cards.ts'

interface Refusal {
  code: string
  message: string
  hint: string
  details: { paymentId: string; declineCode: string }
}

/** The code of each test card that is declined, and the text for its holder. */
const DECLINES: Record<string, [code: string, hint: RegExp]> = {
  pm_card_chargeDeclined: ['card_declined', /was declined/],
  pm_card_chargeDeclinedInsufficientFunds: ['insufficient_funds', /insufficient funds/],
  pm_card_chargeDeclinedLostCard: ['lost_card', /was declined/],
  pm_card_chargeDeclinedStolenCard: ['stolen_card', /was declined/],
  pm_card_chargeDeclinedExpiredCard: ['expired_card', /has expired/],
  pm_card_chargeDeclinedIncorrectCvc: ['incorrect_cvc', /security code is incorrect/],
  pm_card_chargeDeclinedProcessingError: ['processing_error', /Try again/],
  pm_card_chargeDeclinedVelocityLimitExceeded: ['card_velocity_exceeded', /too frequently/],
  pm_card_chargeDeclinedFraudulent: ['fraudulent', /was declined/],
  pm_card_authenticationRequired: ['authentication_required', /pay on the hosted page/],
}

suite('declined cards', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service, { amount: 1 })
  })
  after(() => service.close())

  const fund = (paymentMethodId: string) =>
    as<Refusal>(market, 'buyer', `/wallets/${market.buyer.walletId}/fund`, { amount: 5, paymentMethodId })
  const storedFailure = async (paymentId: string) =>
    (
      await service.services.db.pool.query<{ status: string; failure: string; journal: string | null }>(
        'select status, failure_code as failure, journal_id as journal from payments_intent where id = $1',
        [paymentId],
      )
    ).rows[0]

  test('each test card of the sandbox that is declined is in this table', () => {
    const declined = testCards.filter(card => card.declined ?? card.isConfirmed).map(({ id }) => id)
    assert.deepEqual(declined.sort(), Object.keys(DECLINES).sort())
  })

  for (const [method, [code, hint]] of Object.entries(DECLINES)) {
    test(`${code} is 400 Card declined with that code, and credits nothing`, async () => {
      const { status, body } = await fund(method)
      assert.deepEqual(
        [status, body.code, body.message, body.details.declineCode],
        [400, 'CARD_DECLINED', 'Card declined', code],
      )
      assert.match(body.hint, hint)
      assert.deepEqual(await storedFailure(body.details.paymentId), {
        status: 'FAILED',
        failure: code,
        journal: null,
      })
    })
  }

  test('a deal stays ACCEPTED whatever code its card is declined with, and another card pays it', async () => {
    const { id } = await acceptedDeal(market)
    const initiate = (paymentMethodId: string) =>
      as<Refusal>(market, 'buyer', '/payments/ap2/initiate', {
        negotiationId: id,
        rail: 'card',
        paymentMethodId,
      })
    for (const [method, [code]] of Object.entries(DECLINES)) {
      const { status, body } = await initiate(method)
      assert.deepEqual([status, body.code, body.details.declineCode], [400, 'CARD_DECLINED', code])
    }
    assert.equal((await readDeal(market, id)).status, 'ACCEPTED')
    assert.equal((await initiate('pm_card_visa')).status, 201)
    assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
    assert.equal(await availableOf(service, market.buyer), '1.00')
  })

  test('a card whose bank wants a confirmation pays on the hosted page', async () => {
    const path = `/wallets/${market.buyer.walletId}/fund`
    type Page = { checkout: { id: string } }
    const { body } = await as<Page>(market, 'buyer', path, { amount: 5, rail: 'checkout' })
    const paid = await service.http('POST', `/sandbox/checkout/${body.checkout.id}`, {
      body: { cardNumber: '4000 0027 6000 3184' },
    })
    assert.equal(paid.status, 200, paid.text)
    assert.equal(await availableOf(service, market.buyer), '6.00')
  })
})
