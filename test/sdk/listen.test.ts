import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Svc } from '#sdk'
import { eventually, heldDeal, must, openMarket, startTestService, type TestService } from '#test'

const DISPUTE_SECONDS = 5 * 86_400 + 60

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('an agent that listens goes on with a deal whose dispute ended with work to do', async t => {
  const market = await openMarket(service)
  const milestones = ['one', 'two'].map(key => ({ key, title: key, amount: 50 }))
  const { id, escrowId } = await heldDeal(market, { milestones })
  await must(market, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done', milestoneKey: 'one' })
  await must(market, 'seller', `/payments/escrow/${escrowId}/dispute`, { reason: 'The buyer is silent' })
  const stop = new AbortController()
  t.after(() => stop.abort())
  const agent = await new Svc({ baseUrl: service.baseUrl, apiKey: market.agent.apiKey }).agent(
    market.agent.slug,
  )
  const seen: string[] = []
  const listening = agent
    .on('event', ({ type }) => seen.push(type))
    .on('deal', deal => deal.deliver({ result: 'done', milestoneKey: 'two' }))
    .listen({ signal: stop.signal, lastEventId: '0' })
  await eventually('the dispute is in the stream', async () => seen.includes('dispute.opened'))
  // Nobody answers: what was delivered is paid, and the rest is held again.
  await service.advance(DISPUTE_SECONDS)
  await eventually('the second milestone is delivered', async () => {
    const { escrow } = await must(market, 'buyer', `/ap2/negotiations/${id}`)
    return escrow.deliveries.length === 2
  })
  stop.abort()
  await listening
  assert.equal(seen.filter(type => type === 'dispute.resolved').length, 1)
})
