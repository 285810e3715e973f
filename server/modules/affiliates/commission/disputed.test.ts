import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  AffiliateTrial,
  ChargebackTrial,
  openDispute,
  processorIdOf,
  startTestService,
  type Earner,
  type TestService,
} from '#test'

const DAY = 86_400

suite('commissions of a released deal whose payment a bank disputes', () => {
  let service: TestService
  let trial: AffiliateTrial
  let chargebacks: ChargebackTrial
  before(async () => {
    service = await startTestService()
    trial = new AffiliateTrial(service, await service.adminToken())
    chargebacks = await ChargebackTrial.of(service)
    // The end of a month pays by itself: no test may begin shortly before it.
    if (service.services.clock.now().getUTCDate() > 15) await service.advance(17 * DAY)
  })
  after(() => service.close())

  /** An affiliate with a commission of 4 dollars from a deal that a card paid, and the payment at the processor. */
  async function earned(): Promise<{ earner: Earner; dispute: () => Promise<string> }> {
    const earner = await trial.affiliate(undefined, { holdDays: 1 })
    const market = await trial.market(earner, 1)
    const { escrowId } = await trial.deliveredByCard(market)
    await trial.release(market, { escrowId })
    const processorId = await processorIdOf(service, escrowId)
    return { earner, dispute: () => openDispute(service, trial.admin, processorId) }
  }
  const states = async (earner: Earner) => (await trial.commissions(earner)).map(({ status }) => status)

  test('stay in their hold period until the bank has decided', async () => {
    const { earner, dispute } = await earned()
    const disputeId = await dispute()
    await service.advance(2 * DAY)
    assert.deepEqual(await states(earner), ['PENDING'])
    await chargebacks.win(disputeId)
    await service.advance(DAY + 60)
    assert.deepEqual(await states(earner), ['AVAILABLE'])
  })

  test('are not paid meanwhile if they are available, and leave no debt if the payment is lost', async () => {
    const [won, lost] = [await earned(), await earned()]
    await service.advance(DAY + 60)
    const disputeIds = [await won.dispute(), await lost.dispute()] as const
    for (const { earner } of [won, lost]) {
      const { status, body } = await trial.payOut(earner)
      assert.deepEqual([status, body.code], [409, 'NO_COMMISSION_AVAILABLE'])
    }
    await chargebacks.win(disputeIds[0])
    await chargebacks.lose(disputeIds[1])
    assert.equal((await trial.payOut(won.earner)).status, 201)
    assert.deepEqual([await states(won.earner), await states(lost.earner)], [['PAID'], ['CLAWED_BACK']])
    assert.equal(await trial.available(lost.earner), '0.00')
  })
})
