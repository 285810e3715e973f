import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  acceptedDeal,
  AffiliateTrial,
  availableOf,
  ChargebackTrial,
  mine,
  must,
  notifyOf,
  openDispute,
  openMarket,
  Payer,
  PayoutTrial,
  pendingPage,
  processorEvent,
  processorIdOf,
  publishAgent,
  registerHuman,
  sharedChainService,
  type TestService,
  type X402Answer,
} from '#test'

const HOUR = 3600
const DAY = 86_400

/** Each test is named by a defect of earlier systems. */
suite('defects of earlier systems: processor, chain and payouts', () => {
  let service: TestService
  before(async () => {
    service = await sharedChainService()
  })
  after(() => service.close())

  const rows = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await service.services.db.pool.query<Row>(text, values)).rows
  const many = <T>(times: number, send: () => Promise<T>) => Promise.all(Array.from({ length: times }, send))

  test('x402 payments were accepted on any confirmed hash', async () => {
    const owner = await registerHuman(service)
    const [agent, other] = [await publishAgent(service, owner), await publishAgent(service, owner)]
    const payer = await Payer.open(service, 20)
    const request = async (agentId: string) =>
      (
        await service.http<X402Answer>('POST', '/payments/x402/initiate', {
          token: owner.token,
          body: { agentId, amount: 5 },
        })
      ).body
    const [wanted, elsewhere] = [await request(agent.id), await request(other.id)]
    const { pathname } = new URL(wanted.payUrl)
    const pay = async (authorization: Record<string, string>) =>
      (
        await service.http<X402Answer>('GET', pathname, {
          headers: await payer.header(pathname, { authorization }),
        })
      ).status
    // Signed and valid on the chain, and not what was asked for.
    assert.equal(await pay({ to: elsewhere.paymentRequest.to }), 402)
    assert.equal(await pay({ value: '4999999' }), 402)
    // Confirmed transfers of another recipient, asset and amount.
    await payer.transfer(payer.account.address, 5_000_000n)
    await payer.transfer(wanted.paymentRequest.to, 5_000_000n, await payer.otherToken())
    await payer.transfer(wanted.paymentRequest.to, 4_999_999n)
    await mine(service)
    const { body } = await service.http<X402Answer>('GET', new URL(wanted.statusUrl).pathname)
    assert.equal(body.status, 'PENDING')
    const wallets = await service.http<{ wallets: { currency: string }[] }>(
      'GET',
      `/wallets/agent/${agent.id}`,
      {
        token: owner.token,
      },
    )
    assert.deepEqual(
      wallets.body.wallets.map(({ currency }) => currency),
      ['USD'],
      'no USDC was credited',
    )
  })

  test('a webhook signature was optional', async () => {
    const { payer, intent } = await pendingPage(service, 10)
    const event = processorEvent('payment_intent.succeeded', intent)
    const unsigned: Record<string, string>[] = [
      {},
      { 'payment-processor-signature': '' },
      { 'payment-processor-signature': 't=1,v1=00' },
    ]
    const path = '/webhooks/payment-processor/payment-intent'
    for (const headers of unsigned) {
      const { status } = await service.http('POST', path, { body: event, headers })
      assert.equal(status, 400)
    }
    assert.equal(await availableOf(service, payer), '0.00')
    assert.equal((await notifyOf(service, event)).status, 200)
    assert.equal(await availableOf(service, payer), '10.00')
  })

  test('a payout failure that arrived after success was discarded', async () => {
    const trial = new PayoutTrial(service, await registerHuman(service))
    await trial.ready(30, '000999999991')
    const id = await trial.requested(30)
    await trial.send(id)
    await service.advance(HOUR + DAY)
    assert.equal(await trial.statusOf(id), 'PAID')
    await service.advance(2 * DAY)
    assert.deepEqual([await trial.statusOf(id), (await trial.wallet())[0]], ['RETURNED', '30.00'])
  })

  test('a duplicated webhook ran its effect twice', async () => {
    const { payer, intent } = await pendingPage(service, 10)
    const event = processorEvent('payment_intent.succeeded', intent)
    await many(6, () => notifyOf(service, event))
    // The same news under another event id.
    await notifyOf(service, processorEvent('payment_intent.succeeded', intent))
    assert.equal(await availableOf(service, payer), '10.00')
  })

  test('affiliates were credited for commission that was clawed back', async () => {
    const trial = await ChargebackTrial.of(service)
    const username = `bringer_${newId().slice(-12)}`
    type Registered = { user: { id: string }; accessToken: string; referralCode: string }
    const affiliate = await service.http<Registered>('POST', '/auth/register-agent', {
      body: { username, walletType: 'managed' },
    })
    assert.equal(affiliate.status, 201, affiliate.text)
    const { user, accessToken: token, referralCode } = affiliate.body
    const affiliates = new AffiliateTrial(service, trial.admin)
    const market = await openMarket(service, { amount: 1 })
    market.buyer = await affiliates.referred({ code: referralCode })
    const { id: negotiationId } = await acceptedDeal(market)
    const order = { negotiationId, rail: 'card', paymentMethodId: 'pm_card_visa' }
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', order)
    await must(market, 'seller', '/ap2/deliver', { negotiationId, result: 'done' })
    assert.equal((await affiliates.release(market, { escrowId })).commission, '4.00')
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, escrowId))
    await trial.lose(disputeId)
    await service.advance(31 * DAY)
    const wallet = await service.http<{ available: string }>('GET', `/wallets/user/${user.id}`, { token })
    assert.equal(wallet.body.available, '0.00')
    const [commission] = await affiliates.commissions({ token })
    assert.deepEqual([commission?.status, commission?.clawedBack], ['CLAWED_BACK', '4.00'])
    const left = await rows(
      "select account from ledger_balance where account like '205_:%' and account like $1 and balance > 0",
      [`%${commission?.affiliateId}%`],
    )
    assert.deepEqual(left, [])
  })
})
