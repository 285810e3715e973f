import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  acceptedDeal,
  as,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  readDeal,
  readEscrow,
  registerHuman,
  startTestService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

const DAY = 24 * 3600
const DUST = '0.000001'

interface Report {
  score: number
  components: object
  tier: string
  sampleSize: number
  transactions: { outcome: string; disputed: boolean }[]
}

let service: TestService
let market: Market
before(async () => {
  service = await startTestService({ TRUST_MIN_COMPLETION_USD: '1' })
  market = await openMarket(service)
})
after(() => service.close())

/** The same buyer and a new agent, of which nothing is known. */
const withNewAgent = async (): Promise<Market> => ({
  ...market,
  agent: await publishAgent(service, await registerHuman(service)),
})
const report = async (of: Market): Promise<Report> => must<Report>(of, 'buyer', `/trust/${of.agent.id}/score`)
const outcomes = async (of: Market) => (await report(of)).transactions.map(each => each.outcome)
const release = (of: Market, escrowId: string, body: object = {}) =>
  must<EscrowView>(of, 'buyer', '/payments/ap2/release', { escrowId, ...body })
const payDirectly = (of: Market, amount: string | number) =>
  must<{ escrowId: string; negotiationId: string }>(of, 'buyer', '/payments/ap2/initiate', {
    sourceWalletId: of.buyer.walletId,
    destinationWalletId: of.agent.walletId,
    amount,
  })

describe('what counts against a seller', () => {
  test('a direct payment that it never accepted, refunded after 30 days, does not', async () => {
    const of = await withNewAgent()
    const { escrowId } = await deliveredDeal(of)
    await release(of, escrowId)
    const { score } = await report(of)
    for (let n = 0; n < 8; n++) await payDirectly(of, 5)
    const started = await payDirectly(of, 5)
    await must(of, 'seller', '/ap2/start', { negotiationId: started.negotiationId })
    await service.advance(31 * DAY)
    assert.equal((await readEscrow(of, started.escrowId)).status, 'REFUNDED')
    const now = await report(of)
    assert.deepEqual(
      now.transactions.map(each => each.outcome).sort(),
      ['COMPLETED', 'FAILED'],
      'only the started one counts',
    )
    assert.ok(now.score <= score)
  })

  test('an accepted deal that it does not deliver does', async () => {
    const of = await withNewAgent()
    await heldDeal(of)
    await service.advance(31 * DAY)
    assert.deepEqual(await outcomes(of), ['FAILED'])
  })

  test('one that is funded minutes before its deliverBy does not, although a dispute moves that', async () => {
    const of = await withNewAgent()
    const deliverBy = new Date(service.services.clock.now().getTime() + 3_600_000).toISOString()
    const [late, disputed] = [await acceptedDeal(of, { deliverBy }), await acceptedDeal(of, { deliverBy })]
    await service.advance(3600 - 300)
    for (const { id: negotiationId } of [late, disputed])
      await must(of, 'buyer', '/payments/ap2/initiate', { negotiationId })
    const { escrowId } = await readDeal(of, disputed.id)
    await must(of, 'buyer', `/payments/escrow/${escrowId}/dispute`, { reason: 'hm' })
    await service.advance(3600)
    await must(of, 'buyer', `/payments/escrow/${escrowId}/dispute/withdraw`, {})
    await service.advance(3600)
    for (const { id } of [late, disputed]) assert.equal((await readDeal(of, id)).status, 'REFUNDED')
    assert.deepEqual(await outcomes(of), [])
  })

  test('one whose short time was agreed, and that was funded at once, does', async () => {
    const of = await withNewAgent()
    const deliverBy = new Date(service.services.clock.now().getTime() + 540_000).toISOString()
    const { id } = await heldDeal(of, { deliverBy })
    await service.advance(600)
    assert.equal((await readDeal(of, id)).status, 'REFUNDED')
    assert.deepEqual(await outcomes(of), ['FAILED'])
  })

  test('failed deals of dust do not move the score', async () => {
    const of = await withNewAgent()
    for (let n = 0; n < 3; n++) await release(of, (await deliveredDeal(of)).escrowId)
    const before = await report(of)
    for (let n = 0; n < 10; n++)
      await heldDeal(of, {
        budget: DUST,
        deliverBy: new Date(service.services.clock.now().getTime() + 3_600_000).toISOString(),
      })
    await service.advance(7200)
    const now = await report(of)
    assert.deepEqual([now.sampleSize, now.score, now.components], [13, before.score, before.components])
  })

  for (const [what, body, counted] of [
    ['a split that leaves it nothing', { outcome: 'SPLIT', sellerBps: 1 }, []],
    ['a refund by an operator', { outcome: 'REFUND' }, []],
    ['a refund by an operator who finds it at fault', { outcome: 'REFUND', sellerAtFault: true }, ['FAILED']],
  ] as const) {
    test(`${what}: ${counted.length ? 'counts' : 'does not count'}`, async () => {
      const of = await withNewAgent()
      const { escrowId } = await heldDeal(of, { budget: '0.000100' })
      await must(of, 'buyer', `/payments/escrow/${escrowId}/dispute`, { reason: 'wrong' })
      await must(of, 'operator', `/payments/escrow/${escrowId}/resolve`, { reason: 'decided', ...body })
      assert.equal((await readEscrow(of, escrowId)).status, 'REFUNDED')
      assert.deepEqual(await outcomes(of), counted)
    })
  }

  test('a dispute that lapses undecided does not, one that it leaves unanswered does', async () => {
    const of = await withNewAgent()
    const [answered, unanswered] = [await heldDeal(of), await heldDeal(of)]
    for (const { escrowId } of [answered, unanswered])
      await must(of, 'buyer', `/payments/escrow/${escrowId}/dispute`, { reason: 'wrong' })
    await must(of, 'seller', `/payments/escrow/${answered.escrowId}/dispute/respond`, { statement: 'right' })
    await service.advance(61 * DAY)
    assert.equal((await readEscrow(of, answered.escrowId)).status, 'REFUNDED')
    assert.deepEqual(await outcomes(of), ['FAILED'])
  })
})

describe('what counts as a disputed deal', () => {
  const disputes = async (of: Market): Promise<[string, boolean][]> =>
    (await report(of)).transactions.map(({ outcome, disputed }) => [outcome, disputed])

  test('one that its seller lost, by its silence or by a decision', async () => {
    const of = await withNewAgent()
    for (const decision of [null, { outcome: 'REFUND', sellerAtFault: true, reason: 'wrong' }]) {
      const { escrowId } = await deliveredDeal(of)
      await must(of, 'buyer', `/payments/escrow/${escrowId}/dispute`, { reason: 'wrong' })
      if (decision) await must(of, 'operator', `/payments/escrow/${escrowId}/resolve`, decision)
      else await service.advance(5 * DAY + 60)
    }
    assert.deepEqual(await disputes(of), [
      ['FAILED', true],
      ['FAILED', true],
    ])
  })

  test('not a dispute that the buyer withdrew or lost, nor that of a seller whose buyer is silent', async () => {
    const of = await withNewAgent()
    for (const [opener, end] of [
      ['seller', 'silence'],
      ['buyer', 'withdrawal'],
      ['buyer', 'decision'],
    ] as const) {
      const { escrowId } = await deliveredDeal(of)
      await must(of, opener, `/payments/escrow/${escrowId}/dispute`, { reason: 'no word' })
      if (end === 'silence') await service.advance(5 * DAY + 60)
      else if (end === 'withdrawal') {
        await must(of, 'buyer', `/payments/escrow/${escrowId}/dispute/withdraw`, {})
        await release(of, escrowId)
      } else
        await must(of, 'operator', `/payments/escrow/${escrowId}/resolve`, {
          outcome: 'RELEASE',
          reason: 'delivered as agreed',
        })
      assert.equal((await readEscrow(of, escrowId)).status, 'RELEASED')
    }
    const completed = ['COMPLETED', false]
    assert.deepEqual(await disputes(of), [completed, completed, completed])
  })
})

describe('what counts as a completion', () => {
  test('a verified deal that is paid in full, although a sliver of it was paid before the delivery', async () => {
    const of = await withNewAgent()
    const { id, escrowId } = await heldDeal(of)
    await release(of, escrowId, { amount: DUST, acceptUnverified: true })
    await must(of, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done' })
    await release(of, escrowId)
    assert.deepEqual(await outcomes(of), ['COMPLETED'])
  })

  test('the same where the sliver is a milestone of its own', async () => {
    const of = await withNewAgent()
    const milestones = [
      { key: 'sliver', amount: DUST },
      { key: 'work', amount: '99.999999' },
    ]
    const { id, escrowId } = await heldDeal(of, { milestones })
    await release(of, escrowId, { milestoneKey: 'sliver', acceptUnverified: true })
    await must(of, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done', milestoneKey: 'work' })
    await release(of, escrowId)
    assert.deepEqual(await outcomes(of), ['COMPLETED'])
  })

  test('not a deal of which most was paid without a verified delivery', async () => {
    const of = await withNewAgent()
    const { escrowId } = await heldDeal(of)
    await release(of, escrowId, { acceptUnverified: true })
    const milestones = [
      { key: 'advance', amount: 50 },
      { key: 'work', amount: 50 },
    ]
    const deal = await heldDeal(of, { milestones })
    await release(of, deal.escrowId, { milestoneKey: 'advance', acceptUnverified: true })
    await must(of, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: 'done', milestoneKey: 'work' })
    await release(of, deal.escrowId)
    assert.deepEqual(await outcomes(of), [])
  })

  test('with TRUST_MIN_COMPLETION_USD smaller deals give no tier', async () => {
    const of = await withNewAgent()
    const complete = async (budget: string) => release(of, (await deliveredDeal(of, { budget })).escrowId)
    for (let n = 0; n < 4; n++) await complete('0.99')
    assert.equal((await report(of)).tier, 'UNVERIFIED')
    for (let n = 0; n < 3; n++) await complete('1.00')
    assert.equal((await report(of)).tier, 'BASIC')
  })
})

describe('releases in parts', () => {
  test('are at most 100; then only what ends a milestone or the escrow is released', async () => {
    const { escrowId } = await deliveredDeal(market)
    const part = () =>
      as<{ code: string; status: string }>(market, 'buyer', '/payments/ap2/release', {
        escrowId,
        amount: '0.01',
      })
    for (let n = 0; n < 100; n++) assert.equal((await part()).status, 201)
    const refused = await part()
    assert.deepEqual([refused.status, refused.body.code], [409, 'RELEASES_EXHAUSTED'])
    assert.equal((await release(market, escrowId)).status, 'RELEASED')
  })
})
