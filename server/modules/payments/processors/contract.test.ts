import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { ApiError } from '#platform/kernel/errors'
import { contractFixtures, type ContractFixture } from '#test'
import { CardDeclined, NoAnswer, type Processor } from './port.ts'

const INSTALLATION = 'installation_1'
const DAY = 86_400_000

/** What every adapter of the processor port must do with payments by card; each fixture has an adapter and the processor's side of it. */
for (const [name, open] of Object.entries(contractFixtures)) {
  describe(`payments by card at the processor: ${name}`, { concurrency: false }, () => {
    let fixture: ContractFixture
    let processor: Processor
    before(async () => {
      fixture = await open()
      processor = fixture.processor
    })
    after(() => fixture.close())

    const charge = (cents: number, paymentMethodId = 'pm_card_visa', id: string = newId()) =>
      processor.charge({ id, installation: INSTALLATION, cents, description: 'Test', paymentMethodId })
    const refusal = (status: number) => (error: unknown) =>
      error instanceof ApiError && error.row.status === status && Boolean(error.extra.hint)

    const page = () => ({
      id: newId(),
      installation: INSTALLATION,
      cents: 4000,
      description: 'Page',
      returnUrl: 'https://example.com/paid',
      cancelUrl: 'https://example.com/canceled',
      expiresAt: new Date(fixture.now().getTime() + DAY),
    })
    test('charges once for an id, however often it is asked, and reports money and fee', async () => {
      const id = newId()
      const all = await Promise.all([charge(1500, 'pm_card_visa', id), charge(1500, 'pm_card_visa', id)])
      const { processorId } = await charge(1500, 'pm_card_visa', id)
      assert.deepEqual(
        all.map(each => each.processorId),
        [processorId, processorId],
      )
      const paid = { state: 'paid', paid: { processorId, cents: 1500, currency: 'USD', feeCents: 74 } }
      assert.partialDeepStrictEqual(await processor.outcomeOf(id), paid)
      assert.partialDeepStrictEqual(await processor.outcomeOf(id, processorId), paid)
      assert.deepEqual(await processor.outcomeOf(newId(), processorId), { state: 'none' }, 'of another order')
      assert.deepEqual(await processor.outcomeOf(newId()), { state: 'none' })
      assert.deepEqual(await processor.outcomeOf(id, 'pi_unknown'), { state: 'none' })
    })

    for (const [method, code] of [
      ['pm_card_chargeDeclined', 'card_declined'],
      ['pm_card_visa_chargeDeclined', 'card_declined'],
      ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
      ['pm_card_visa_chargeDeclinedLostCard', 'lost_card'],
      ['pm_card_visa_chargeDeclinedStolenCard', 'stolen_card'],
      ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
      ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc'],
      ['pm_card_chargeDeclinedProcessingError', 'processing_error'],
      ['pm_card_visa_chargeDeclinedVelocityLimitExceeded', 'card_velocity_exceeded'],
      ['pm_card_chargeDeclinedFraudulent', 'fraudulent'],
      ['pm_card_authenticationRequired', 'authentication_required'],
    ] as const) {
      test(`throws CardDeclined with ${code} for ${method}, and again when asked again`, async () => {
        const id = newId()
        const declined = (error: unknown) =>
          error instanceof CardDeclined &&
          error.code === code &&
          error.message.endsWith('.') &&
          error.processorId.startsWith('pi_')
        await assert.rejects(charge(1500, method, id), declined)
        await assert.rejects(charge(1500, method, id), declined)
        const outcome = await processor.outcomeOf(id)
        assert.deepEqual([outcome.state, outcome.state === 'declined' && outcome.code], ['declined', code])
      })
    }

    test('refuses an unknown payment method with 400', async () => {
      await assert.rejects(
        charge(1500, 'pm_unknown'),
        (error: unknown) => error instanceof ApiError && error.row.status === 400,
      )
    })

    test('opens one hosted page for an id, which another card can pay after a declined one', async () => {
      const order = page()
      const { checkoutId, url } = await processor.openCheckout(order)
      assert.deepEqual(await processor.openCheckout(order), { checkoutId, url })
      assert.ok(URL.canParse(url))
      await assert.rejects(fixture.payCheckout(checkoutId, '4000000000000002'))
      assert.deepEqual(await processor.outcomeOf(order.id), { state: 'none' })
      await fixture.payCheckout(checkoutId, '4242424242424242')
      const outcome = await processor.outcomeOf(order.id)
      assert.ok(outcome.state === 'paid' && outcome.paid.cents === 4000)
      assert.equal(await processor.expireCheckout(checkoutId), outcome.paid.processorId)
    })

    test('names the card of a payment, the same on a hosted page as in a charge', async () => {
      const fingerprintOf = async (id: string) => {
        const outcome = await processor.outcomeOf(id)
        return outcome.state === 'paid' ? outcome.paid.cardFingerprint : null
      }
      const [order, id, other] = [page(), newId(), newId()]
      const { checkoutId } = await processor.openCheckout(order)
      await fixture.payCheckout(checkoutId, '4242424242424242')
      await charge(1000, 'pm_card_visa', id)
      await charge(1000, 'pm_card_refundFail', other)
      const fingerprint = await fingerprintOf(id)
      assert.ok(fingerprint)
      assert.equal(await fingerprintOf(order.id), fingerprint)
      assert.notEqual(await fingerprintOf(other), fingerprint)
    })

    test('lets the holder of a card confirm a payment on a hosted page', async () => {
      const order = page()
      const { checkoutId } = await processor.openCheckout(order)
      await fixture.payCheckout(checkoutId, '4000002760003184')
      assert.equal((await processor.outcomeOf(order.id)).state, 'paid')
    })

    test('expires a hosted page that nobody has paid, for good', async () => {
      const order = page()
      const { checkoutId } = await processor.openCheckout(order)
      assert.equal(await processor.expireCheckout(checkoutId), null)
      assert.equal(await processor.expireCheckout(checkoutId), null)
      await assert.rejects(fixture.payCheckout(checkoutId, '4242424242424242'))
      assert.deepEqual(await processor.outcomeOf(order.id), { state: 'none' })
    })

    test('refunds parts of a payment, each once, and never more than it brought', async () => {
      const { processorId } = await charge(1000)
      const order = { id: newId(), installation: INSTALLATION, processorId, cents: 400 }
      assert.equal(await processor.refundOf(order.id, processorId), null)
      const first = await processor.refund(order)
      assert.deepEqual(await processor.refund(order), first)
      assert.deepEqual([first.state, first.failure], ['succeeded', null])
      assert.deepEqual(await processor.refundOf(order.id, processorId), first)
      await assert.rejects(processor.refund({ ...order, id: newId(), cents: 601 }), refusal(400))
      const rest = await processor.refund({ ...order, id: newId(), cents: 600 })
      assert.notEqual(rest.refundId, first.refundId)
      await assert.rejects(
        processor.refund({ ...order, id: newId(), processorId: 'pi_unknown' }),
        refusal(404),
      )
    })

    test('reports a refund that is pending, and one that fails after it succeeded', async () => {
      const refundOf = async (method: string) => {
        const { processorId } = await charge(1000, method)
        const id = newId()
        const { state } = await processor.refund({ id, installation: INSTALLATION, processorId, cents: 1000 })
        return { id, processorId, state }
      }
      const [pending, failing] = [
        await refundOf('pm_card_pendingRefund'),
        await refundOf('pm_card_refundFail'),
      ]
      assert.deepEqual([pending.state, failing.state], ['pending', 'succeeded'])
      await fixture.advance(DAY)
      assert.equal((await processor.refundOf(pending.id, pending.processorId))?.state, 'succeeded')
      const failed = await processor.refundOf(failing.id, failing.processorId)
      assert.deepEqual([failed?.state, failed?.failure], ['failed', 'expired_or_canceled_card'])
    })

    test('throws NoAnswer when a call is cut off, before and after the processor acted', async () => {
      const [before, after] = [newId(), newId()]
      await fixture.cutOff('not_reached')
      await assert.rejects(charge(900, 'pm_card_visa', before), NoAnswer)
      assert.deepEqual(await processor.outcomeOf(before), { state: 'none' })
      await fixture.cutOff('answer_lost')
      await assert.rejects(charge(900, 'pm_card_visa', after), NoAnswer)
      const outcome = await processor.outcomeOf(after)
      assert.equal(outcome.state, 'paid')
      const { processorId } = await charge(900, 'pm_card_visa', after)
      assert.equal(outcome.state === 'paid' && outcome.paid.processorId, processorId, 'charged once')
    })
  })
}
