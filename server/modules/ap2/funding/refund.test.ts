import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelUnfundedDealsOf } from '#ap2'
import { accounts, balanceOf, journalsOf } from '#ledger'
import { sql } from '#platform/kernel/sql'
import {
  acceptedDeal,
  as,
  mailTo,
  mailsSettled,
  mailsTo,
  must,
  openMarket,
  PayoutTrial,
  startTestService,
  type EscrowView,
  type Market,
  type Person,
  type TestService,
} from '#test'

interface Refunded {
  status: string
  refund?: { id: string; status: string; amount: string }
  message: string
  transaction: { legs: { debit: string; credit: string; amount: string }[] }
}
interface Reconciled {
  ok: boolean
  external: { rail: string; reference: string; amount: string; state: string; matched: boolean }[]
}

suite('refunds to the card', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await startTestService({ PAYOUT_HOLD_MINUTES: '10' })
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 200 })
  })
  after(() => service.close())

  const held = async (paymentMethodId = 'pm_card_visa', more: object = {}) => {
    const { id } = await acceptedDeal(market)
    const body = { negotiationId: id, rail: 'card', paymentMethodId, ...more }
    return (await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', body)).escrowId
  }
  const refund = (escrowId: string, body: object = { to: 'card' }) =>
    as<Refunded>(market, 'seller', `/payments/escrow/${escrowId}/refund`, body)
  const books = (escrowId: string) =>
    must<Reconciled>(market, 'buyer', `/payments/ap2/escrows/${escrowId}/reconciliation`)
  const balance = (account: string) => balanceOf(service.services.db, account, 'USD')
  const wallet = () => balance(accounts.wallet(market.buyer.walletId))
  const outage = (body: object) => must(market, 'operator', '/sandbox/processor/faults', body)
  const refundsAtProcessor = async () =>
    (
      await service.services.db.pool.query<{ count: number }>(
        "select count(*)::int from platform_processor_object where kind = 'refund'",
      )
    ).rows[0]?.count

  async function untilRefundIs(escrowId: string, state: string) {
    for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
      const { ok, external } = await books(escrowId)
      if (external.at(-1)?.state === state) return { ok, external }
      assert.ok(Date.now() < deadline, `refund is ${external.at(-1)?.state}, not ${state}`)
    }
  }

  test('goes from the escrow to the processor, and the payer gets a receipt', async () => {
    const escrowId = await held('pm_card_visa', { receipt: true })
    const processor = await balance(accounts.processor)
    const { status, body, text } = await refund(escrowId)
    assert.equal(status, 201, text)
    assert.deepEqual(
      [body.status, body.refund?.status, body.refund?.amount],
      ['REFUNDED', 'PENDING', '100.00'],
    )
    assert.deepEqual(
      body.transaction.legs.map(({ debit, credit, amount }) => [debit, credit, amount]),
      [[accounts.escrow(escrowId), accounts.processor, '100.00']],
    )
    const { ok, external } = await untilRefundIs(escrowId, 'SUCCEEDED')
    assert.deepEqual(
      [ok, ...external.map(({ rail, amount, matched }) => `${rail} ${amount} ${matched}`)],
      [true, 'card 100.00 true', 'card -100.00 true'],
    )
    assert.match(external[1]?.reference ?? '', /^re_/)
    assert.deepEqual(
      [
        (await balance(accounts.processor)) - processor,
        await wallet(),
        await balance(accounts.escrow(escrowId)),
      ],
      [100_000_000n, 0n, 0n],
    )
    assert.match((await mailTo(service, market.buyer.email, /went back to your card/)).text, /100\.00 USD/)
    assert.equal((await refund(escrowId)).status, 409)
  })

  test('what a card cannot take goes to the wallet, after a part was released', async () => {
    const escrowId = await held()
    const release = { escrowId, amount: '40.005', acceptUnverified: true }
    await must(market, 'buyer', '/payments/ap2/release', release)
    const { body } = await refund(escrowId)
    assert.deepEqual([body.status, body.refund?.amount], ['SPLIT', '59.99'])
    assert.equal(await wallet(), 5_000n)
    const mail = /59\.99 USD of the money .* is on its way back to the card\. The rest is in your wallet/
    const { text } = await mailTo(service, market.buyer.email, mail)
    assert.match(text, /Refunded: 59\.995 USD, of a price of 100\.00 USD/)
    const escrow = await must<EscrowView>(market, 'buyer', `/payments/escrow/${escrowId}`)
    assert.deepEqual([escrow.released, escrow.refunded], ['40.005', '59.995'])
    assert.equal((await untilRefundIs(escrowId, 'SUCCEEDED')).ok, true)
  })

  test('a pending refund succeeds later, and one that fails credits the wallet, once', async () => {
    const [pending, failing] = [await held('pm_card_pendingRefund'), await held('pm_card_refundFail')]
    await refund(pending)
    await refund(failing)
    await untilRefundIs(failing, 'SUCCEEDED')
    assert.equal((await books(pending)).external.at(-1)?.state, 'PENDING')
    await service.advance(3600)
    await untilRefundIs(pending, 'SUCCEEDED')
    await untilRefundIs(failing, 'FAILED')
    assert.equal(await wallet(), 100_000_000n)
    assert.match(
      (await mailTo(service, market.buyer.email, /could not be made to your card/)).text,
      /in the wallet/,
    )
    const legs = (await journalsOf(service.services.db, accounts.wallet(market.buyer.walletId))).filter(
      ({ kind }) => kind === 'refund_failed',
    )
    assert.deepEqual(
      legs.map(({ debit, credit, amount }) => [debit, credit, amount]),
      [[accounts.processor, accounts.wallet(market.buyer.walletId), 100_000_000n]],
    )
    await service.advance(3 * 24 * 3600)
    await mailsSettled(service)
    const mails = await mailsTo(service, market.buyer.email)
    assert.deepEqual(
      [mails.filter(({ text }) => /could not be made/.test(text)).length, await wallet()],
      [1, 100_000_000n],
    )
  })

  test('without an answer it is sent again and made once', async () => {
    for (const kind of ['not_reached', 'answer_lost']) {
      const escrowId = await held()
      const before = (await refundsAtProcessor()) ?? 0
      await outage({ kind, count: 1, silent: true })
      assert.equal((await refund(escrowId)).body.refund?.status, 'PENDING')
      for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20))
        if (
          !(await service.services.db.pool.query('select from platform_processor_fault where remaining > 0'))
            .rowCount
        )
          break
      await service.advance(61)
      await untilRefundIs(escrowId, 'SUCCEEDED')
      assert.equal(await refundsAtProcessor(), before + 1, kind)
    }
  })

  test('only a card that paid takes a refund', async () => {
    const { id } = await acceptedDeal(market)
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
      negotiationId: id,
    })
    const refused = await refund(escrowId)
    assert.deepEqual([refused.status, refused.body.message], [409, 'Escrow was not paid by card'])
    assert.equal((await refund(escrowId, { to: 'wallet' })).body.status, 'REFUNDED')
    const other = await held()
    assert.equal((await as(market, 'buyer', `/payments/escrow/${other}/refund`, { to: 'card' })).status, 403)
    assert.equal((await refund(other, { to: 'bank' })).status, 400)
  })

  test('cancel and resolve send the money back to the card too', async () => {
    const cancelled = await held()
    const { negotiationId } = await must<EscrowView & { negotiationId: string }>(
      market,
      'buyer',
      `/payments/escrow/${cancelled}`,
    )
    await must(market, 'buyer', '/ap2/cancel', { negotiationId, to: 'card' })
    assert.deepEqual(
      (await untilRefundIs(cancelled, 'SUCCEEDED')).external.map(({ amount }) => amount),
      ['100.00', '-100.00'],
    )
    const resolved = await held()
    await must(market, 'buyer', `/payments/escrow/${resolved}/dispute`, { reason: 'Half is missing' })
    const { body, status, text } = await as<Refunded>(
      market,
      'operator',
      `/payments/escrow/${resolved}/resolve`,
      { outcome: 'SPLIT', sellerBps: 4000, reason: 'Half of it was delivered', to: 'card' },
    )
    assert.equal(status, 201, text)
    assert.deepEqual([body.status, body.refund?.amount], ['SPLIT', '60.00'])
    assert.equal((await untilRefundIs(resolved, 'SUCCEEDED')).ok, true)
    assert.equal(await wallet(), 0n)
    const { id } = await acceptedDeal(market, { budget: 10 })
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
    const refused = await as(market, 'buyer', '/ap2/cancel', { negotiationId: id, to: 'card' })
    assert.equal(refused.status, 409, 'paid from the wallet')
  })

  test('a hosted page is closed when the deal is cancelled, and when its time has passed', async () => {
    const page = async () => {
      const { id } = await acceptedDeal(market)
      const order = { negotiationId: id, rail: 'card' }
      type Started = { escrowId: string; checkout: { id: string } }
      const { escrowId, checkout } = await must<Started>(market, 'buyer', '/payments/ap2/initiate', order)
      return { negotiationId: id, escrowId, sessionId: checkout.id }
    }
    const statusOf = async (sessionId: string) =>
      (
        await service.services.db.pool.query<{ status: string }>(
          'select status from platform_processor_object where id = $1',
          [sessionId],
        )
      ).rows[0]?.status
    async function untilClosed(sessionId: string) {
      for (const deadline = Date.now() + 20_000; (await statusOf(sessionId)) !== 'expired'; await sleep(50))
        assert.ok(Date.now() < deadline, `the page is ${await statusOf(sessionId)}`)
      const body = { paymentMethodId: 'pm_card_visa' }
      assert.equal((await service.http('POST', `/sandbox/checkout/${sessionId}`, { body })).status, 409)
    }
    const [cancelled, late] = [await page(), await page()]
    // As the deletion of the seller's account does.
    const { id: sellerId } = market.agent.owner
    await service.services.db.run(
      sql`update ap2_negotiation set seller_account_id = ${market.outsider.id} where id = ${late.negotiationId}`,
    )
    await service.services.db.transaction(tx => cancelUnfundedDealsOf(tx, [sellerId]))
    const deal = await must<{ status: string }>(
      market,
      'buyer',
      `/ap2/negotiations/${cancelled.negotiationId}`,
    )
    assert.equal(deal.status, 'CANCELLED')
    await untilClosed(cancelled.sessionId)
    assert.equal(await statusOf(late.sessionId), 'open')
    await service.advance(3601)
    await untilClosed(late.sessionId)
    const { status: ended } = await must<EscrowView>(market, 'buyer', `/payments/escrow/${late.escrowId}`)
    assert.equal(ended, 'CANCELLED')
  })

  test('confirms the release with the transfer of a payout of the seller alone', async () => {
    const escrowId = await held()
    await must(market, 'buyer', '/payments/ap2/release', { escrowId, acceptUnverified: true })
    const transferOf = async (person: Person): Promise<string> => {
      const trial = new PayoutTrial(service, person)
      await trial.ready(20)
      const id = await trial.requested(10)
      await trial.send(id)
      const { rows } = await service.services.db.pool.query<{ transfer: string }>(
        "select body->>'transfer' as transfer from platform_processor_object where idempotency_key = $1",
        [id],
      )
      await service.advance(2 * 24 * 3600)
      return rows[0]?.transfer ?? ''
    }
    const confirm = async (transferId: string) =>
      (await as(market, 'buyer', '/payments/ap2/confirm-stripe-release', { escrowId, transferId })).status
    const [own, other] = [await transferOf(market.agent.owner), await transferOf(market.outsider)]
    assert.deepEqual([await confirm(own), await confirm(other), await confirm('tr_unknown')], [201, 409, 404])
  })
})
