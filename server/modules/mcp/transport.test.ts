import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { KeyTrial, publishAgent, startTestService, type ListedAgent, type TestService } from '#test'
import { McpClient } from '../../../test/support/mcp/client.ts'

const ORIGIN = 'https://console.example'
const SVC = join(import.meta.dirname, '../../../bin/svc')

suite('the MCP endpoint', () => {
  let service: TestService
  let trial: KeyTrial
  let agent: ListedAgent
  before(async () => {
    service = await startTestService({ CORS_ORIGINS: ORIGIN })
    trial = await KeyTrial.open(service)
    agent = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 25 } })
  })
  after(() => service.close())

  const keyFor = (body: object = {}) => trial.keyFor(body, trial.buyer)
  const post = (body: unknown, { key, ...headers }: Record<string, string> = {}) =>
    service.http<{ id?: unknown; result?: Record<string, unknown>; error?: { code: number } }>(
      'POST',
      '/mcp',
      {
        body,
        token: key,
        headers: { accept: 'application/json, text/event-stream', ...headers },
      },
    )
  const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
  const initialize = (capabilities = {}) =>
    request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities,
      clientInfo: { name: 'test', version: '1' },
    })

  test('refuses a missing, wrong or revoked key with 401 and the address of the metadata', async () => {
    const made = await trial.create({}, trial.buyer)
    const client = await McpClient.overHttp(service.baseUrl, { key: made.body.apiKey })
    await client.use('get_balance')
    const revoked = await service.http('DELETE', `/api/v1/service-accounts/${made.body.id}`, {
      token: trial.buyer.token,
    })
    assert.equal(revoked.status, 200)
    await assert.rejects(client.use('get_balance'), { code: 401 })
    for (const key of ['', made.body.apiKey, 'sk_wrong', 'sa_wrong', 'not-a-token']) {
      const { status, headers } = await post(request('tools/list'), key ? { key } : {})
      assert.equal(status, 401, key)
      const document = `${service.baseUrl}/.well-known/oauth-protected-resource/mcp`
      assert.equal(headers.get('www-authenticate'), `Bearer resource_metadata="${document}"`)
    }
    const narrow = await post(request('tools/list'), { key: await keyFor({ scopes: ['ap2:execute'] }) })
    assert.equal(narrow.status, 403)
  })

  test('names this service as its authorization server', async () => {
    for (const path of ['', '/mcp']) {
      const { status, body } = await service.http<Record<string, unknown>>(
        'GET',
        `/.well-known/oauth-protected-resource${path}`,
      )
      assert.deepEqual([status, body.resource], [200, `${service.baseUrl}/mcp`])
      assert.deepEqual(body.bearer_methods_supported, ['header'])
      assert.deepEqual(body.authorization_servers, [service.baseUrl])
    }
  })

  test('takes an access token, an account key and an agent key as a bearer', async () => {
    for (const key of [trial.buyer.token, await keyFor(), agent.apiKey])
      assert.equal((await post(request('tools/list'), { key })).status, 200)
    // Elsewhere an agent key has its own header.
    assert.equal((await service.http('GET', '/ap2/negotiations', { token: agent.apiKey })).status, 400)
  })

  test('refuses pages of unknown origins, and no others', async () => {
    const key = await keyFor()
    const statusFrom = async (origin: string) => (await post(request('ping'), { key, origin })).status
    assert.equal(await statusFrom('https://evil.example'), 403)
    assert.equal(await statusFrom('null'), 403)
    for (const origin of [ORIGIN, service.baseUrl]) assert.equal(await statusFrom(origin), 200)
  })

  test('answers malformed requests with an error of the protocol or of HTTP', async () => {
    const key = await keyFor()
    for (const [sent, code, id] of [
      ['{', -32_700, null],
      ['[]', -32_600, null],
      ['null', -32_600, null],
      [{ id: 1, method: 'ping' }, -32_600, 1],
      [[request('ping')], -32_600, null],
    ] as const) {
      const { status, body } = await post(sent, { key, 'content-type': 'application/json' })
      assert.deepEqual([status, body.id, body.error?.code], [400, id, code], JSON.stringify(sent))
    }
    assert.equal((await post(request('ping'), { key, accept: 'application/json' })).status, 406)
    assert.equal((await post(request('ping'), { key, 'mcp-protocol-version': '1999-01-01' })).status, 400)
    assert.equal((await post(request('ping'), { key, 'mcp-session-id': 'unknown' })).status, 404)
    assert.equal((await post(request('no/such'), { key })).body.error?.code, -32_601)
    assert.equal((await post(request('ping', { text: 'x'.repeat(1_100_000) }), { key })).status, 413)
    for (const method of ['GET', 'DELETE'])
      assert.equal((await service.http(method, '/mcp', { token: key })).status, 405)
  })

  test('names where the routing key of a prompt belongs', async () => {
    const client = await McpClient.overHttp(service.baseUrl, { key: await keyFor() })
    const { code, hint } = await client.refusal('route_prompt', { prompt: 'Say hello' })
    assert.equal(code, 'INVALID_AUTH_TYPE')
    assert.match(String(hint), /rk_ routing key in the header x-api-key .* SVC_ROUTING_KEY/)
    await client.close()
  })

  test('ignores the cancellation of a call that cannot exist', async () => {
    const key = await keyFor()
    for (const requestId of ['x'.repeat(9000), { name: 'x'.repeat(9000) }, undefined, 'unknown'])
      assert.equal(
        (await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, { key }))
          .status,
        202,
      )
  })

  test('a session id holds what the client declared', async () => {
    const key = await keyFor()
    for (const [capabilities, kind] of [
      [{}, 'plain'],
      [{ elicitation: {} }, 'form'],
      [{ elicitation: { form: {} } }, 'form'],
      [{ elicitation: { url: {} } }, 'plain'],
    ] as const) {
      const { status, headers, body } = await post(initialize(capabilities), { key })
      assert.deepEqual([status, headers.get('mcp-session-id')?.split('.')[1]], [200, kind])
      assert.equal(body.result?.protocolVersion, '2025-06-18')
    }
  })

  test('any process serves a session, and passes on the answer of its user', async () => {
    const other = await service.instance()
    let posts = 0
    // A balancer that sends each request to the next process.
    const balanced = (url: URL | string, init?: RequestInit) => {
      const base = posts++ % 2 ? other.baseUrl : service.baseUrl
      return fetch(new URL(new URL(url).pathname, base), init)
    }
    const client = await McpClient.overHttp(service.baseUrl, {
      key: await keyFor(),
      answer: 'accept',
      fetch: balanced,
    })
    for (let call = 0; call < 4; call++) {
      const hire = { agent: agent.slug, task: 'Write' }
      const { status } = await client.use('hire_agent', hire)
      assert.equal(status, 'ESCROWED')
      // Another request, so that the next question goes to the other process.
      if (call % 2) await client.use('get_balance')
    }
    assert.equal(client.asked.length, 4)
    await client.close()
    await other.close()
  })

  test('ends questions that wait when the service stops', async () => {
    const other = await service.instance()
    const { promise: isAsked, resolve } = Promise.withResolvers<void>()
    const client = await McpClient.overHttp(other.baseUrl, {
      key: await keyFor(),
      answer: async () => {
        resolve()
        return 'ignore'
      },
    })
    const hire = client.refusal('hire_agent', { agent: agent.slug, task: 'Write' })
    await isAsked
    await other.close()
    assert.equal((await hire).code, 'NOT_CONFIRMED')
    await client.close()
  })
})

suite('svc mcp', () => {
  let service: TestService
  let trial: KeyTrial
  let agent: ListedAgent
  before(async () => {
    service = await startTestService()
    trial = await KeyTrial.open(service)
    agent = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 25 } })
  })
  after(() => service.close())

  const stdio = (key: string) =>
    new StdioClientTransport({
      command: SVC,
      args: ['mcp'],
      env: { PATH: process.env.PATH ?? '', SVC_URL: service.baseUrl, SVC_API_KEY: key },
      stderr: 'ignore',
    })

  test('leads from search to RELEASED over stdio, with questions to the user', async () => {
    const buyer = await McpClient.connect(
      stdio(await trial.keyFor({ spendingLimit: 50 }, trial.buyer)),
      'accept',
    )
    const seller = await McpClient.connect(stdio(agent.apiKey))
    await buyer.use('search_agents', { query: agent.slug })
    const { id: dealId } = await buyer.use('hire_agent', { agent: agent.slug, task: 'Write' })
    await seller.use('deliver_work', { dealId, result: 'done' })
    assert.equal((await buyer.use('release_payment', { dealId })).status, 'RELEASED')
    assert.equal(buyer.asked.length, 2)
    await buyer.use('hire_agent', { agent: agent.slug, task: 'Write' })
    const refused = await buyer.refusal('hire_agent', { agent: agent.slug, task: 'Write' })
    assert.equal(refused.code, 'KEY_LIMIT_EXCEEDED')
    await Promise.all([buyer.close(), seller.close()])
  })

  test('starts with the configuration that the documentation shows', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../docs/MCP.md'), 'utf8')
    const [, shown = ''] = /```json\n(.*?)```/s.exec(text) ?? []
    const { mcpServers } = JSON.parse(shown) as {
      mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string> }>
    }
    const { args, env, command } = mcpServers.svc ?? assert.fail('no server')
    assert.match(command, /\/bin\/svc$/)
    assert.deepEqual(Object.keys(env), ['SVC_URL', 'SVC_API_KEY'])
    const own = { SVC_URL: service.baseUrl, SVC_API_KEY: await trial.keyFor({}, trial.buyer) }
    const client = await McpClient.connect(
      new StdioClientTransport({ command: SVC, args, env: { PATH: process.env.PATH ?? '', ...own } }),
    )
    const { tools } = await client.client.listTools()
    for (const { name } of tools) assert.ok(text.includes(`\`${name}\``), name)
    await client.close()
  })

  test('reports to the client that the key was refused', async () => {
    await assert.rejects(McpClient.connect(stdio('sk_wrong')), /INVALID_API_KEY/)
  })
})
