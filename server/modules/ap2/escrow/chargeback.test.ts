import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts } from '#ledger'
import {
  acceptedDeal,
  as,
  availableOf,
  ChargebackTrial,
  mailsSettled,
  mailsTo,
  mailTo,
  must,
  notifyOf,
  openDispute,
  openMarket,
  processorEvent,
  processorIdOf,
  readDeal,
  readEscrow,
  reservedDeal,
  startTestService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

const DAY = 86_400

suite('a chargeback of a payment into an escrow', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await startTestService()
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  /** A deal of 100 dollars, paid by card. */
  async function paidDeal(more: Record<string, unknown> = {}): Promise<{ market: Market; deal: DealView }> {
    const market = await openMarket(service, { amount: 1 })
    const { id: negotiationId } = await acceptedDeal(market, more)
    const body = { negotiationId, rail: 'card', paymentMethodId: 'pm_card_visa' }
    await must(market, 'buyer', '/payments/ap2/initiate', body)
    return { market, deal: await readDeal(market, negotiationId) }
  }
  const deliver = (market: Market, { id: negotiationId }: DealView) =>
    must(market, 'seller', '/ap2/deliver', { negotiationId, result: 'done' })
  const release = (market: Market, escrowId: string, amount?: number) =>
    as<{ message: string }>(market, 'buyer', '/payments/ap2/release', {
      escrowId,
      amount,
      acceptUnverified: true,
    })
  /** The bank takes the payment back; `cents` for a part of it. */
  async function dispute({ escrowId }: DealView, cents?: number): Promise<{ disputeId: string; id: string }> {
    const processorId = await processorIdOf(service, escrowId)
    if (cents !== undefined) await trial.breakProcessor('not_reached')
    const disputeId = await openDispute(service, trial.admin, processorId)
    if (cents !== undefined) {
      await trial.dropEvents(disputeId)
      await trial.change(disputeId, { amount: cents })
      await trial.emit('charge.dispute.created', { id: disputeId })
    }
    const id = await trial.chargebackOf(disputeId)
    assert.ok(id, 'no chargeback was opened')
    return { disputeId, id }
  }
  /** The legs of a lost chargeback, with the names of the accounts of a deal. */
  async function lossOf({ market, deal }: { market: Market; deal: DealView }, id: string): Promise<string[]> {
    const [row] = await trial.query<{ seller: string }>(
      'select seller_wallet_id as seller from ap2_escrow where id = $1',
      [deal.escrowId],
    )
    const names: Record<string, string> = {
      [accounts.escrow(deal.escrowId)]: 'escrow',
      [accounts.wallet(row?.seller ?? '')]: 'seller',
      [accounts.receivable(market.agent.owner.id)]: 'seller owes',
      [accounts.wallet(market.buyer.walletId)]: 'buyer',
      [accounts.receivable(market.buyer.id)]: 'buyer owes',
    }
    const legs = (await trial.legsOf((await trial.read(id)).closedJournalId)) ?? []
    return legs.map(leg => leg.replace(/^[^-]+(?:-[^>][^-]*)*(?=->)/, account => names[account] ?? account))
  }

  test('opened: freezes; won: the escrow is what it was, its timers with the time that was left', async () => {
    const { market, deal } = await paidDeal()
    await deliver(market, deal)
    const before = await readEscrow(market, deal.escrowId)
    const { disputeId, id } = await dispute(deal)
    const frozen = await readEscrow(market, deal.escrowId)
    assert.deepEqual(
      [frozen.status, frozen.originalStatus, frozen.freezes, frozen.held],
      ['FROZEN', 'HELD', [`chargeback:${disputeId}`], '100.00'],
    )
    const refused = await release(market, deal.escrowId)
    assert.deepEqual([refused.status, refused.body.message], [409, 'Escrow frozen'])
    await mailTo(service, market.agent.owner.email, /disputes a payment of 100.00 USD/)
    await service.advance(3 * DAY)
    await trial.win(disputeId)
    assert.deepEqual(await trial.legsOf((await trial.read(id)).closedJournalId), ['1010->1040 100'])
    const resumed = await readEscrow(market, deal.escrowId)
    const moved = (Date.parse(resumed.autoReleaseAt ?? '') - Date.parse(before.autoReleaseAt ?? '')) / 1000
    assert.deepEqual([resumed.status, resumed.freezes], ['HELD', []])
    assert.ok(Math.abs(moved - 3 * DAY) < 60, `the release timer moved by ${moved} s`)
    assert.equal((await release(market, deal.escrowId)).status, 201)
  })

  test('lost while it is held: the escrow pays, and is REFUNDED', async () => {
    const { market, deal } = await paidDeal()
    const { disputeId, id } = await dispute(deal)
    await trial.lose(disputeId)
    assert.deepEqual(await lossOf({ market, deal }, id), ['escrow->1040 100'])
    const ended = await readDeal(market, deal.id)
    assert.deepEqual(
      [ended.status, ended.escrow.status, ended.escrow.held, ended.escrow.freezes, ended.escrow.refunded],
      ['REFUNDED', 'REFUNDED', '0.00', [], '100.00'],
    )
    assert.equal(
      await availableOf(service, market.buyer),
      '1.00',
      'the card holder has the money, not the wallet',
    )
    const about = (text: string) => new RegExp(`${text}[\\s\\S]*${deal.id}`)
    const taken = 'The bank of the card took back 100\\.00 USD'
    await mailTo(service, market.buyer.email, about(taken))
    await mailTo(service, market.agent.owner.email, about(taken))
    await mailsSettled(service)
    for (const { email } of [market.buyer, market.agent.owner])
      for (const { subject, text } of await mailsTo(service, email)) {
        assert.doesNotMatch(subject, /refunded/)
        assert.doesNotMatch(text, /back with you|in your wallet/)
      }
    assert.equal(
      (await as(market, 'buyer', `/payments/ap2/escrows/${deal.escrowId}/reconciliation`)).text.includes(
        '"ok":true',
      ),
      true,
    )
  })

  test('a disputed escrow is disputed again when it is won; when it is lost, the dispute has ended', async () => {
    for (const won of [true, false]) {
      const { market, deal } = await paidDeal()
      await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, { reason: 'wrong' })
      const { disputeId } = await dispute(deal)
      assert.equal((await readEscrow(market, deal.escrowId)).originalStatus, 'DISPUTED')
      await (won ? trial.win(disputeId) : trial.lose(disputeId))
      assert.equal((await readEscrow(market, deal.escrowId)).status, won ? 'DISPUTED' : 'REFUNDED')
    }
  })

  test('another freeze outlasts a chargeback that was won, and does not protect from one that was lost', async () => {
    for (const won of [true, false]) {
      const { market, deal } = await paidDeal()
      await service.http('POST', `/agents/${market.agent.id}/revoke-key`, { token: market.agent.owner.token })
      const { disputeId } = await dispute(deal)
      await (won ? trial.win(disputeId) : trial.lose(disputeId))
      const { status, freezes } = await readEscrow(market, deal.escrowId)
      assert.deepEqual(
        [status, freezes],
        won ? ['FROZEN', [`agent_keys_revoked:${market.agent.id}`]] : ['REFUNDED', []],
      )
    }
  })

  test('lost after a part was released: the escrow, then the seller, who owes the fee of the platform', async () => {
    const { market, deal } = await paidDeal()
    assert.equal((await release(market, deal.escrowId, 40)).status, 201)
    const { disputeId, id } = await dispute(deal)
    await trial.lose(disputeId)
    assert.deepEqual(await lossOf({ market, deal }, id), [
      'escrow->1040 60',
      'seller->1040 32',
      'seller owes->1040 8',
    ])
    assert.equal((await readEscrow(market, deal.escrowId)).status, 'SPLIT')
  })

  test('lost after the release: the seller pays, also when it was released in spite of the chargeback', async () => {
    const released = await paidDeal()
    await release(released.market, released.deal.escrowId)
    const late = await dispute(released.deal)
    await trial.lose(late.disputeId)
    assert.deepEqual(await lossOf(released, late.id), ['seller->1040 80', 'seller owes->1040 20'])
    assert.equal((await readEscrow(released.market, released.deal.escrowId)).status, 'RELEASED')
    const lifted = await paidDeal()
    const early = await dispute(lifted.deal)
    await must(lifted.market, 'operator', `/payments/escrow/${lifted.deal.escrowId}/unfreeze`, {
      reason: 'trusted',
    })
    assert.equal((await release(lifted.market, lifted.deal.escrowId, 100)).status, 201)
    await trial.lose(early.disputeId)
    assert.deepEqual(await lossOf(lifted, early.id), ['seller->1040 80', 'seller owes->1040 20'])
  })

  test('lost after the operator lifted the freeze: what is held pays', async () => {
    const { market, deal } = await paidDeal()
    const { disputeId, id } = await dispute(deal)
    await must(market, 'operator', `/payments/escrow/${deal.escrowId}/unfreeze`, { reason: 'trusted' })
    await trial.lose(disputeId)
    assert.deepEqual(await lossOf({ market, deal }, id), ['escrow->1040 100'])
    assert.equal((await readEscrow(market, deal.escrowId)).status, 'REFUNDED')
  })

  test('lost after a refund to the wallet of the buyer: the buyer pays twice, and not the seller', async () => {
    const { market, deal } = await paidDeal()
    await must(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {})
    await trial.pay(market.buyer, market.outsider, 91)
    const { disputeId, id } = await dispute(deal)
    await trial.lose(disputeId)
    assert.deepEqual(await lossOf({ market, deal }, id), ['buyer->1040 9', 'buyer owes->1040 91'])
  })

  test('a part that is lost leaves the rest frozen, until an operator resolves it', async () => {
    const { market, deal } = await paidDeal()
    const { disputeId, id } = await dispute(deal, 3000)
    await trial.lose(disputeId)
    assert.deepEqual(await lossOf({ market, deal }, id), ['escrow->1040 30'])
    const { status, held, freezes } = await readEscrow(market, deal.escrowId)
    assert.deepEqual([status, held, freezes], ['FROZEN', '70.00', [`chargeback_lost:${disputeId}`]])
    const refused = await as<{ message: string; hint: string }>(
      market,
      'operator',
      `/payments/escrow/${deal.escrowId}/unfreeze`,
      {},
    )
    assert.equal(refused.status, 409)
    assert.match(refused.text, /resolve it/)
    await must(market, 'operator', `/payments/escrow/${deal.escrowId}/resolve`, {
      outcome: 'RELEASE',
      reason: 'the work was done',
    })
    const ended = await readEscrow(market, deal.escrowId)
    assert.deepEqual(
      [ended.status, ended.released, ended.refunded, ended.fee],
      ['SPLIT', '70.00', '30.00', '14.00'],
    )
  })

  test('money that came too late for its escrow is in the wallet of the buyer, which is frozen and pays', async () => {
    const market = await openMarket(service, { amount: 1 })
    const deal = await reservedDeal(market)
    await service.advance(DAY)
    assert.equal((await readEscrow(market, deal.escrowId)).status, 'CANCELLED')
    const [checkout] = await trial.query<{ id: string }>(
      'select checkout_id as id from payments_intent where id = $1',
      [deal.escrowId],
    )
    assert.ok(checkout?.id)
    const object = {
      id: `pi_late_${deal.escrowId}`,
      amount_received: 10_000,
      currency: 'usd',
      metadata: { paymentId: deal.escrowId },
      balance_transaction: { fee: 320 },
    }
    await notifyOf(service, processorEvent('payment_intent.succeeded', object))
    assert.equal(await availableOf(service, market.buyer), '101.00')
    // The simulated processor knows nothing of this payment: the dispute is written as it would store one.
    const disputeId = `du_late_${deal.escrowId}`
    await trial.query(
      `insert into platform_processor_object (id, kind, idempotency_key, status, body, created_at)
        select $1, 'dispute', $2, 'needs_response', jsonb_build_object('id', $1::text, 'payment_intent', $2::text, 'amount', 10000,
          'currency', 'usd', 'reason', 'general', 'status', 'needs_response', 'balance_transactions', '[]'::jsonb,
          'evidence_details', jsonb_build_object('due_by', null)), now()`,
      [disputeId, object.id],
    )
    await trial.emit('charge.dispute.created', { id: disputeId })
    assert.deepEqual(await trial.outcomesOf(disputeId), ['booked'])
    assert.equal((await trial.pay(market.buyer, market.outsider, 2)).body.code, 'ACCOUNT_FROZEN')
    await trial.change(disputeId, { status: 'lost' })
    await trial.emit('charge.dispute.closed', { id: disputeId })
    assert.equal(await availableOf(service, market.buyer), '1.00')
  })

  test('releases and a chargeback at once: whoever comes first, the seller pays what it got', async () => {
    for (let round = 0; round < 3; round++) {
      const { market, deal } = await paidDeal()
      const [opened, ...answers] = await Promise.all([
        dispute(deal),
        ...Array.from({ length: 6 }, () => release(market, deal.escrowId, 20)),
      ])
      const released = answers.filter(({ status }) => status === 201).length * 20
      await trial.lose(opened.disputeId)
      const escrow = await readEscrow(market, deal.escrowId)
      assert.deepEqual(
        [Number(escrow.released), Number(escrow.refunded), escrow.held],
        [released, 100 - released, '0.00'],
      )
      const { open } = (await trial.read(opened.id)).owed
      assert.equal(Number(open), released * 0.2)
    }
  })
})
