import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  cardDeal,
  ChargebackTrial,
  must,
  openDispute,
  openMarket,
  processorIdOf,
  startTestService,
  type List,
  type Market,
  type TestService,
} from '#test'

interface Report {
  score: number
  transactions: unknown[]
  uncounted: { dealId: string; reductions: object[] }[]
}

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService()
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

const report = (market: Market): Promise<Report> =>
  must<Report>(market, 'buyer', `/trust/${market.agent.id}/score`)
const completions = async ({ agent }: Market): Promise<number> =>
  (await service.http<{ stats: { completions: number } }>('GET', `/agents/${agent.id}`)).body.stats
    .completions

/** A completed deal of 100 dollars that was paid by card, of which the bank then takes back some cents. */
async function chargedBackDeal(cents: number): Promise<{ market: Market; id: string }> {
  const market = await openMarket(service, { amount: 1 })
  const { id: negotiationId, escrowId } = await cardDeal(market)
  await must(market, 'seller', '/ap2/deliver', { negotiationId, result: 'done' })
  await must(market, 'buyer', '/payments/ap2/release', { escrowId, acceptUnverified: true })
  await service.advance(10)
  const { score } = await report(market)
  assert.ok(score > 0)
  assert.equal(await completions(market), 1)
  await trial.breakProcessor('not_reached')
  const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, escrowId))
  await trial.dropEvents(disputeId)
  await trial.change(disputeId, { amount: cents })
  await trial.emit('charge.dispute.created', { id: disputeId })
  await trial.lose(disputeId)
  await service.advance(10)
  return { market, id: negotiationId }
}

test('a completed deal that the bank took back from the seller does not count any more', async () => {
  const { market, id } = await chargedBackDeal(10_000)
  const { score, transactions, uncounted } = await report(market)
  assert.deepEqual([score, transactions, await completions(market)], [0, [], 0])
  assert.deepEqual(
    uncounted.map(({ dealId, reductions }) => [dealId, reductions]),
    [[id, [{ reason: 'CHARGED_BACK', factor: 0 }]]],
  )
  const { body } = await service.http<List<{ reason: string; dealId: string | null }>>(
    'GET',
    `/trust/${market.agent.id}/history`,
  )
  const [newest] = body.items
  assert.deepEqual([newest?.reason, newest?.dealId], ['CHARGEBACK', id])
})

test('a completed deal of which the bank took back a tenth counts', async () => {
  const { market } = await chargedBackDeal(1000)
  const { score, transactions } = await report(market)
  assert.ok(score > 0)
  assert.deepEqual([transactions.length, await completions(market)], [1, 1])
})
