import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, balanceOf, checkLedger } from '#ledger'
import {
  AffiliateTrial,
  ChargebackTrial,
  openDispute,
  processorIdOf,
  startTestService,
  type Earner,
  type Market,
  type TestService,
} from '#test'
import { commissionChecks } from './check.ts'

const DAY = 86_400

suite('what an affiliate owes for a commission that was taken back after it was paid', () => {
  let service: TestService
  let trial: AffiliateTrial
  let chargebacks: ChargebackTrial
  before(async () => {
    service = await startTestService()
    trial = new AffiliateTrial(service, await service.adminToken())
    chargebacks = await ChargebackTrial.of(service)
    // The end of a month pays by itself: no test may begin shortly before it.
    if (service.services.clock.now().getUTCDate() > 20) await service.advance(12 * DAY)
  })
  after(() => service.close())

  const owed = ({ id }: Earner) => balanceOf(service.services.db, accounts.receivable(id), 'USD')

  /** An affiliate with a paid commission of 4 dollars whose deal the bank has taken back, and its market. */
  async function debtor(): Promise<{ earner: Earner; market: Market; chargebackId: string }> {
    const earner = await trial.affiliate(undefined, { holdDays: 1 })
    const market = await trial.market(earner, 400)
    const { escrowId } = await trial.deliveredByCard(market)
    await trial.release(market, { escrowId })
    await service.advance(DAY)
    const { body } = await trial.payOut(earner)
    assert.deepEqual(
      body.payments.map(({ amount, recovered }) => [amount, recovered]),
      [['4.00', '0.00']],
    )
    const processorId = await processorIdOf(service, escrowId)
    const disputeId = await openDispute(service, trial.admin, processorId)
    await chargebacks.lose(disputeId)
    assert.deepEqual([await owed(earner), await trial.available(earner)], [-4_000_000n, '4.00'])
    return { earner, market, chargebackId: (await chargebacks.chargebackOf(disputeId)) ?? '' }
  }

  async function earn(market: Market): Promise<void> {
    await trial.release(market, await trial.delivered(market))
  }

  test('is retained from the next commissions that it is paid', async () => {
    const { earner, market } = await debtor()
    await earn(market)
    await earn(market)
    await service.advance(DAY)
    const { status, text, body } = await trial.payOut(earner)
    assert.equal(status, 201, text)
    assert.deepEqual(
      body.payments.map(({ amount, recovered }) => [amount, recovered]),
      [['8.00', '4.00']],
    )
    assert.deepEqual([await owed(earner), await trial.available(earner)], [0n, '8.00'])
    assert.equal((await trial.sums(earner)).paid, '8.00')
  })

  test('is in the list of chargebacks, and can be written off there', async () => {
    const { earner, chargebackId } = await debtor()
    const open = Number((await chargebacks.read(chargebackId)).owed.open)
    const { status, body, text } = await chargebacks.writeOff(chargebackId)
    assert.equal(status, 200, text)
    const legs = await chargebacks.legsOf(body.journalId)
    assert.ok(legs?.includes(`5050->${accounts.receivable(earner.id)} 4`), `${open} is owed: ${legs?.join()}`)
    assert.deepEqual([await owed(earner), Number(body.chargeback.owed.open)], [0n, 0])
  })

  test('is retained by the payment of the month too, which says so', async () => {
    const { earner, market } = await debtor()
    await earn(market)
    await service.advance(32 * DAY)
    assert.deepEqual([await owed(earner), await trial.available(earner)], [0n, '4.00'])
    const mail = await service.http<{ items: { text: string }[] }>(
      'GET',
      `/sandbox/mail?to=${encodeURIComponent(earner.email)}`,
      { token: trial.admin },
    )
    assert.ok(mail.body.items.some(({ text }) => text.includes('Retained for what you owe: 4.00 USD')))
    const { findings } = await checkLedger(service.services.db, commissionChecks, { full: true })
    assert.deepEqual(findings, [])
  })
})
