import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  as,
  cardDeal,
  ChargebackTrial,
  must,
  openDispute,
  openMarket,
  processorIdOf,
  startTestService,
  type Answer,
  type Market,
  type TestService,
} from '#test'

interface Reviews {
  items: object[]
  average: number | null
  count: number
}

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService()
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

/** A completed deal of 100 dollars that was paid by card. */
async function paidDeal(): Promise<{
  market: Market
  escrowId: string
  rate(): Promise<Answer<{ code: string }>>
}> {
  const market = await openMarket(service, { amount: 1 })
  const { id: negotiationId, escrowId } = await cardDeal(market)
  await must(market, 'seller', '/ap2/deliver', { negotiationId, result: 'done' })
  await must(market, 'buyer', '/payments/ap2/release', { escrowId, acceptUnverified: true })
  const rate = () =>
    as<{ code: string }>(market, 'buyer', `/agents/${market.agent.id}/reviews`, { negotiationId, rating: 5 })
  return { market, escrowId, rate }
}

/** The bank of the buyer takes back a part of what the deal had paid. */
async function loseAtTheBank(escrowId: string, cents: number): Promise<void> {
  await trial.breakProcessor('not_reached')
  const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, escrowId))
  await trial.dropEvents(disputeId)
  await trial.change(disputeId, { amount: cents })
  await trial.emit('charge.dispute.created', { id: disputeId })
  await trial.lose(disputeId)
}

async function shown({ agent: { id } }: Market): Promise<unknown[]> {
  const { body } = await service.http<Reviews>('GET', `/agents/${id}/reviews`)
  const record = await service.http<{ stats: { rating: number | null } }>('GET', `/agents/${id}`)
  return [body.items.length, body.count, body.average, record.body.stats.rating]
}

test('a rating of a deal that the bank took back from the seller does not count', async () => {
  const { market, escrowId, rate } = await paidDeal()
  assert.equal((await rate()).status, 201)
  assert.deepEqual(await shown(market), [1, 1, 5, 5])
  await loseAtTheBank(escrowId, 10_000)
  assert.deepEqual(await shown(market), [0, 0, null, null])
})

test('a deal that the bank took back cannot be rated', async () => {
  const { market, escrowId, rate } = await paidDeal()
  await loseAtTheBank(escrowId, 10_000)
  const { status, body } = await rate()
  assert.deepEqual([status, body.code], [409, 'DEAL_CHARGED_BACK'])
  assert.deepEqual(await shown(market), [0, 0, null, null])
})

test('a rating of a deal of which the bank took back a tenth counts', async () => {
  const [before, later] = [await paidDeal(), await paidDeal()]
  assert.equal((await before.rate()).status, 201)
  for (const { escrowId } of [before, later]) await loseAtTheBank(escrowId, 1000)
  assert.equal((await later.rate()).status, 201)
  for (const { market } of [before, later]) assert.deepEqual(await shown(market), [1, 1, 5, 5])
})
