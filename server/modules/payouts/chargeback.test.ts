import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { loadLedgerChecks } from '#app'
import { checkLedger } from '#ledger'
import {
  cardDeal,
  as,
  ChargebackTrial,
  connectBank,
  fundingBy,
  mailTo,
  must,
  openDispute,
  openMarket,
  PayoutTrial,
  processorIdOf,
  registerHuman,
  startTestService,
  type TestService,
} from '#test'

const HOUR = 3600

suite('payouts of money that a bank takes back', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await startTestService({ PAYOUT_HOLD_MINUTES: '10', PAYOUT_REVIEW_USD: '100' })
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  async function funded(amount: number, accountNumber?: string) {
    const person = await registerHuman(service)
    const payouts = new PayoutTrial(service, person)
    await connectBank(service, person.token, accountNumber === undefined ? {} : { accountNumber })
    const paymentId = await fundingBy(service, person, amount)
    return { person, payouts, paymentId }
  }
  const dispute = async (paymentId: string) =>
    openDispute(service, trial.admin, await processorIdOf(service, paymentId))
  const owed = async (disputeId: string) => (await trial.read(await trial.chargebackOf(disputeId))).owed.open
  const findings = async () =>
    (await checkLedger(service.services.db, await loadLedgerChecks(), { full: true })).findings

  test('that wait or are under review pay the bank first, with a mail', async () => {
    for (const [amount, state] of [
      [60, 'REQUESTED'],
      [150, 'REVIEW'],
    ] as const) {
      const { person, payouts, paymentId } = await funded(amount)
      const id = await payouts.requested(amount)
      assert.equal(await payouts.statusOf(id), state)
      const disputeId = await dispute(paymentId)
      await trial.lose(disputeId)
      const canceled = await payouts.find(id)
      assert.deepEqual(
        [canceled.status, canceled.failureCode, canceled.failureReason],
        ['CANCELED', 'CHARGED_BACK', 'A bank took back money of the wallet'],
      )
      assert.deepEqual([await owed(disputeId), await payouts.wallet()], ['0.00', ['0.00', '0.00', '0.00']])
      await mailTo(service, person.email, /a bank took back a payment[^]*What is left of the money/)
      await service.advance(11 * 60)
      assert.equal(await payouts.sentTimes(id), 0)
    }
    assert.deepEqual(await findings(), [])
  })

  test('are left alone if the wallet holds enough', async () => {
    const { payouts, paymentId } = await funded(40)
    await fundingBy(service, payouts.person, 50)
    const id = await payouts.requested(50)
    await trial.lose(await dispute(paymentId))
    assert.deepEqual([await payouts.statusOf(id), (await payouts.wallet())[0]], ['REQUESTED', '0.00'])
    await payouts.send(id)
  })

  test('due at the moment of the loss are sent, and owed, or pay the bank', async () => {
    for (let round = 0; round < 4; round++) {
      const { payouts, paymentId } = await funded(20)
      const id = await payouts.requested(20)
      const disputeId = await dispute(paymentId)
      await Promise.all([service.advance(11 * 60), trial.lose(disputeId)])
      const isSent = (await payouts.statusOf(id)) !== 'CANCELED'
      assert.equal(await owed(disputeId), isSent ? '20.00' : '0.00')
    }
    assert.deepEqual(await findings(), [])
  })

  test('that come back pay what their owner owes by then', async () => {
    const { payouts, paymentId } = await funded(60, '000999999991')
    const id = await payouts.requested(60)
    await payouts.send(id)
    await service.advance(26 * HOUR)
    assert.equal(await payouts.statusOf(id), 'PAID')
    const disputeId = await dispute(paymentId)
    await trial.lose(disputeId)
    assert.equal(await owed(disputeId), '60.00')
    await service.advance(48 * HOUR)
    assert.deepEqual([await payouts.statusOf(id), (await payouts.wallet())[0]], ['RETURNED', '0.00'])
    assert.equal(await owed(disputeId), '0.00')
    assert.deepEqual(await findings(), [])
  })

  test('of a seller pay for a released deal whose payment is lost', async () => {
    const market = await openMarket(service, { amount: 1 })
    const { escrowId } = await cardDeal(market)
    await must(market, 'buyer', '/payments/ap2/release', { escrowId, acceptUnverified: true })
    const { agent } = market
    await connectBank(service, agent.owner.token, { agentId: agent.id })
    const requested = await as<{ id: string }>(market, 'seller', '/payouts/request', {
      agentId: agent.id,
      amount: 80,
    })
    assert.equal(requested.status, 201, requested.text)
    const disputeId = await dispute(escrowId)
    await trial.lose(disputeId)
    assert.equal(await owed(disputeId), '20.00')
    const history = await service.http<{ items: { status: string }[] }>(
      'GET',
      `/payouts/history/${agent.id}`,
      {
        token: agent.owner.token,
      },
    )
    assert.deepEqual(
      history.body.items.map(({ status }) => status),
      ['CANCELED'],
    )
    assert.deepEqual(await findings(), [])
  })
})
