import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { acceptedDeal, heldDeal, must, openMarket, sharedService, type Market, type TestService } from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

const CATEGORY = 'suspended-owner'

async function change(action: 'suspend' | 'reinstate'): Promise<void> {
  const { status, text } = await service.http('POST', `/admin/users/${market.agent.owner.id}/${action}`, {
    token: await service.adminToken(),
    body: { reason: 'Fraud' },
  })
  assert.equal(status, 200, text)
}

/** Whether the public lists show the agent. */
async function listed(): Promise<boolean[]> {
  const { id } = market.agent
  const paths = [
    `/agents?category=${CATEGORY}`,
    `/agents?tag=${CATEGORY}`,
    `/agents/discover?tag=${CATEGORY}`,
  ]
  const answers = await Promise.all(
    paths.map(path => service.http<{ agents: { id: string }[]; total: number }>('GET', path)),
  )
  return answers.map(({ body }) => body.total > 0 && body.agents.some(agent => agent.id === id))
}

test('an agent whose owner is suspended is not listed, and nobody can hire or pay it', async () => {
  const { id, owner } = market.agent
  const body = { categories: [CATEGORY], tags: [CATEGORY], pricing: { model: 'fixed', amount: 5 } }
  assert.equal((await service.http('PATCH', `/agents/${id}`, { token: owner.token, body })).status, 200)
  const [agreed, running] = [await acceptedDeal(market), await heldDeal(market)]
  assert.deepEqual(await listed(), [true, true, true])
  await change('suspend')
  assert.deepEqual(await listed(), [false, false, false])
  const hires: [string, object][] = [
    ['/ap2/negotiate', { responderAgentId: id, requestedService: 'Notes', budget: 5 }],
    ['/payments/ap2/initiate', { negotiationId: agreed.id }],
    ['/payments/create-agent-checkout', { agentId: id }],
    ['/payments/stripe/create', { agentId: id, paymentMethodId: 'pm_card_visa', amount: 5 }],
    ['/payments/x402/initiate', { agentId: id, amount: 5 }],
    [`/agents/${id}/execute`, { input: 'text' }],
  ]
  for (const [path, body] of hires) {
    const answer = await service.http<{ message: string }>('POST', path, { token: market.buyer.token, body })
    assert.deepEqual([answer.status, answer.body.message], [403, 'Agent suspended'], path)
  }
  // What is paid already goes on: the buyer decides.
  await must(market, 'buyer', '/payments/ap2/release', { escrowId: running.escrowId, acceptUnverified: true })
  await change('reinstate')
  assert.deepEqual(await listed(), [true, true, true])
  await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: agreed.id })
})
