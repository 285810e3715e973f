import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { availableOf, openMarket, publishAgent, sharedService, type Market, type TestService } from '#test'
import type { RunView } from '../../../../test/support/people/runs.ts'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

const NUMBER_IN = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const TEXT_IN = { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] }

for (const [title, change] of [
  ['paused the agent', { status: 'PAUSED' }],
  ['changed the inputSchema', { inputSchema: TEXT_IN }],
  ['made the agent private', { visibility: 'PRIVATE' }],
] as const)
  test(`a repeated key returns the run also after its seller ${title}`, async () => {
    const agent = await publishAgent(service, market.agent.owner, {
      pricing: { model: 'per_call', amount: 10, currency: 'USD' },
      inputSchema: NUMBER_IN,
    })
    const send = (key: string) =>
      service.http<{ execution: RunView; code?: string }>('POST', `/agents/${agent.id}/execute`, {
        token: market.buyer.token,
        headers: { 'idempotency-key': key },
        body: { input: { n: 1 } },
      })
    const first = await send(agent.id)
    assert.equal(first.status, 201, first.text)
    const paid = await availableOf(service, market.buyer)
    const changed = await service.http('PATCH', `/agents/${agent.id}`, {
      token: market.agent.owner.token,
      body: change,
    })
    assert.equal(changed.status, 200, changed.text)
    const again = await send(agent.id)
    assert.deepEqual([again.status, again.body.execution?.id], [201, first.body.execution.id], again.text)
    assert.equal((await send(`${agent.id}-new`)).status >= 400, true)
    assert.equal(await availableOf(service, market.buyer), paid)
  })
