import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { availableOf, openMarket, publishAgent, sharedService, type Market, type TestService } from '#test'
import { openAgentEndpoint, type AgentEndpoint } from '../../../test/support/service/agent-endpoint.ts'
import { ended, execute, readRun, type RunView } from '../../../test/support/people/runs.ts'

const PRICE = { pricing: { model: 'per_call', amount: 10, currency: 'USD' } }

let service: TestService
let market: Market
let endpoint: AgentEndpoint
/** Of the buyer, with a budget. */
let spender: string
let agentId: string
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  endpoint = await openAgentEndpoint()
  spender = (await publishAgent(service, market.buyer)).id
  const { id } = await publishAgent(service, market.agent.owner, { ...PRICE, ap2Endpoint: endpoint.url })
  agentId = id
  await setBudget({ approvalThreshold: 5 })
})
after(async () => {
  await endpoint.close()
  await service.close()
})

async function setBudget(body: object): Promise<void> {
  const path = `/agents/${spender}/budget`
  const { status, text } = await service.http('PATCH', path, { token: market.buyer.token, body })
  assert.equal(status, 200, text)
}

const spent = async () =>
  (
    await service.http<{ spentThisPeriod: string | number }>('GET', `/agents/${spender}/budget`, {
      token: market.buyer.token,
    })
  ).body.spentThisPeriod

const start = async () =>
  (
    await execute(market, agentId, {
      input: 'go',
      initiatorAgentId: spender,
      sourceWalletId: market.buyer.walletId,
    })
  ).execution

const decide = (id: string, decision: string, token = market.buyer.token) =>
  service.http<RunView>('POST', `/agents/my-runs/${id}/${decision}`, { token })

test('a run above the threshold waits for the owner with its money held, then it is called', async () => {
  const from = endpoint.received.length
  const run = await start()
  assert.deepEqual([run.status, run.payment], ['AWAITING_APPROVAL', 'HELD'])
  assert.deepEqual(run.allowedActions, ['approve', 'reject', 'cancel'])
  assert.equal((await decide(run.id, 'approve', market.outsider.token)).status, 403)
  await service.advance(3600)
  assert.equal(endpoint.received.length, from)
  const approved = await decide(run.id, 'approve')
  assert.deepEqual([approved.status, approved.body.status], [200, 'PENDING'])
  assert.equal((await ended(market, run.id)).status, 'SUCCEEDED')
  assert.equal((await decide(run.id, 'approve')).status, 409)
  assert.equal((await decide(run.id, 'reject')).status, 409)
})

test('a run that the owner rejects is refunded and not spent', async () => {
  const [before, spentBefore] = [await availableOf(service, market.buyer), await spent()]
  const run = await start()
  assert.notEqual(await spent(), spentBefore)
  const { body } = await decide(run.id, 'reject')
  assert.deepEqual([body.status, body.payment], ['CANCELLED', 'REFUNDED'])
  assert.deepEqual([await availableOf(service, market.buyer), await spent()], [before, spentBefore])
})

test('a run that nobody decides is refunded after 72 hours', async () => {
  const before = await availableOf(service, market.buyer)
  const { id } = await start()
  await service.advance(71 * 3600)
  assert.equal((await readRun(market, id)).status, 'AWAITING_APPROVAL')
  await service.advance(3600)
  const run = await readRun(market, id)
  assert.deepEqual([run.status, run.payment, run.error?.code], ['TIMED_OUT', 'REFUNDED', 'TIMED_OUT'])
  assert.equal(await availableOf(service, market.buyer), before)
})

test('a run of an agent that was paused meanwhile is not approved', async () => {
  const { id } = await publishAgent(service, market.agent.owner, PRICE)
  const { execution } = await execute(market, id, {
    input: 'go',
    initiatorAgentId: spender,
    sourceWalletId: market.buyer.walletId,
  })
  const token = market.agent.owner.token
  await service.http('PATCH', `/agents/${id}`, { token, body: { status: 'PAUSED' } })
  const answer = await service.http<{ message: string }>('POST', `/agents/my-runs/${execution.id}/approve`, {
    token: market.buyer.token,
  })
  assert.deepEqual([answer.status, answer.body.message], [400, 'Agent not published'])
  assert.equal((await decide(execution.id, 'cancel')).body.payment, 'REFUNDED')
})

test('a run beyond the budget of the agent is refused', async () => {
  await setBudget({ perTransactionLimit: 9 })
  const { status, body } = await service.http<{ code: string }>('POST', `/agents/${agentId}/execute`, {
    token: market.buyer.token,
    body: { input: 'go', initiatorAgentId: spender, sourceWalletId: market.buyer.walletId },
  })
  assert.deepEqual([status, body.code], [403, 'TRANSACTION_LIMIT_EXCEEDED'])
})
