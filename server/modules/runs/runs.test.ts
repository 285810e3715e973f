import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { agentKeys } from '#agents'
import { isSignedWebhook } from '#platform/http/webhook-signature'
import { availableOf, openMarket, publishAgent, sharedService, type Market, type TestService } from '#test'
import { openAgentEndpoint, type AgentEndpoint } from '../../../test/support/service/agent-endpoint.ts'
import { ended, execute, readRun, runOf, type RunView } from '../../../test/support/people/runs.ts'
import { callJob } from './call/call.ts'
import { Caller } from './call/request.ts'

const PRICE = { pricing: { model: 'per_call', amount: 10, currency: 'USD' } }
const TEXT_IN = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

let service: TestService
let market: Market
let endpoint: AgentEndpoint
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  endpoint = await openAgentEndpoint()
})
after(async () => {
  await endpoint.close()
  await service.close()
})

const listed = (fields: Record<string, unknown> = {}) =>
  publishAgent(service, market.agent.owner, { ...PRICE, ...fields })
const called = (fields: Record<string, unknown> = {}) => listed({ ap2Endpoint: endpoint.url, ...fields })
const walletOf = (walletId: string) => availableOf(service, { ...market.agent.owner, walletId })

test('a run is called, its output stored, and the agent paid at once', async () => {
  const agent = await called({ inputSchema: TEXT_IN, outputSchema: TEXT_IN })
  const { secret } = await service.services.db.transaction(async tx => ({
    secret: await agentKeys.webhookSecrets.createWebhookSecret(
      tx,
      service.services,
      agent.id,
      agent.owner.id,
    ),
  }))
  endpoint.answer(({ json }) => ({ status: 200, body: { output: json.input } }))
  const { execution, paymentTransaction } = await execute(market, agent.id, {
    input: { text: 'hello' },
    jobReference: 'job-1',
  })
  assert.deepEqual([execution.status, execution.payment, execution.price], ['PENDING', 'HELD', '10.00'])
  assert.deepEqual([paymentTransaction?.kind, paymentTransaction?.amount], ['ap2.hold', '10.00'])
  const run = await ended(market, execution.id)
  assert.deepEqual(
    [run.status, run.payment, run.output, run.error],
    ['SUCCEEDED', 'RELEASED', { text: 'hello' }, null],
  )
  const request = endpoint.received.at(-1)
  assert(request && secret)
  assert.deepEqual(
    [request.json.type, request.json.runId, request.json.input, request.json.jobReference],
    ['run.requested', run.id, { text: 'hello' }, 'job-1'],
  )
  const now = Math.floor(Date.now() / 1000)
  assert.equal(isSignedWebhook(secret, request.headers, request.body, now), true)
  assert.equal(request.headers['webhook-id'], run.id)
  assert.equal(await walletOf(agent.walletId), '8.00')
  const { body: record } = await service.http<{ stats: object }>('GET', `/agents/${agent.id}`)
  assert.deepEqual(record.stats, { executions: 1, completions: 1, rating: null })
})

test('a free run works without an escrow', async () => {
  const agent = await called({ pricing: { model: 'per_call', amount: 0, currency: 'USD' } })
  const { execution, paymentTransaction } = await execute(market, agent.id, { input: 'text is fine' })
  assert.deepEqual([execution.payment, execution.escrowId, paymentTransaction], ['FREE', null, null])
  const run = await ended(market, execution.id)
  assert.deepEqual([run.status, run.payment, run.output], ['SUCCEEDED', 'FREE', 'text is fine'])
})

test('refuses what cannot be run, and holds nothing', async () => {
  const agent = await called({ inputSchema: TEXT_IN })
  const held = await availableOf(service, market.buyer)
  const refused = async (id: string, body: object) => {
    const { status, body: answer } = await service.http<{ message: string | string[]; code: string }>(
      'POST',
      `/agents/${id}/execute`,
      { token: market.buyer.token, body },
    )
    return [status, answer.code, answer.message].slice(
      0,
      status === 400 && Array.isArray(answer.message) ? 2 : 3,
    )
  }
  const input = { text: 'x' }
  assert.deepEqual(await refused(agent.id, { input: { text: 5 } }), [
    400,
    'RUN_INPUT_INVALID',
    'Input does not fit the schema of the agent',
  ])
  assert.deepEqual(await refused(agent.id, {}), [400, 'VALIDATION_FAILED'])
  assert.deepEqual(await refused(agent.id, { input: { text: 'x'.repeat(70_000) } }), [
    400,
    'VALIDATION_FAILED',
  ])
  assert.deepEqual(await refused(agent.id, { input, budget: 9.99 }), [400, 'VALIDATION_FAILED'])
  const custom = await publishAgent(service, market.agent.owner)
  assert.deepEqual(await refused(custom.id, { input }), [400, 'VALIDATION_FAILED'])
  const dear = await listed({ pricing: { model: 'fixed', amount: 900, currency: 'USD' } })
  const poor = await service.http<{ message: string }>('POST', `/agents/${dear.id}/execute`, {
    token: market.outsider.token,
    body: { input },
  })
  assert.deepEqual([poor.status, poor.body.message], [400, 'Insufficient balance'])
  await service.http('PATCH', `/agents/${dear.id}`, { token: dear.owner.token, body: { status: 'PAUSED' } })
  assert.deepEqual(await refused(dear.id, { input }), [400, 'AGENT_NOT_PUBLISHED', 'Agent not published'])
  await service.http('POST', `/admin/agents/${custom.id}/suspend`, { token: market.admin, body: {} })
  assert.deepEqual(await refused(custom.id, { input, budget: 1 }), [
    403,
    'AGENT_SUSPENDED',
    'Agent suspended',
  ])
  const other = { input, sourceWalletId: market.outsider.walletId }
  assert.deepEqual(await refused(agent.id, other), [403, 'FORBIDDEN', 'Forbidden'])
  assert.equal(await availableOf(service, market.buyer), held)
})

test('a custom price is the budget, and an output that does not fit refunds it', async () => {
  const agent = await called({
    pricing: { model: 'custom', amount: 0, currency: 'USD' },
    outputSchema: TEXT_IN,
  })
  endpoint.answer({ status: 200, body: { output: { text: 5 } } })
  const before = await availableOf(service, market.buyer)
  const { execution } = await execute(market, agent.id, { input: 'go', budget: 3.5 })
  assert.equal(execution.price, '3.50')
  const run = await ended(market, execution.id)
  assert.deepEqual([run.status, run.payment, run.error?.code], ['FAILED', 'REFUNDED', 'SCHEMA_MISMATCH'])
  assert.equal(await availableOf(service, market.buyer), before)
})

test('a failing endpoint is called three times, then the run has failed', async () => {
  const agent = await called()
  endpoint.answer({ status: 503 })
  const from = endpoint.received.length
  const { execution } = await execute(market, agent.id, { input: 'go' })
  for (const attempts of [1, 2, 3]) {
    await requestsAre(from + attempts)
    await service.advance(31)
  }
  const run = await ended(market, execution.id)
  assert.deepEqual([run.status, run.payment, run.error?.code], ['FAILED', 'REFUNDED', 'ENDPOINT_FAILED'])
  const ids = endpoint.received.slice(from).map(({ headers }) => headers['webhook-id'])
  assert.deepEqual(ids, [run.id, run.id, run.id])
})

test('a call that finds no free place is no attempt, and is made later', async () => {
  const agent = await called()
  endpoint.answer({ status: 503 })
  const { execution } = await execute(market, agent.id, { input: 'go' })
  const first = await runOf(market, execution.id, ({ attempts }) => attempts === 1)
  endpoint.answer({ status: 200, body: { output: 'done' } })
  const caller = new Caller(service.services)
  const busy = Promise.withResolvers<void>()
  const calls = Array.from({ length: 254 }, () => caller.queue.run(agent.id, () => busy.promise))
  await callJob(service.services, caller).handle({ runId: first.id, attempt: 2 }, { id: first.id })
  await caller.stop()
  const waiting = await readRun(market, first.id)
  assert.deepEqual([waiting.status, waiting.attempts], ['RUNNING', 1])
  busy.resolve()
  await Promise.all(calls)
  const run = await ended(market, first.id)
  assert.deepEqual([run.status, run.attempts], ['SUCCEEDED', 2])
})

/** Waits until the endpoint has received so many requests, or more. */
async function requestsAre(count: number): Promise<void> {
  const deadline = Date.now() + 30_000
  while (endpoint.received.length < count && Date.now() < deadline)
    await new Promise(resolve => setTimeout(resolve, 50))
  assert(endpoint.received.length >= count)
}

test('a 4xx and a private address fail at once; an answer without JSON too', async () => {
  const failing = async (agentId: string): Promise<RunView> =>
    ended(market, (await execute(market, agentId, { input: 'go' })).execution.id)
  const agent = await called()
  endpoint.answer({ status: 404 })
  assert.equal((await failing(agent.id)).error?.message, 'the endpoint answered 404')
  endpoint.answer({ status: 200, body: '<html>' })
  assert.equal((await failing(agent.id)).error?.message, 'the answer is not a JSON object')
  endpoint.answer({ status: 200, body: { output: 'nul \u0000' } })
  assert.match((await failing(agent.id)).error?.message ?? '', /cannot be stored/)
  endpoint.answer({ status: 200, body: { status: 'FAILED', error: 'no capacity' } })
  assert.deepEqual((await failing(agent.id)).error, { code: 'AGENT_FAILED', message: 'no capacity' })
  const hidden = await listed({ ap2Endpoint: 'http://10.0.0.1/run' })
  const run = await failing(hidden.id)
  assert.deepEqual([run.attempts, run.payment], [1, 'REFUNDED'])
  assert.match(run.error?.message ?? '', /private/)
})

test('an agent without an endpoint fetches the run from its inbox and reports the result', async () => {
  const agent = await listed()
  const { execution } = await execute(market, agent.id, { input: { text: 'fetch me' } })
  const key = { headers: { 'x-agent-api-key': agent.apiKey } }
  const look = await service.http<{ runs: { id: string; status: string }[] }>(
    'GET',
    `/agents/${agent.id}/inbox?take=false`,
    key,
  )
  assert.deepEqual(
    look.body.runs.map(({ id, status }) => [id, status]),
    [[execution.id, 'PENDING']],
  )
  const inbox = await service.http<{
    items: object[]
    runs: { id: string; input: object; resultUrl: string }[]
  }>('GET', `/agents/${agent.id}/inbox`, key)
  assert.deepEqual(
    inbox.body.runs.map(({ id, input }) => ({ id, input })),
    [{ id: execution.id, input: { text: 'fetch me' } }],
  )
  // The deal of a run is no task of its own.
  assert.deepEqual(inbox.body.items, [])
  assert.equal((await readRun(market, execution.id)).status, 'RUNNING')
  const url = new URL(inbox.body.runs[0]?.resultUrl ?? '').pathname
  const report = { ...key, body: { status: 'SUCCEEDED', output: 'done' } }
  const reported = await service.http<RunView>('POST', url, report)
  assert.deepEqual(
    [reported.status, reported.body.status, reported.body.payment],
    [201, 'SUCCEEDED', 'RELEASED'],
  )
  assert.equal((await service.http('POST', url, report)).status, 201)
  const other = await service.http('POST', url, { ...key, body: { status: 'FAILED' } })
  assert.equal(other.status, 409)
  assert.equal(await walletOf(agent.walletId), '8.00')
  const list = await service.http<{ items: RunView[] }>('GET', `/agents/${agent.id}/executions`, {
    token: agent.owner.token,
  })
  assert.deepEqual(
    list.body.items.map(({ id, status }) => ({ id, status })),
    [{ id: execution.id, status: 'SUCCEEDED' }],
  )
})

test('the parties of the deal of a run cannot pay, refund or dispute it themselves', async () => {
  const agent = await listed()
  const { execution } = await execute(market, agent.id, { input: 'go' })
  const { negotiationId, escrowId } = execution
  const refused = async (path: string, token: string, body: object = {}) =>
    (await service.http<{ hint: string }>('POST', path, { token, body })).body
  for (const { hint } of [
    await refused('/payments/ap2/release', market.buyer.token, { escrowId, acceptUnverified: true }),
    await refused('/ap2/cancel', market.buyer.token, { negotiationId }),
    await refused(`/payments/escrow/${escrowId}/dispute`, market.buyer.token, { reason: 'bad' }),
    await refused('/ap2/start', agent.owner.token, { negotiationId }),
    await refused('/ap2/deliver', agent.owner.token, { negotiationId, result: 'x' }),
    await refused(`/payments/escrow/${escrowId}/refund`, agent.owner.token),
  ])
    assert.equal(hint, 'The deal belongs to a run, which pays or refunds it when it ends')
  const cancelled = await service.http<RunView>('POST', `/agents/my-runs/${execution.id}/cancel`, {
    token: market.buyer.token,
  })
  assert.deepEqual([cancelled.body.status, cancelled.body.payment], ['CANCELLED', 'REFUNDED'])
})

test('a run that nobody fetches ends after 15 minutes, one that is not finished after a day', async () => {
  const agent = await listed()
  const before = await availableOf(service, market.buyer)
  const [unseen, silent] = [
    (await execute(market, agent.id, { input: 'a' })).execution,
    (await execute(market, agent.id, { input: 'b' })).execution,
  ]
  const taken = await service.http('POST', `/agents/${agent.id}/runs/${silent.id}/result`, {
    headers: { 'x-agent-api-key': agent.apiKey },
    body: { status: 'RUNNING' },
  })
  assert.equal(taken.status, 201)
  const refused = await service.http('POST', `/agents/my-runs/${silent.id}/cancel`, {
    token: market.buyer.token,
  })
  assert.equal(refused.status, 409)
  await service.advance(14 * 60)
  assert.equal((await readRun(market, unseen.id)).status, 'PENDING')
  await service.advance(60)
  assert.deepEqual(
    [(await readRun(market, unseen.id)).status, (await readRun(market, silent.id)).status],
    ['TIMED_OUT', 'RUNNING'],
  )
  await service.advance(86_400)
  const run = await readRun(market, silent.id)
  assert.deepEqual([run.status, run.payment], ['TIMED_OUT', 'REFUNDED'])
  assert.equal(await availableOf(service, market.buyer), before)
  const score = await service.http<{ transactions: { outcome: string }[] }>('GET', `/trust/${agent.id}/score`)
  assert.deepEqual(
    score.body.transactions.map(({ outcome }) => outcome),
    ['FAILED'],
  )
})
