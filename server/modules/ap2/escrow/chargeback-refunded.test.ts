import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { loadLedgerChecks } from '#app'
import { accounts, checkLedger } from '#ledger'
import {
  cardDeal,
  availableOf,
  ChargebackTrial,
  eventually,
  fundingBy,
  mailTo,
  must,
  openDispute,
  openMarket,
  processorIdOf,
  sharedService,
  type Market,
  type TestService,
} from '#test'

suite('a chargeback of a payment that an escrow has refunded to a wallet', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await sharedService()
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  /** A deal of 100 dollars, paid by card. */
  async function paidDeal(): Promise<{ market: Market; escrowId: string }> {
    const market = await openMarket(service, { amount: 1 })
    return { market, escrowId: (await cardDeal(market)).escrowId }
  }
  /** Of which 40 were released and 60 refunded. */
  async function endedDeal() {
    const paid = await paidDeal()
    const { market, escrowId } = paid
    await must(market, 'buyer', '/payments/ap2/release', { escrowId, amount: 40, acceptUnverified: true })
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    return paid
  }
  const dispute = async (escrowId: string) =>
    openDispute(service, trial.admin, await processorIdOf(service, escrowId))
  const decide = (disputeId: string, won: boolean) => (won ? trial.win(disputeId) : trial.lose(disputeId))
  /** More than the test credit of the wallet, which no chargeback freezes. */
  const pay = ({ buyer, outsider }: Market) => trial.pay(buyer, outsider, 2)
  const topUpWallet = ({ buyer }: Market) => fundingBy(service, buyer, 5)
  /** How much of a lost amount each account pays. */
  async function lossOf({ buyer, agent }: Market, disputeId: string): Promise<Record<string, number>> {
    const { closedJournalId } = await trial.read(await trial.chargebackOf(disputeId))
    const names: Record<string, string> = {
      [accounts.wallet(buyer.walletId)]: 'buyer',
      [accounts.receivable(agent.owner.id)]: 'seller owes',
    }
    const legs = (await trial.legsOf(closedJournalId)) ?? []
    return Object.fromEntries(
      legs.map(leg => {
        const [account = '', rest = ''] = leg.split('->')
        return [names[account] ?? 'seller', Number(rest.split(' ')[1])]
      }),
    )
  }
  const findings = async () =>
    (await checkLedger(service.services.db, await loadLedgerChecks(), { full: true })).findings

  test('freezes that wallet until the bank decides', async () => {
    for (const won of [true, false]) {
      const { market, escrowId } = await endedDeal()
      const disputeId = await dispute(escrowId)
      const refused = await pay(market)
      assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
      await mailTo(service, market.buyer.email, /is a wallet to which a part of it was refunded/)
      assert.deepEqual(await findings(), [])
      await decide(disputeId, won)
      if (!won) await topUpWallet(market)
      assert.equal((await pay(market)).status, 201, 'the wallet is free again')
      if (!won) assert.deepEqual(await lossOf(market, disputeId), { seller: 32, 'seller owes': 8, buyer: 60 })
    }
  })

  test('of a part that was released leaves that wallet free', async () => {
    const { market, escrowId } = await endedDeal()
    await trial.breakProcessor('not_reached')
    const disputeId = await dispute(escrowId)
    await trial.dropEvents(disputeId)
    await trial.change(disputeId, { amount: 4000 })
    await trial.emit('charge.dispute.created', { id: disputeId })
    assert.ok(await trial.chargebackOf(disputeId))
    assert.equal((await pay(market)).status, 201)
    await trial.lose(disputeId)
    assert.equal(await availableOf(service, market.buyer), '59.00')
  })

  test('freezes that wallet if a refund to the card, which an operator orders meanwhile, ends there', async () => {
    const { market, escrowId } = await paidDeal()
    const disputeId = await dispute(escrowId)
    const order = { outcome: 'REFUND', to: 'card', reason: 'nothing was done' }
    await must(market, 'operator', `/payments/escrow/${escrowId}/resolve`, order)
    await eventually('the refund has failed', async () => {
      const [refund] = await trial.query<{ status: string }>(
        'select status from payments_refund where payment_id = $1',
        [escrowId],
      )
      return refund?.status === 'FAILED'
    })
    assert.equal(await availableOf(service, market.buyer), '101.00')
    assert.equal((await pay(market)).body.code, 'ACCOUNT_FROZEN')
    await trial.lose(disputeId)
    assert.deepEqual(await lossOf(market, disputeId), { buyer: 100 })
    assert.deepEqual(await findings(), [])
  })

  test('keeps a refund frozen that an operator orders meanwhile', async () => {
    for (const won of [true, false]) {
      const { market, escrowId } = await paidDeal()
      const disputeId = await dispute(escrowId)
      const order = { outcome: 'SPLIT', sellerBps: 5000, reason: 'half was done' }
      await must(market, 'operator', `/payments/escrow/${escrowId}/resolve`, order)
      assert.equal((await pay(market)).body.code, 'ACCOUNT_FROZEN')
      assert.deepEqual(await findings(), [])
      await decide(disputeId, won)
      if (!won) await topUpWallet(market)
      assert.equal((await pay(market)).status, 201)
      if (!won)
        assert.deepEqual(await lossOf(market, disputeId), { seller: 40, 'seller owes': 10, buyer: 50 })
    }
  })
})
