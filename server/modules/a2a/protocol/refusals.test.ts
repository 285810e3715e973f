import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openMarket, sharedService, type Market, type TestService } from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

interface Answer {
  jsonrpc: string
  id: unknown
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
})
