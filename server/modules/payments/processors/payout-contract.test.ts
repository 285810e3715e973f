import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { ApiError } from '#platform/kernel/errors'
import { contractFixtures, type ContractFixture } from '#test'
import type { Processor } from './port.ts'

const INSTALLATION = 'installation_1'
const DAY = 86_400_000
const GOOD_BANK = '000123456789'

/** What every adapter of the processor port must do with payouts and disputes; each fixture has an adapter and the processor's side of it. */
for (const [name, open] of Object.entries(contractFixtures)) {
  describe(`payouts and disputes at the processor: ${name}`, { concurrency: false }, () => {
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
    const account = async (bank = GOOD_BANK) => {
      const order = { id: newId(), installation: INSTALLATION, email: 'ada@example.com', country: 'US' }
      const { accountId } = await processor.accounts.create(order)
      if (bank) await fixture.onboard(accountId, bank)
      return { order, accountId }
    }
    const payout = (accountId: string, cents = 2500) => ({
      id: newId(),
      installation: INSTALLATION,
      accountId,
      cents,
      description: 'Payout',
    })

    test('names the bank account of a connected account, the same for each that has it', async () => {
      const banksOf = async (bank: string) =>
        (await processor.accounts.read((await account(bank)).accountId)).bankFingerprints
      const banks = await banksOf(GOOD_BANK)
      assert.equal(banks.length, 1)
      assert.deepEqual(await banksOf(GOOD_BANK), banks)
      assert.notDeepEqual(await banksOf('000111111116'), banks)
      assert.deepEqual(await banksOf(''), [])
    })

    test('creates one connected account for an id, which onboarding enables', async () => {
      const { order, accountId } = await account('')
      assert.deepEqual(await processor.accounts.create(order), { accountId })
      const created = await processor.accounts.read(accountId)
      assert.deepEqual(
        [created.isDetailsSubmitted, created.isPayoutsEnabled, created.disabledReason],
        [false, false, null],
      )
      assert.ok(created.requirements.includes('external_account'))
      const urls = { returnUrl: 'https://example.com/done', refreshUrl: 'https://example.com/again' }
      const links = [
        await processor.accounts.onboardingLink(accountId, urls),
        await processor.accounts.onboardingLink(accountId, urls),
      ]
      assert.equal(new Set(links.map(({ url }) => new URL(url).href)).size, 2)
      await fixture.onboard(accountId, GOOD_BANK)
      assert.partialDeepStrictEqual(await processor.accounts.read(accountId), {
        accountId,
        isDetailsSubmitted: true,
        isPayoutsEnabled: true,
        requirements: [],
        disabledReason: null,
      })
      await assert.rejects(processor.accounts.read('acct_unknown'), refusal(404))
    })

    test('pays out once for an id: pending, in transit, paid', async () => {
      const { accountId } = await account()
      const order = payout(accountId)
      assert.equal(await processor.payouts.read(order.id, accountId), null)
      const sent = await processor.payouts.send(order)
      assert.equal(sent.state, 'pending')
      assert.deepEqual(await processor.payouts.send(order), sent)
      await assert.rejects(processor.payouts.reverse(order.id, accountId), refusal(409))
      await fixture.advance(DAY / 2)
      const state = async () => (await processor.payouts.read(order.id, accountId))?.state
      assert.equal(await state(), 'in_transit')
      assert.equal((await processor.payouts.cancel(order.id, accountId)).state, 'in_transit', 'too late')
      await fixture.advance(DAY)
      assert.equal(await state(), 'paid')
      assert.deepEqual(await processor.payouts.send(order), { ...sent, state: 'paid' })
    })

    test('reports why a payout failed, also after it was paid, and takes the transfer back once', async () => {
      const [failing, returning] = [await account('000111111116'), await account('000999999991')]
      const [one, other] = [payout(failing.accountId), payout(returning.accountId)]
      await processor.payouts.send(one)
      await processor.payouts.send(other)
      await fixture.advance(2 * DAY)
      const failed = await processor.payouts.read(one.id, failing.accountId)
      assert.deepEqual([failed?.state, failed?.failure?.code], ['failed', 'no_account'])
      assert.equal((await processor.payouts.read(other.id, returning.accountId))?.state, 'paid')
      await fixture.advance(3 * DAY)
      const returned = await processor.payouts.read(other.id, returning.accountId)
      assert.deepEqual([returned?.state, returned?.failure?.code], ['failed', 'could_not_process'])
      const from = new Date(fixture.now().getTime() - 1000)
      for (let n = 0; n < 2; n++) await processor.payouts.reverse(one.id, failing.accountId)
      const back = await lines(from)
      assert.deepEqual(
        back.map(({ kind, cents, ourId }) => [kind, cents, ourId]),
        [['transfer_reversal', 2500, one.id]],
      )
    })

    test('cancels a pending payout and refuses one to an account that is not enabled', async () => {
      const { accountId } = await account()
      const order = payout(accountId)
      await processor.payouts.send(order)
      assert.equal((await processor.payouts.cancel(order.id, accountId)).state, 'canceled')
      await processor.payouts.reverse(order.id, accountId)
      await fixture.advance(3 * DAY)
      assert.equal((await processor.payouts.read(order.id, accountId))?.state, 'canceled')
      const fresh = await account('')
      await assert.rejects(processor.payouts.send(payout(fresh.accountId)), refusal(400))
      await assert.rejects(processor.payouts.cancel(newId(), accountId), refusal(404))
    })

    test('reads a dispute, takes evidence once, and sees how the bank decides', async () => {
      const [first, second] = [await charge(3000), await charge(5000, 'pm_card_createDispute')]
      const [won, lost] = [
        await fixture.openDispute(first.processorId),
        await fixture.disputeOf(second.processorId),
      ]
      const opened = await processor.disputes.read(won)
      assert.deepEqual(
        { ...opened, respondBy: null },
        {
          disputeId: won,
          processorId: first.processorId,
          cents: 3000,
          currency: 'USD',
          feeCents: 1500,
          reason: 'fraudulent',
          state: 'needs_response',
          respondBy: null,
        },
      )
      assert.ok((opened?.respondBy?.getTime() ?? 0) > fixture.now().getTime())
      await processor.disputes.submitEvidence(won, { text: 'It was delivered.' })
      assert.equal((await processor.disputes.read(won))?.state, 'under_review')
      await assert.rejects(processor.disputes.submitEvidence(won, { text: 'Once more' }), refusal(409))
      await processor.disputes.submitEvidence(lost, { text: 'losing_evidence' })
      await fixture.closeDispute(won, 'won')
      assert.deepEqual(
        [(await processor.disputes.read(won))?.state, (await processor.disputes.read(lost))?.state],
        ['won', 'lost'],
      )
      await assert.rejects(
        processor.refund({
          id: newId(),
          installation: INSTALLATION,
          processorId: second.processorId,
          cents: 1,
        }),
        refusal(400),
      )
      assert.equal(await processor.disputes.read('du_unknown'), null)
      await assert.rejects(processor.disputes.submitEvidence('du_unknown', { text: 'x' }), refusal(404))
    })

    const lines = async (from: Date, to = new Date(fixture.now().getTime() + 1000)) =>
      Array.fromAsync(processor.movements(from, to))

    test('lists everything that moved the balance in a time, oldest first, with our ids', async () => {
      await fixture.advance(DAY)
      const from = fixture.now()
      const [paymentId, refundId] = [newId(), newId()]
      const { processorId } = await charge(1000, 'pm_card_visa', paymentId)
      await fixture.advance(2000)
      const refund = await processor.refund({
        id: refundId,
        installation: INSTALLATION,
        processorId,
        cents: 100,
      })
      await fixture.advance(2000)
      const disputeId = await fixture.openDispute(processorId)
      await fixture.advance(2000)
      await fixture.closeDispute(disputeId, 'won')
      await fixture.advance(2000)
      const { accountId } = await account()
      const order = payout(accountId, 300)
      const { transferId } = await processor.payouts.send(order)
      const movements = await lines(from)
      assert.deepEqual(
        movements.map(({ id, at, ...rest }) => ({ ...rest, hasId: id.startsWith('txn_') && at >= from })),
        [
          { kind: 'charge', sourceId: processorId, ourId: paymentId, cents: 1000, feeCents: 59 },
          { kind: 'refund', sourceId: refund.refundId, ourId: refundId, cents: -100, feeCents: 0 },
          { kind: 'dispute', sourceId: disputeId, ourId: paymentId, cents: -900, feeCents: 1500 },
          { kind: 'dispute_reversal', sourceId: disputeId, ourId: paymentId, cents: 900, feeCents: 0 },
          { kind: 'transfer', sourceId: transferId, ourId: order.id, cents: -300, feeCents: 0 },
        ].map(movement => ({ ...movement, currency: 'USD', hasId: true })),
      )
      const [first, second] = movements
      assert.ok(first && second)
      assert.deepEqual(await lines(first.at, second.at), [first], 'the end of the time does not belong to it')
    })
  })
}
