import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentKeys } from '#agents'
import { accounts, balanceOf, journalsOf } from '#ledger'
import { publish } from '#platform/kernel/events'
import { newId } from '#platform/kernel/id'
import {
  acceptedDeal,
  as,
  availableOf,
  mailTo,
  must,
  openMarket,
  readDeal,
  readEscrow,
  reservedDeal,
  startTestService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

interface Initiated {
  escrowId: string
  status: string
  escrow: EscrowView
  holdTransaction: { kind: string; legs: { debit: string; credit: string; amount: string }[] } | null
  checkout?: { id: string; url: string }
  message: string
  hint?: string
  details?: { declineCode?: string; paymentId?: string }
}
const INITIATE = '/payments/ap2/initiate'
const CARD = { rail: 'card', paymentMethodId: 'pm_card_visa' }

suite('funding a deal by card', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await startTestService()
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 1 })
  })
  after(() => service.close())

  const initiate = (negotiationId: string, more: object = CARD, headers: Record<string, string> = {}) =>
    service.http<Initiated>('POST', INITIATE, {
      token: market.buyer.token,
      headers,
      body: { negotiationId, ...more },
    })
  const complete = (escrowId: string, status = 'SETTLED') =>
    must<Initiated>(market, 'buyer', '/payments/ap2/complete', { escrowId, status })
  const pay = (page: string, paymentMethodId = 'pm_card_visa') =>
    service.http('POST', page, { body: { paymentMethodId } })
  const outage = (body: object) => must(market, 'operator', '/sandbox/processor/faults', body)
  const balance = (account: string) => balanceOf(service.services.db, account, 'USD')
  const wallet = () => balance(accounts.wallet(market.buyer.walletId))
  const charges = async (escrowId: string) =>
    (
      await service.services.db.pool.query(
        "select from platform_processor_object where idempotency_key = $1 and status = 'succeeded'",
        [escrowId],
      )
    ).rowCount

  test('a card pays into escrow through the buyer’s wallet, in one journal with the payment as its key', async () => {
    const { id } = await acceptedDeal(market)
    const { status, body, text } = await initiate(id)
    assert.equal(status, 201, text)
    assert.deepEqual([body.status, body.escrow.held, body.checkout], ['HELD', '100.00', undefined])
    const legs = await journalsOf(service.services.db, accounts.escrow(body.escrowId))
    const buyer = accounts.wallet(market.buyer.walletId)
    assert.deepEqual(
      legs.map(({ kind, key, debit, credit, amount }) => [kind, key, debit, credit, amount]),
      [
        [accounts.processor, buyer, 100_000_000n],
        [buyer, accounts.escrow(body.escrowId), 100_000_000n],
        [accounts.processorFee, accounts.processor, 3_200_000n],
      ].map(leg => ['fund', `payment/${body.escrowId}`, ...leg]),
    )
    const { sha256 } = await must<{ sha256: string }>(market, 'buyer', `/ap2/negotiations/${id}/terms`)
    assert.deepEqual(legs[0]?.reference, {
      escrowId: body.escrowId,
      negotiationId: id,
      sellerWalletId: market.agent.walletId,
      feeBps: '2000',
      termsSha256: sha256,
      paymentId: body.escrowId,
    })
    assert.deepEqual(
      body.holdTransaction?.legs.map(({ debit, credit, amount }) => [debit, credit, amount]),
      [[buyer, accounts.escrow(body.escrowId), '100.00']],
    )
    assert.equal(await wallet(), 0n)
    const { escrow, status: phase } = await readDeal(market, id)
    assert.deepEqual(
      [phase, ...escrow.timeline.map(({ event, to }) => `${event} ${to}`).slice(-3)],
      ['ESCROWED', 'reserve PENDING_FUNDING', 'hold HELD', 'fund ESCROWED'],
    )
    const again = await initiate(id)
    assert.deepEqual([again.status, again.body.message], [409, 'Cannot fund while ESCROWED'])
  })

  test('a hosted page funds the deal when it is paid, after a declined card too', async () => {
    const { id, escrowId, escrow, status, page } = await reservedDeal(market)
    assert.deepEqual([status, escrow.status, escrow.held], ['ACCEPTED', 'PENDING_FUNDING', '0.00'])
    const books = await must<{ ok: boolean; expectedHeld: string; difference: string }>(
      market,
      'buyer',
      `/payments/ap2/escrows/${escrowId}/reconciliation`,
    )
    assert.deepEqual([books.ok, books.expectedHeld, books.difference], [true, '0.00', '0.00'])
    assert.equal((await initiate(id)).status, 409)
    assert.equal((await pay(page, 'pm_card_chargeDeclined')).status, 400)
    assert.equal((await readEscrow(market, escrowId)).status, 'PENDING_FUNDING')
    assert.equal((await pay(page)).status, 200)
    const held = await readDeal(market, id)
    assert.deepEqual([held.status, held.escrow.status], ['ESCROWED', 'HELD'])
    assert.equal((await pay(page)).status, 409)
  })

  test('a declined card cancels the escrow, and the deal can be funded again', async () => {
    const { id } = await acceptedDeal(market)
    for (const [paymentMethodId, declineCode] of [
      ['pm_card_chargeDeclined', 'card_declined'],
      ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ]) {
      const { status, body } = await initiate(id, { ...CARD, paymentMethodId })
      assert.deepEqual([status, body.message, body.details?.declineCode], [400, 'Card declined', declineCode])
      const deal = await readDeal(market, id)
      assert.deepEqual([deal.status, deal.escrow], ['ACCEPTED', null])
      assert.equal((await readEscrow(market, body.details?.paymentId ?? '')).status, 'CANCELLED')
    }
    assert.equal((await initiate(id)).body.status, 'HELD')
  })

  test('refuses what a card cannot pay, before and after the reservation', async () => {
    const { id } = await acceptedDeal(market)
    const cheap = await acceptedDeal(market, { budget: 0.49 })
    const fine = await acceptedDeal(market, { budget: '10.001' })
    const coin = await acceptedDeal(market, { currency: 'USDC' })
    const refused = async (negotiationId: string, more: object) => {
      const { status, body } = await initiate(negotiationId, more)
      return [status, [body.message].flat()[0]]
    }
    assert.deepEqual(await refused(cheap.id, CARD), [400, 'Invalid amount'])
    assert.deepEqual(await refused(fine.id, CARD), [400, 'Invalid amount'])
    await must(market, 'buyer', '/wallets', { currency: 'USDC' })
    assert.deepEqual(await refused(coin.id, CARD), [400, 'Currency mismatch'])
    assert.deepEqual(await refused(id, { rail: 'x402' }), [400, 'Payment rail not available'])
    assert.deepEqual(await refused(id, { rail: 'card', returnUrl: 'javascript:alert(1)' }), [
      400,
      'returnUrl must be an http or https URL',
    ])
    assert.match(String((await refused(id, { ...CARD, paymentMethodId: 'pm_none' }))[1]), /no such payment/)
    const direct = await as<Initiated>(market, 'buyer', INITIATE, {
      sourceWalletId: market.buyer.walletId,
      destinationWalletId: market.agent.walletId,
      amount: 1,
      ...CARD,
    })
    assert.match(direct.text, /negotiationId is required for rail card/)
    assert.equal((await as(market, 'outsider', INITIATE, { negotiationId: id, ...CARD })).status, 403)
    assert.equal((await readDeal(market, id)).escrow, null)
  })

  test('20 initiates at once reserve one escrow and charge one card', async () => {
    const { id } = await acceptedDeal(market)
    const answers = await Promise.all(Array.from({ length: 20 }, () => initiate(id)))
    const [first, ...others] = answers.filter(({ status }) => status === 201)
    assert.ok(first && !others.length)
    assert.ok(answers.every(({ status }) => status === 201 || status === 409))
    assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
    assert.equal(await charges(first.body.escrowId), 1)
  })

  test('one Idempotency-Key is one payment, whether the processor was reached or its answer was lost', async () => {
    for (const kind of ['not_reached', 'answer_lost']) {
      const { id } = await acceptedDeal(market)
      const key = { 'idempotency-key': newId() }
      await outage({ kind, count: 1, silent: true })
      const lost = await initiate(id, CARD, key)
      assert.deepEqual(
        [lost.status, lost.body.status, lost.body.holdTransaction],
        [201, 'PENDING_FUNDING', null],
      )
      const held = await initiate(id, CARD, key)
      const replay = await initiate(id, CARD, key)
      assert.deepEqual([held.body.escrowId, held.body.status], [lost.body.escrowId, 'HELD'], kind)
      assert.deepEqual([replay.body, replay.headers.get('idempotency-replayed')], [held.body, 'true'])
      assert.equal(await charges(lost.body.escrowId), 1, kind)
    }
  })

  test('complete believes the processor and not the caller', async () => {
    const { escrowId, page } = await reservedDeal(market)
    const open = await complete(escrowId)
    assert.deepEqual(
      [open.status, open.message],
      ['PENDING_FUNDING', 'The funds have not been confirmed yet'],
    )
    await pay(page)
    const paid = await complete(escrowId, 'FAILED')
    assert.deepEqual([paid.status, paid.message], ['HELD', 'The funds have been confirmed'])

    const silent = await acceptedDeal(market)
    await outage({ kind: 'answer_lost', count: 1, silent: true })
    const lost = await initiate(silent.id)
    assert.equal((await complete(lost.body.escrowId, 'FAILED')).status, 'HELD')
  })

  test('funds that come after the deadline go to the wallet, and the buyer is notified', async () => {
    const { id } = await acceptedDeal(market)
    await outage({ kind: 'answer_lost', count: 1, silent: true })
    const { escrowId } = (await initiate(id)).body
    await outage({ kind: 'not_reached', count: 10_000 })
    await service.advance(3601)
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    const cancelled = await complete(escrowId)
    assert.match(cancelled.message, /can be funded again/)
    await service.services.db.pool.query('update platform_processor_fault set remaining = 0')
    await service.advance(24 * 3600)
    for (const deadline = Date.now() + 30_000; !(await wallet()) && Date.now() < deadline;) await sleep(50)
    assert.equal(await wallet(), 100_000_000n)
    assert.deepEqual(
      [(await readEscrow(market, escrowId)).status, await balance(accounts.escrow(escrowId))],
      ['CANCELLED', 0n],
    )
    const { text } = await mailTo(service, market.buyer.email, /had been cancelled/)
    assert.match(text, /in your wallet/)
    assert.match(text, /whether the deal can still be paid/)
    assert.equal((await as(market, 'buyer', `/ap2/negotiations/${id}`)).status, 400)
  })

  test('funds are awaited until the agreed deliverBy at most, and later ones are not held', async () => {
    const deliverBy = () => new Date(service.services.clock.now().getTime() + 1_800_000).toISOString()
    const unpaid = await reservedDeal(market, { deliverBy: deliverBy() })
    await service.advance(1801)
    assert.equal((await readEscrow(market, unpaid.escrowId)).status, 'CANCELLED')

    const { id, escrowId, page } = await reservedDeal(market, { deliverBy: deliverBy() })
    // As if the payment were confirmed before the timer of the deadline runs.
    await service.services.db.pool.query(
      "update ap2_negotiation set deliver_by = created_at - interval '1 second' where id = $1",
      [id],
    )
    assert.equal((await pay(page)).status, 200)
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    assert.deepEqual([await wallet(), await balance(accounts.escrow(escrowId))], [100_000_000n, 0n])
    assert.match((await mailTo(service, market.buyer.email, /had been cancelled/)).text, /in your wallet/)
  })

  test('a payment against the deadline is held or in the wallet, never both', async () => {
    const deals = await Promise.all(Array.from({ length: 4 }, () => reservedDeal(market)))
    await Promise.all([service.advance(3601), ...deals.map(({ page }) => pay(page))])
    const escrows = await Promise.all(deals.map(({ escrowId }) => readEscrow(market, escrowId)))
    const late = escrows.filter(({ status }) => status === 'CANCELLED').length
    assert.ok(escrows.every(({ status }) => status === 'HELD' || status === 'CANCELLED'))
    const paid = await Promise.all(deals.map(({ escrowId }) => charges(escrowId)))
    const held = (await Promise.all(escrows.map(({ id }) => balance(accounts.escrow(id))))).reduce(
      (sum, amount) => sum + amount,
      0n,
    )
    const sum = paid.reduce<number>((all, count) => all + (count ?? 0), 0)
    assert.equal(held + (await wallet()), BigInt(sum) * 100_000_000n)
    assert.equal(held, BigInt(escrows.length - late) * 100_000_000n)
  })

  test('money that becomes held while an agent’s keys are revoked starts FROZEN', async () => {
    const { id, page, escrowId } = await reservedDeal(market)
    const { services } = service
    assert.equal(
      (
        await service.http('POST', `/agents/${market.agent.id}/revoke-key`, {
          token: market.agent.owner.token,
          body: {},
        })
      ).status,
      200,
    )
    await services.db.transaction(tx => publish(tx, agentKeys.agentKeysRevoked, { agentId: market.agent.id }))
    assert.equal((await readEscrow(market, escrowId)).status, 'PENDING_FUNDING')
    await pay(page)
    const { escrow } = await readDeal(market, id)
    assert.deepEqual([escrow.status, escrow.originalStatus, escrow.held], ['FROZEN', 'HELD', '100.00'])
  })

  test('a buyer who is deleted meanwhile cancels the escrow, and the money that comes is unclaimed', async () => {
    const { escrowId, page } = await reservedDeal(market)
    const unclaimed = await balance(accounts.unclaimed)
    assert.equal((await service.http('DELETE', '/users/me', { token: market.buyer.token })).status, 204)
    await pay(page)
    assert.deepEqual([await wallet(), await balance(accounts.escrow(escrowId))], [0n, 0n])
    assert.equal((await balance(accounts.unclaimed)) - unclaimed, 100_000_000n)
    assert.equal(await availableOf(service, market.agent.owner), '0.00')
  })
})
