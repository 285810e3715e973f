import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, post, openAccounts } from '#ledger'
import {
  as,
  deliveredDeal,
  heldDeal,
  mailsSettled,
  mailsTo,
  mailTo,
  must,
  negotiate,
  openMarket,
  publishAgent,
  readDeal,
  readEscrow,
  registerHuman,
  sharedService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

type Refusal = { message: string; hint?: string }
interface Disputed extends EscrowView {
  dispute: {
    openedBy: string
    asks: string
    answer: string | null
    outcome: string | null
    answerBy: string | null
  }
}
const on = (escrowId: string, path: string) => `/payments/escrow/${escrowId}/${path}`

test('a dispute says who opened it and what it asks; the other side answers once', async () => {
  const { escrowId } = await deliveredDeal(market)
  const opened = await must<Disputed>(market, 'seller', on(escrowId, 'dispute'), {
    reason: 'no word from the buyer',
    evidence: { mails: 3 },
  })
  assert.deepEqual(
    [opened.status, opened.dispute.openedBy, opened.dispute.asks],
    ['DISPUTED', 'seller', 'RELEASE'],
  )
  assert.equal(
    (await as(market, 'seller', on(escrowId, 'dispute/respond'), { statement: 'I agree' })).status,
    403,
  )
  const answered = await must<Disputed>(market, 'buyer', on(escrowId, 'dispute/respond'), {
    statement: 'I was away',
  })
  assert.deepEqual([answered.dispute.answer, answered.dispute.answerBy], ['I was away', null])
  assert.equal(
    (await as(market, 'buyer', on(escrowId, 'dispute/respond'), { statement: 'more' })).status,
    409,
  )
  assert.equal((await as(market, 'buyer', on(escrowId, 'dispute/withdraw'), {})).status, 403)
})

test('the mails about small disputes are limited, and use up none about others', async () => {
  const owner = await registerHuman(service)
  const own = {
    ...(await openMarket(service, { amount: 100, card: true })),
    agent: await publishAgent(service, owner),
  }
  for (let n = 0; n < 50; n++) await service.services.limits.take(`dispute-mail:${owner.id}`, 50, 86_400)
  const [small, large] = [await heldDeal(own, { budget: 9 }), await heldDeal(own, { budget: 10 })]
  for (const { escrowId } of [small, large])
    await must(own, 'buyer', on(escrowId, 'dispute'), { reason: 'nothing came' })
  await mailTo(service, owner.email, new RegExp(`opened a dispute about the escrow ${large.escrowId}`))
  await mailsSettled(service)
  const mails = await mailsTo(service, owner.email)
  assert.ok(!mails.some(({ text }) => text.includes(`dispute about the escrow ${small.escrowId}`)))
})

test('a split says the share, and nothing else does', async () => {
  const { escrowId } = await heldDeal(market)
  for (const body of [
    { asks: 'SPLIT' },
    { asks: 'REFUND', sellerBps: 10 },
    { asks: 'SPLIT', sellerBps: 10_000 },
    { reason: ' ' },
    { asks: 'ALL' },
  ]) {
    assert.equal(
      (await as(market, 'buyer', on(escrowId, 'dispute'), { reason: 'wrong', ...body })).status,
      400,
      JSON.stringify(body),
    )
  }
})

for (const [outcome, more, status, net, deal] of [
  ['RELEASE', {}, 'RELEASED', '80.00', 'COMPLETED'],
  ['REFUND', {}, 'REFUNDED', '0.00', 'REFUNDED'],
  ['SPLIT', { sellerBps: 3333 }, 'SPLIT', '26.664', 'SPLIT'],
] as const) {
  test(`an operator ends a dispute by ${outcome}: one journal, and the deal follows`, async () => {
    const { id, escrowId } = await heldDeal(market)
    await must(market, 'buyer', on(escrowId, 'dispute'), { reason: 'wrong' })
    const resolved = await must<{ status: string; netToSeller: string; escrow: Disputed }>(
      market,
      'operator',
      on(escrowId, 'resolve'),
      { outcome, reason: 'looked at it', ...more },
    )
    assert.deepEqual(
      [resolved.status, resolved.netToSeller, resolved.escrow.held, resolved.escrow.dispute.outcome],
      [status, net, '0.00', outcome],
    )
    assert.equal((await readDeal(market, id)).status, deal)
    const books = await must<{ ok: boolean; entries: { journalId: string }[] }>(
      market,
      'buyer',
      `/payments/ap2/escrows/${escrowId}/reconciliation`,
    )
    assert.deepEqual([books.ok, new Set(books.entries.map(entry => entry.journalId)).size], [true, 2])
  })
}

test('an operator releases a held escrow only when it is verified, refunds it, and never splits it', async () => {
  const [open, verified] = [await heldDeal(market), await deliveredDeal(market)]
  const resolve = (escrowId: string, body: object) =>
    as<Refusal & { status: string }>(market, 'operator', on(escrowId, 'resolve'), {
      reason: 'decided',
      ...body,
    })
  assert.equal((await resolve(open.escrowId, { outcome: 'RELEASE' })).body.message, 'Escrow not verified')
  assert.equal((await resolve(open.escrowId, { outcome: 'SPLIT', sellerBps: 5000 })).status, 409)
  assert.equal((await resolve(open.escrowId, { outcome: 'REFUND' })).body.status, 'REFUNDED')
  assert.equal((await resolve(verified.escrowId, { outcome: 'RELEASE' })).body.status, 'RELEASED')
  assert.equal(
    (await as(market, 'buyer', on(verified.escrowId, 'resolve'), { outcome: 'REFUND', reason: 'mine' }))
      .status,
    403,
  )
})

test("a dispute stops the buyer's release and the seller's refund alike", async () => {
  const { escrowId } = await deliveredDeal(market)
  await must(market, 'buyer', on(escrowId, 'dispute'), { reason: 'wrong' })
  for (const [role, path, action] of [
    ['buyer', '/payments/ap2/release', 'release'],
    ['seller', on(escrowId, 'refund'), 'refund'],
    ['seller', on(escrowId, 'deliver'), 'deliver'],
  ] as const) {
    const refused = await as<Refusal>(market, role, path, { escrowId, result: 'x' })
    assert.deepEqual(
      [refused.status, refused.body.message.split(':')[0]],
      [409, `Cannot ${action} while DISPUTED`],
    )
    assert.match(refused.body.hint ?? '', /Its opener can withdraw it/)
  }
})

test('an agent with live escrows is not archived', async () => {
  const { escrowId } = await heldDeal(market)
  const archive = () =>
    service.http<Refusal>('PATCH', `/agents/${market.agent.id}`, {
      token: market.agent.owner.token,
      body: { status: 'ARCHIVED' },
    })
  assert.deepEqual([(await archive()).status], [409])
  assert.equal((await readEscrow(market, escrowId)).status, 'HELD')
})

test('one who deals with oneself speaks for both sides', async () => {
  const own = { ...market, agent: await publishAgent(service, market.buyer) }
  const { escrowId } = await heldDeal(own)
  await must(own, 'buyer', on(escrowId, 'dispute'), { reason: 'to myself', as: 'seller' })
  const answered = await must<Disputed>(own, 'buyer', on(escrowId, 'dispute/respond'), {
    statement: 'it is fine',
  })
  assert.equal(answered.dispute.openedBy, 'seller')
})

test('a deal in USDC is paid from a USDC wallet, into one that is made for the seller', async () => {
  const { id } = await negotiate(market, { currency: 'USDC', budget: 10 })
  await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
  const initiate = (more: object = {}) =>
    as<Refusal & { escrowId: string; escrow: { sellerWalletId: string; currency: string } }>(
      market,
      'buyer',
      '/payments/ap2/initiate',
      { negotiationId: id, ...more },
    )
  assert.equal((await initiate()).status, 400)
  assert.equal(
    (await initiate({ sourceWalletId: market.buyer.walletId })).body.message.split(':')[0],
    'Currency mismatch',
  )
  const wallet = await must<{ id: string }>(market, 'buyer', '/wallets', { currency: 'USDC' })
  await service.services.db.transaction(async tx => {
    await openAccounts(tx, [{ account: accounts.wallet(wallet.id), asset: 'USDC' }])
    await post(tx, {
      kind: 'test',
      key: `usdc ${wallet.id}`,
      legs: [
        {
          debit: accounts.suspense,
          credit: accounts.wallet(wallet.id),
          amount: 10_000_000n,
          asset: 'USDC',
        },
      ],
    })
  })
  const held = await initiate()
  assert.deepEqual([held.status, held.body.escrow.currency], [201, 'USDC'], held.text)
  assert.notEqual(held.body.escrow.sellerWalletId, market.agent.walletId)
})
