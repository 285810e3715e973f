import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Task } from '@a2a-js/sdk'
import { fund, must, openMarket, sharedService, type Market, type TestService } from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  await fund(service, market.buyer, 50)
})
after(() => service.close())

interface Answer {
  jsonrpc: string
  id: unknown
  result?: Task
  error?: { code: number; message: string }
}

test('answers a body that is no JSON, or no call, with an error of JSON-RPC', async () => {
  const { token } = market.buyer
  const headers = { 'content-type': 'application/json' }
  for (const path of ['/a2a', `/a2a/agents/${market.agent.id}`])
    for (const [body, code] of [
      ['{', -32700],
      ['[]', -32600],
      ['[{"jsonrpc":"2.0","id":1,"method":"tasks/get"}]', -32600],
      ['null', -32600],
      ['', -32600],
    ] as const) {
      const answered = await service.http<Answer>('POST', path, { token, body, headers })
      const { jsonrpc, id, error } = answered.body
      assert.deepEqual([answered.status, jsonrpc, id, error?.code], [200, '2.0', null, code], body)
    }
  assert.equal((await service.http('POST', '/a2a', { body: '{', headers })).status, 401)
  const long = await service.http('POST', `/a2a/agents/${'x'.repeat(400)}`, { token, body: {} })
  assert.equal(long.status, 400)
  const readOnly = await service.http('POST', '/a2a', { token, body: { trustTier: 'VERIFIED' } })
  assert.equal(readOnly.status, 400)
})

test('names the version of the protocol to a client that calls methods of another one', async () => {
  const { body } = await service.http<Answer>('POST', '/a2a', {
    token: market.buyer.token,
    body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} },
  })
  assert.equal(body.error?.code, -32601)
  assert.match(body.error.message, /SendMessage\. This address speaks A2A 0\.3, such as message\/send/)
})

test('refuses a message to a task with the context of another one', async () => {
  let sent = 0
  const send = async (message: object, metadata: object) => {
    const parts = [{ kind: 'text', text: 'Translate' }]
    const messageId = `refusals-${++sent}`
    const params = { message: { kind: 'message', role: 'user', messageId, parts, ...message }, metadata }
    const { body } = await service.http<Answer>('POST', `/a2a/agents/${market.agent.id}`, {
      token: market.buyer.token,
      body: { jsonrpc: '2.0', id: sent, method: 'message/send', params },
    })
    return body
  }
  const { result } = await send({ contextId: 'project' }, { budget: 20 })
  assert.ok(result)
  const { id: taskId, contextId } = result
  assert.equal(contextId, 'project')
  await must(market, 'seller', '/ap2/deliver', { negotiationId: taskId, result: 'done' })
  const { error } = await send({ taskId, contextId: 'another' }, { action: 'release' })
  assert.equal(error?.code, -32602)
  assert.match(error.message, /contextId is not that of the task/)
  assert.equal((await must(market, 'buyer', `/ap2/negotiations/${taskId}`)).status, 'DELIVERED')
  const paid = await send({ taskId, contextId }, { action: 'release' })
  assert.equal(paid.result?.status.state, 'completed')
})
