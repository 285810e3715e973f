import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { loadLedgerChecks } from '#app'
import { checkLedger } from '#ledger'
import {
  acceptedDeal,
  cardDeal,
  availableOf,
  ChargebackTrial,
  eventually,
  fundingBy,
  must,
  openDispute,
  openMarket,
  processorIdOf,
  readDeal,
  startTestService,
  type TestService,
} from '#test'

const HOUR = 3600

suite('what a buyer owes from a lost chargeback', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await startTestService()
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  const lose = async (paymentId: string) => {
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, paymentId))
    await trial.lose(disputeId)
    return disputeId
  }
  const owed = async (disputeId: string) => (await trial.read(await trial.chargebackOf(disputeId))).owed.open
  const findings = async () =>
    (await checkLedger(service.services.db, await loadLedgerChecks(), { full: true })).findings

  test('is taken from the refund of an escrow that the lost top-up had paid', async () => {
    const market = await openMarket(service, { amount: 1 })
    const paymentId = await fundingBy(service, market.buyer, 130)
    const { id: negotiationId } = await acceptedDeal(market)
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId })
    const disputeId = await lose(paymentId)
    assert.deepEqual([await owed(disputeId), await availableOf(service, market.buyer)], ['100.00', '1.00'])
    const { escrowId } = await readDeal(market, negotiationId)
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    assert.deepEqual([await owed(disputeId), await availableOf(service, market.buyer)], ['0.00', '1.00'])
    const { escrow } = await readDeal(market, negotiationId)
    assert.deepEqual([escrow.status, escrow.refunded], ['REFUNDED', '100.00'])
    assert.deepEqual(await findings(), [])
  })

  test('is taken from a refund to the card that fails', async () => {
    const market = await openMarket(service, { amount: 1 })
    const { escrowId } = await cardDeal(market, 'pm_card_refundFail')
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, { to: 'card' })
    const status = async () =>
      (
        await trial.query<{ status: string }>('select status from payments_refund where payment_id = $1', [
          escrowId,
        ])
      )[0]?.status
    await eventually('the refund is made', async () => (await status()) === 'SUCCEEDED')
    const paymentId = await fundingBy(service, market.buyer, 60)
    assert.equal((await trial.pay(market.buyer, market.outsider, 60)).status, 201)
    const disputeId = await lose(paymentId)
    assert.equal(await owed(disputeId), '60.00')
    await service.advance(2 * HOUR)
    await eventually('the refund has failed', async () => (await status()) === 'FAILED')
    assert.deepEqual([await owed(disputeId), await availableOf(service, market.buyer)], ['0.00', '41.00'])
    assert.deepEqual(await findings(), [])
  })
})
