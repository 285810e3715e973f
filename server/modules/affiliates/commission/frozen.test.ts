import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  AffiliateTrial,
  as,
  ChargebackTrial,
  openDispute,
  processorIdOf,
  sharedService,
  type TestService,
} from '#test'

suite('commissions of deals whose payment is disputed at the bank', () => {
  let service: TestService
  let trial: AffiliateTrial
  let chargebacks: ChargebackTrial
  before(async () => {
    service = await sharedService()
    trial = new AffiliateTrial(service, await service.adminToken())
    chargebacks = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  /** A delivered deal that a card paid and its bank disputes. */
  async function frozen() {
    const earner = await trial.affiliate()
    const market = await trial.market(earner, 1)
    const { escrowId } = await trial.deliveredByCard(market)
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, escrowId))
    const states = async () => (await trial.commissions(earner)).map(({ status }) => status)
    const released = await as(market, 'buyer', '/payments/ap2/release', { escrowId })
    assert.deepEqual([released.status, await states()], [409, ['EXPECTED']])
    return { market, escrowId, disputeId, states }
  }

  test('a frozen escrow earns nothing; once it is released it does', async () => {
    const { market, escrowId, disputeId, states } = await frozen()
    await chargebacks.win(disputeId)
    assert.deepEqual(await states(), ['EXPECTED'])
    await trial.release(market, { escrowId })
    assert.deepEqual(await states(), ['PENDING'])
  })

  test('a payment that is lost while the escrow is frozen earns nothing', async () => {
    const { disputeId, states } = await frozen()
    await chargebacks.lose(disputeId)
    assert.deepEqual(await states(), ['CANCELLED'])
  })
})
