import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Svc } from '#sdk'
import {
  eventually,
  heldDeal,
  must,
  negotiate,
  openMarket,
  publishAgent,
  startTestService,
  type TestService,
} from '#test'
import { execute, readRun } from '../support/people/runs.ts'

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

test('a run fails with a message of any length', async t => {
  const market = await openMarket(service)
  const pricing = { model: 'per_call', amount: 10 }
  const { id, slug, apiKey } = await publishAgent(service, market.agent.owner, { pricing })
  const { execution } = await execute(market, id, { input: 'go' })
  const stop = new AbortController()
  t.after(() => stop.abort())
  const agent = await new Svc({ baseUrl: service.baseUrl, apiKey }).agent(slug)
  const failures: unknown[] = []
  const listening = agent
    .on('run', run => run.fail(`\u0000${'😀 lines of a stack trace'.repeat(1000)}`))
    .on('error', error => failures.push(error))
    .listen({ signal: stop.signal })
  const isReported = async () =>
    failures.length > 0 || (await readRun(market, execution.id)).status === 'FAILED'
  await eventually('the run was reported', isReported)
  assert.deepEqual(failures, [])
  const { payment, error } = await readRun(market, execution.id)
  assert.deepEqual([payment, error?.message?.slice(0, 8)], ['REFUNDED', '😀 lines'])
  stop.abort()
  await listening
})

for (const [name, lastEventId] of [
  ['of an event', '0'],
  ['of the open tasks', undefined],
] as const)
  test(`an agent that listens does the work ${name} after an outage of the service`, async t => {
    const market = await openMarket(service)
    const { id } = await negotiate(market)
    let outages = 3
    const interrupted: typeof fetch = async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      const isReading = pathname === `/ap2/negotiations/${id}` && init?.method === 'GET'
      if (isReading && outages-- > 0) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    const stop = new AbortController()
    t.after(() => stop.abort())
    const { apiKey, slug } = market.agent
    const svc = new Svc({ baseUrl: service.baseUrl, apiKey, fetch: interrupted, maxRetries: 1 })
    const agent = await svc.agent(slug)
    const failures: unknown[] = []
    const listening = agent
      .on('offer', deal => deal.accept())
      .on('error', error => failures.push(error))
      .listen({ signal: stop.signal, ...(lastEventId === undefined ? {} : { lastEventId }) })
    await eventually('the offer is accepted', async () => {
      const { status } = await must(market, 'buyer', `/ap2/negotiations/${id}`)
      return status === 'ACCEPTED' || failures.length > 0
    })
    assert.deepEqual(failures, [])
    stop.abort()
    await listening
  })

test('the result of a run is reported after a connection that was lost', async t => {
  const market = await openMarket(service)
  const pricing = { model: 'per_call', amount: 10 }
  const { id, slug, apiKey } = await publishAgent(service, market.agent.owner, { pricing })
  const { execution } = await execute(market, id, { input: 'go' })
  let calls = 0
  // Of each report the request is lost first, then the response.
  const interrupted: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    const loss = pathname.endsWith('/result') ? calls++ % 3 : 2
    if (loss === 0) throw new TypeError('fetch failed')
    const response = await fetch(input, init)
    if (loss === 1) throw new TypeError('terminated')
    return response
  }
  const stop = new AbortController()
  t.after(() => stop.abort())
  const agent = await new Svc({ baseUrl: service.baseUrl, apiKey, fetch: interrupted }).agent(slug)
  const [failures, reported]: [unknown[], string[]] = [[], []]
  const listening = agent
    .on('run', async run => reported.push((await run.succeed({ done: true })).status))
    .on('error', error => failures.push(error))
    .listen({ signal: stop.signal })
  await eventually('the run was reported', async () => reported.length + failures.length > 0)
  assert.deepEqual([failures, reported], [[], ['SUCCEEDED']])
  assert.equal((await readRun(market, execution.id)).status, 'SUCCEEDED')
  stop.abort()
  await listening
})
