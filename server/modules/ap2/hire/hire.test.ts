import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { accounts, balanceOf, journalsOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  availableOf,
  must,
  openMarket,
  readDeal,
  sharedService,
  type DealView,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

interface Hired {
  success: boolean
  escrowId: string
  negotiationId: string
  checkoutSessionId: string
  url: string
  transactionId: string
  paymentIntentId: string
  status: string
  amount: number
  currency: string
  message: string | string[]
  hint?: string
  details?: { escrowId: string; paymentId: string; declineCode: string }
}
const CHECKOUT = '/payments/create-agent-checkout'
const CARD = '/payments/stripe/create'

suite('hiring an agent by one request', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 1 })
  })
  after(() => service.close())

  const hire = (path: string, body: object, headers: Record<string, string> = {}) =>
    service.http<Hired>('POST', path, {
      token: market.buyer.token,
      headers,
      body: {
        agentId: market.agent.id,
        ...(path === CARD ? { paymentMethodId: 'pm_card_visa', amount: 100 } : {}),
        ...body,
      },
    })
  const payPage = (session: string) =>
    service.http('POST', `/sandbox/checkout/${session}`, { body: { paymentMethodId: 'pm_card_visa' } })
  const escrowOf = (id: string) => must<EscrowView>(market, 'buyer', `/payments/escrow/${id}`)
  const outage = (body: object) => must(market, 'operator', '/sandbox/processor/faults', body)
  const asOwner = (path: string, body: object = {}) =>
    service.http('POST', path, { token: market.agent.owner.token, body })

  test('a card pays a deal of its own, which runs to its release', async () => {
    const { status, body, text } = await hire(CARD, {
      serviceDescription: 'Release notes',
      input: { version: 2 },
    })
    assert.equal(status, 200, text)
    const { escrowId, negotiationId } = body
    assert.deepEqual(
      [body.success, body.status, body.amount, body.currency, body.transactionId],
      [true, 'succeeded', 100, 'USD', escrowId],
    )
    assert.match(body.paymentIntentId, /^pi_/)
    const deal = await must<DealView & { requestedService: string; requirements: unknown }>(
      market,
      'seller',
      `/ap2/negotiations/${negotiationId}`,
    )
    assert.deepEqual(
      [deal.status, deal.price, deal.requestedService, deal.requirements],
      ['ESCROWED', 100, 'Release notes', { input: { version: 2 } }],
    )
    const buyer = accounts.wallet(market.buyer.walletId)
    const legs = await journalsOf(service.services.db, accounts.escrow(escrowId))
    assert.deepEqual(
      legs.slice(0, 2).map(({ key, debit, credit }) => [key, debit, credit]),
      [
        [`payment/${escrowId}`, accounts.processor, buyer],
        [`payment/${escrowId}`, buyer, accounts.escrow(escrowId)],
      ],
    )
    await must(market, 'seller', '/ap2/deliver', { negotiationId, result: 'done' })
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    assert.equal(
      await balanceOf(service.services.db, accounts.wallet(market.agent.walletId), 'USD'),
      80_000_000n,
    )
  })

  test('names the deal in the address to return to', async () => {
    const { body } = await hire(CHECKOUT, { amount: 5, successUrl: 'https://shop.example/{NEGOTIATION_ID}' })
    const paid = await service.http<{ returnUrl: string }>(
      'POST',
      `/sandbox/checkout/${body.checkoutSessionId}`,
      {
        body: { paymentMethodId: 'pm_card_visa' },
      },
    )
    assert.equal(paid.body.returnUrl, `https://shop.example/${body.negotiationId}`)
  })

  test('a hosted page funds the deal that it was opened for, at the listed price without another one', async () => {
    await service.http('PATCH', `/agents/${market.agent.id}`, {
      token: market.agent.owner.token,
      body: { pricing: { model: 'fixed', amount: 25, currency: 'USD' } },
    })
    const key = { 'idempotency-key': newId() }
    const { status, body, text } = await hire(CHECKOUT, { successUrl: 'https://shop.example/thanks' }, key)
    assert.equal(status, 200, text)
    assert.deepEqual(
      [body.success, body.url.endsWith(`/sandbox/checkout/${body.checkoutSessionId}`)],
      [true, true],
    )
    assert.deepEqual((await hire(CHECKOUT, { successUrl: 'https://shop.example/thanks' }, key)).body, body)
    const waiting = await escrowOf(body.escrowId)
    assert.deepEqual([waiting.status, waiting.held], ['PENDING_FUNDING', '0.00'])
    assert.equal((await payPage(body.checkoutSessionId)).status, 200)
    const deal = await readDeal(market, body.negotiationId)
    assert.deepEqual([deal.status, deal.escrow.status], ['ESCROWED', 'HELD'])
    assert.equal(await availableOf(service, market.buyer), '1.00')
  })

  test('a declined card is 400 with its code, and the deal can be paid otherwise', async () => {
    for (const [paymentMethodId, code] of [
      ['pm_card_chargeDeclined', 'card_declined'],
      ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ]) {
      const { status, body } = await hire(CARD, { paymentMethodId, amount: 1 })
      assert.deepEqual([status, body.message, body.details?.declineCode], [400, 'Card declined', code])
      assert.equal((await escrowOf(body.details?.paymentId ?? '')).status, 'CANCELLED')
    }
    const { items } = await must<{ items: DealView[] }>(market, 'buyer', '/ap2/negotiations?status=ACCEPTED')
    const [deal] = items
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: deal?.id })
    assert.equal((await readDeal(market, deal?.id ?? '')).status, 'ESCROWED')
  })

  test('an unknown outcome is 500, and the same key continues the same payment', async () => {
    const key = { 'idempotency-key': newId() }
    await outage({ kind: 'answer_lost', count: 1, silent: true })
    const lost = await hire(CARD, {}, key)
    assert.deepEqual([lost.status, lost.body.message], [500, 'Payment processing failed'])
    assert.equal((await escrowOf(lost.body.details?.escrowId ?? '')).status, 'PENDING_FUNDING')
    const found = await hire(CARD, {}, key)
    assert.deepEqual([found.status, found.body.escrowId], [200, lost.body.details?.escrowId])
    assert.deepEqual((await hire(CARD, {}, key)).body, found.body)
    await outage({ kind: 'not_reached', count: 1 })
    assert.equal((await hire(CHECKOUT, { amount: 5 })).status, 503)
  })

  test('refuses what cannot be hired or charged', async () => {
    const refused = async (path: string, body: object) => {
      const answer = await hire(path, body)
      return [answer.status, [answer.body.message].flat()[0]]
    }
    assert.deepEqual(await refused(CHECKOUT, {}), [400, 'amount is required: the agent has no price in USD'])
    assert.deepEqual(await refused(CHECKOUT, { agentId: undefined, amount: 1 }), [
      400,
      'agentId or slug is required',
    ])
    for (const path of [CHECKOUT, CARD]) {
      assert.deepEqual(await refused(path, { agentId: newId(), amount: 1 }), [404, 'Agent not found'])
      assert.deepEqual(await refused(path, { amount: 0.4 }), [400, 'Invalid amount'])
      assert.deepEqual(await refused(path, { amount: '1.001' }), [400, 'Invalid amount'])
      assert.deepEqual(await refused(path, { amount: 1001 }), [400, 'Insufficient trust tier'])
    }
    assert.deepEqual(await refused(CARD, { currency: 'EUR' }), [400, 'Currency mismatch'])
    assert.match(String((await refused(CARD, { paymentMethodId: 'pm_none' }))[1]), /no such payment method/)
    assert.match(
      String((await refused(CHECKOUT, { amount: 1, cancelUrl: 'nowhere' }))[1]),
      /cancelUrl must be/,
    )
    const slug = { agentId: undefined, slug: market.agent.slug, amount: 1 }
    assert.equal((await hire(CHECKOUT, slug)).status, 200)
    assert.match(
      String((await refused(CHECKOUT, { ...slug, agentId: market.agent.id, slug: 'other' }))[1]),
      /different/,
    )
    await asOwner(`/agents/${market.agent.id}/revoke-key`)
    await service.http('PATCH', `/agents/${market.agent.id}`, {
      token: market.agent.owner.token,
      body: { status: 'PAUSED' },
    })
    assert.deepEqual(await refused(CARD, {}), [400, 'Agent not published'])
    await service.http('POST', `/admin/agents/${market.agent.id}/suspend`, { token: market.admin, body: {} })
    for (const path of [CHECKOUT, CARD])
      assert.deepEqual(await refused(path, { amount: 1 }), [403, 'Agent suspended'])
  })

  test('a release of a card-funded escrow is confirmed from the books', async () => {
    const confirm = (escrowId: string, more: object = {}, token = market.buyer.token) =>
      service.http<Hired & { released: string; netToSeller: string }>(
        'POST',
        '/payments/ap2/confirm-stripe-release',
        {
          token,
          body: { escrowId, ...more },
        },
      )
    const { body } = await hire(CARD, {})
    const { escrowId } = body
    assert.deepEqual([(await confirm(escrowId)).status, (await confirm(newId())).status], [409, 404])
    await must(market, 'buyer', '/payments/ap2/release', { escrowId, amount: 40, acceptUnverified: true })
    const done = await confirm(escrowId, {}, market.agent.owner.token)
    assert.deepEqual(
      [done.status, done.body.released, done.body.netToSeller, done.body.paymentIntentId],
      [201, '40.00', '32.00', body.paymentIntentId],
    )
    assert.equal((await confirm(escrowId, {}, market.outsider.token)).status, 403)
    assert.equal((await confirm(escrowId, { transferId: 'tr_unknown' })).status, 404)
    await service.http('POST', '/wallets/admin/test-credit', {
      token: market.admin,
      body: { walletId: market.buyer.walletId, amount: 10, reason: 'test' },
    })
    const direct = await must<Hired>(market, 'buyer', '/payments/ap2/initiate', {
      sourceWalletId: market.buyer.walletId,
      destinationWalletId: market.agent.walletId,
      amount: 1,
    })
    assert.deepEqual(
      [(await confirm(direct.escrowId)).status, (await confirm(direct.escrowId)).body.message],
      [409, 'Escrow was not paid by card'],
    )
  })
})
