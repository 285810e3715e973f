import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openMarket, publishAgent, sharedService, type Market, type TestService } from '#test'
import { openAgentEndpoint, type AgentEndpoint } from '../../../../test/support/service/agent-endpoint.ts'
import { ended, execute } from '../../../../test/support/people/runs.ts'

const UNSTORABLE = 'the answer is too deep, or has text that cannot be stored'

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

/** A run that the endpoint answers with this text, once it has ended. */
async function answeredWith(text: string) {
  const pricing = { model: 'per_call', amount: 10, currency: 'USD' }
  const agent = await publishAgent(service, market.agent.owner, { pricing, ap2Endpoint: endpoint.url })
  endpoint.answer({ status: 200, body: text })
  const { execution } = await execute(market, agent.id, { input: 'hello' })
  return ended(market, execution.id)
}

test('an answer without the end of its text stops nobody', async () => {
  // A pattern that tries each quote up to the end of the text takes a quarter of an hour: the run would not end in time.
  const run = await answeredWith(`"${'\\"'.repeat(500_000)}`)
  assert.deepEqual([run.status, run.payment, run.error?.code], ['FAILED', 'REFUNDED', 'ENDPOINT_FAILED'])
})

test('an answer with text that cannot be stored fails the run at once', async () => {
  for (const text of ['"\\ud83d"', '"\\ude00\\ud83d"', '"\\\\ud83d\\ude00"', '"a\\u0000"', '{"\\udc00":1}']) {
    const run = await answeredWith(`{"output":${text}}`)
    assert.deepEqual([run.status, run.attempts], ['FAILED', 1], text)
    assert.equal(run.error?.message, UNSTORABLE, text)
  }
})

test('an answer with pairs of surrogates and escaped backslashes is the output', async () => {
  const run = await answeredWith('{"output":"\\ud83d\\ude00 \\\\u0000 \\\\ud83d"}')
  assert.deepEqual([run.status, run.output], ['SUCCEEDED', '\u{1F600} \\u0000 \\ud83d'])
})

test('an answer that is nested too deep fails the run', async () => {
  for (const depth of [65, 200_000]) {
    const run = await answeredWith(`{"output":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    assert.deepEqual([run.status, run.attempts], ['FAILED', 1])
    assert.equal(run.error?.message, UNSTORABLE)
  }
  const run = await answeredWith(`{"output":${'['.repeat(63)}"[[["${']'.repeat(63)}}`)
  assert.equal(run.status, 'SUCCEEDED')
})
