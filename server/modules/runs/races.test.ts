import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  availableOf,
  openMarket,
  publishAgent,
  sharedService,
  type Instance,
  type ListedAgent,
  type Market,
  type TestService,
} from '#test'
import { openAgentEndpoint, type AgentEndpoint } from '../../../test/support/service/agent-endpoint.ts'
import { ended, execute, readRun, type RunView } from '../../../test/support/people/runs.ts'

const PRICE = { pricing: { model: 'per_call', amount: 10, currency: 'USD' } }

let service: TestService
let other: Instance
let market: Market
let endpoint: AgentEndpoint
before(async () => {
  service = await sharedService()
  other = await service.instance()
  market = await openMarket(service)
  endpoint = await openAgentEndpoint()
})
after(async () => {
  await endpoint.close()
  await other.close()
  await service.close()
})

const earned = (agent: ListedAgent) => availableOf(service, { ...agent.owner, walletId: agent.walletId })
const listed = (fields: object = {}) => publishAgent(service, market.agent.owner, { ...PRICE, ...fields })

/** Reports a result at one of both instances, by turns. */
const report = (agent: ListedAgent, runId: string, { body, turn = 0 }: { body: object; turn?: number }) =>
  (turn % 2 ? other : service).http<RunView>('POST', `/agents/${agent.id}/runs/${runId}/result`, {
    headers: { 'x-agent-api-key': agent.apiKey },
    body,
  })

test('a result that is sent 16 times at once, to two instances, is paid once', async () => {
  const agent = await listed()
  const { execution } = await execute(market, agent.id, { input: 'go' })
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, turn) =>
      report(agent, execution.id, { body: { status: 'SUCCEEDED', output: { n: 1 } }, turn }),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 201),
  )
  assert.equal(await earned(agent), '8.00')
})

test('of 16 different results at once one counts, the others are refused', async () => {
  const agent = await listed()
  const before = await availableOf(service, market.buyer)
  const { execution } = await execute(market, agent.id, { input: 'go' })
  const bodies = Array.from({ length: 16 }, (_, n) =>
    n % 2 ? { status: 'FAILED', error: `reason ${n}` } : { status: 'SUCCEEDED', output: { n } },
  )
  const answers = await Promise.all(
    bodies.map((body, turn) => report(agent, execution.id, { body, turn: turn >> 1 })),
  )
  assert.equal(answers.map(({ status }) => status).filter(status => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, 15)
  const run = await readRun(market, execution.id)
  const isPaid = run.status === 'SUCCEEDED'
  assert.deepEqual(
    [run.payment, await earned(agent), (await availableOf(service, market.buyer)) === before],
    isPaid ? ['RELEASED', '8.00', false] : ['REFUNDED', '0.00', true],
  )
})

test('a result and the deadline at the same time: the run is either paid or refunded', async () => {
  for (let round = 0; round < 3; round++) {
    const agent = await listed()
    const { execution } = await execute(market, agent.id, { input: 'go' })
    await service.advance(15 * 60 - 1)
    const body = { status: 'SUCCEEDED', output: 'done' }
    const [answer] = await Promise.all([
      report(agent, execution.id, { body, turn: round }),
      service.advance(2),
    ])
    const run = await readRun(market, execution.id)
    assert.deepEqual(
      [run.status, run.payment, await earned(agent)],
      answer.status === 201 ? ['SUCCEEDED', 'RELEASED', '8.00'] : ['TIMED_OUT', 'REFUNDED', '0.00'],
    )
    assert(answer.status === 201 || answer.status === 409, answer.text)
  }
})

test('a call that was cut off is made again, and the late answer of the first pays nothing', async () => {
  const agent = await listed({ ap2Endpoint: endpoint.url })
  const late = Promise.withResolvers<{ status: number; body: object }>()
  endpoint.answer(late.promise, { status: 200, body: { output: 'second' } })
  const from = endpoint.received.length
  const { execution } = await execute(market, agent.id, { input: 'go' })
  await received(from + 1)
  await service.advance(61)
  const run = await ended(market, execution.id)
  assert.deepEqual([run.status, run.output, run.attempts], ['SUCCEEDED', 'second', 2])
  late.resolve({ status: 200, body: { output: 'first' } })
  await attemptsEnded(execution.id)
  assert.equal((await readRun(market, execution.id)).output, 'second')
  assert.equal(await earned(agent), '8.00')
  assert.deepEqual(
    endpoint.received.slice(from).map(({ headers }) => headers['webhook-id']),
    [run.id, run.id],
  )
})

test('a run whose calls are all cut off fails and is refunded', async () => {
  const agent = await listed({ ap2Endpoint: endpoint.url })
  const late = Promise.withResolvers<{ status: number; body: object }>()
  endpoint.answer(late.promise)
  const from = endpoint.received.length
  const { execution } = await execute(market, agent.id, { input: 'go' })
  for (const call of [1, 2, 3]) {
    await received(from + call)
    await service.advance(61)
  }
  const run = await ended(market, execution.id)
  assert.deepEqual([run.status, run.payment, run.attempts], ['FAILED', 'REFUNDED', 3])
  late.resolve({ status: 200, body: { output: 'too late' } })
  await attemptsEnded(execution.id)
  assert.deepEqual([(await readRun(market, execution.id)).status, await earned(agent)], ['FAILED', '0.00'])
})

test('an agent that answers 202 reports later, and is called no more', async () => {
  const agent = await listed({ ap2Endpoint: endpoint.url })
  endpoint.answer({ status: 202 })
  const from = endpoint.received.length
  const { execution } = await execute(market, agent.id, { input: 'go' })
  await attemptsEnded(execution.id)
  await service.advance(3600)
  assert.equal(endpoint.received.length, from + 1)
  const answer = await report(agent, execution.id, { body: { status: 'SUCCEEDED', output: 'later' } })
  assert.deepEqual([answer.status, answer.body.payment], [201, 'RELEASED'])
})

test('a run whose escrow is frozen ends, and is paid once the escrow continues', async () => {
  const agent = await listed()
  const { execution } = await execute(market, agent.id, { input: 'go' })
  const owner = { token: agent.owner.token }
  assert.equal((await service.http('POST', `/agents/${agent.id}/revoke-key`, owner)).status, 200)
  const body = { status: 'SUCCEEDED', output: 'done' }
  const path = `/agents/${agent.id}/runs/${execution.id}/result`
  const reported = await service.http<RunView>('POST', path, { ...owner, body })
  assert.deepEqual([reported.body.status, reported.body.payment], ['SUCCEEDED', 'HELD'])
  assert.equal((await readRun(market, execution.id)).output, null, 'not paid yet')
  await service.advance(2 * 3600)
  assert.equal((await readRun(market, execution.id)).payment, 'HELD')
  assert.equal((await service.http('POST', `/agents/${agent.id}/keys`, owner)).status, 201)
  await service.advance(3600)
  const run = await readRun(market, execution.id)
  assert.deepEqual([run.payment, run.output, await earned(agent)], ['RELEASED', 'done', '8.00'])
})

test('a run that waits ends with an escrow that an operator resolves', async () => {
  const agent = await listed()
  const { execution } = await execute(market, agent.id, { input: 'go' })
  await service.http('POST', `/agents/${agent.id}/revoke-key`, { token: agent.owner.token })
  const resolved = await service.http('POST', `/payments/escrow/${execution.escrowId}/resolve`, {
    token: market.admin,
    body: { outcome: 'REFUND', reason: 'the keys leaked' },
  })
  assert.equal(resolved.status, 201, resolved.text)
  const run = await readRun(market, execution.id)
  assert.deepEqual([run.status, run.payment, run.error?.code], ['CANCELLED', 'REFUNDED', 'ESCROW_ENDED'])
})

async function received(count: number): Promise<void> {
  await eventually(async () => endpoint.received.length >= count, `${count} requests`)
}

/** Waits until every call of the run has been recorded. */
async function attemptsEnded(runId: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await service.services.db.pool.query<{ open: number; made: number }>(
      `select count(*) filter (where ended_at is null)::int as open, count(*)::int as made
      from runs_attempt where run_id = $1`,
      [runId],
    )
    return rows[0]?.open === 0 && rows[0].made > 0
  }, 'the attempts have ended')
}

async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await holds())) {
    assert(Date.now() < deadline, what)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
