import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message, Task } from '@a2a-js/sdk'
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import * as next from 'a2a-js-sdk-1/client'
import {
  fund,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

/** Adds the credential of the buyer. */
const authorized =
  (token = market.buyer.token): typeof fetch =>
  (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: `Bearer ${token}` },
    })

const cardUrl = (agentId = market.agent.id) => `${service.baseUrl}/a2a/agents/${agentId}/`

const clientOf = (agentId?: string, token?: string) =>
  new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl: authorized(token) })],
    }),
  ).createFromUrl(cardUrl(agentId), '.well-known/agent-card.json')

let sent = 0
const message = (more: Partial<Message> = {}): Message => ({
  kind: 'message',
  role: 'user',
  messageId: `message-${++sent}-${market.buyer.id}`,
  parts: [{ kind: 'text', text: 'Translate the release notes' }],
  ...more,
})
const asTask = (result: Message | Task): Task => {
  if (result.kind !== 'task') throw new Error('a message, not a task')
  return result
}
const params = (more: Partial<Message> = {}, metadata: Record<string, unknown> = { budget: 20 }) => ({
  message: message(more),
  metadata,
  configuration: { blocking: false },
})
const seller = (path: string, body: object) => must(market, 'seller', path, body)
const available = async () =>
  (await must<{ available: string }>(market, 'buyer', `/wallets/${market.buyer.walletId}`)).available

/** One call of JSON-RPC without a client. */
const rpc = async (
  method: string,
  given: unknown,
  { path = `/a2a/agents/${market.agent.id}`, token = market.buyer.token } = {},
) => {
  const { body } = await service.http<{ result?: Task; error?: { code: number; message: string } }>(
    'POST',
    path,
    {
      token,
      body: { jsonrpc: '2.0', id: 'x', method, params: given },
    },
  )
  return body
}

test('the client of A2A 0.3 hires an agent, gets its delivery and pays it', async () => {
  const client = await clientOf()
  const before = Number(await available())
  const task = asTask(await client.sendMessage(params()))
  assert.deepEqual(
    [task.status.state, task.metadata?.price, task.metadata?.escrowStatus],
    ['submitted', '20.00', 'HELD'],
  )
  assert.equal(Number(await available()), before - 20)
  const deal = await must(market, 'buyer', `/ap2/negotiations/${task.id}`)
  assert.equal(deal.status, 'ESCROWED')
  await seller('/ap2/start', { negotiationId: task.id })
  assert.equal((await client.getTask({ id: task.id })).status.state, 'working')
  await seller('/ap2/deliver', { negotiationId: task.id, result: { text: 'Notes de version' } })
  const delivered = await client.getTask({ id: task.id })
  assert.equal(delivered.status.state, 'input-required')
  assert.deepEqual(
    delivered.artifacts?.map(({ parts }) => parts),
    [[{ kind: 'data', data: { text: 'Notes de version' } }]],
  )
  const paid = asTask(await client.sendMessage(params({ taskId: task.id }, { action: 'release' })))
  assert.equal(paid.status.state, 'completed')
  assert.equal((await must(market, 'buyer', `/ap2/negotiations/${task.id}`)).status, 'COMPLETED')
})

test('a file of the vault has its address in the task', async () => {
  const client = await clientOf()
  const task = asTask(await client.sendMessage(params()))
  const uploaded = await fetch(`${service.baseUrl}/vault?name=notes.txt`, {
    method: 'POST',
    headers: { 'x-agent-api-key': market.agent.apiKey, 'content-type': 'text/plain' },
    body: 'Notes de version',
  })
  const { id: vaultId } = (await uploaded.json()) as { id: string }
  await seller('/ap2/deliver', { negotiationId: task.id, artifacts: [{ name: 'notes', vaultId }] })
  const [artifact] = (await client.getTask({ id: task.id })).artifacts ?? []
  const uri = `${service.baseUrl}/vault/${vaultId}/content`
  assert.deepEqual(artifact?.parts, [{ kind: 'file', file: { uri, name: 'notes', mimeType: 'text/plain' } }])
  await client.sendMessage(params({ taskId: task.id }, { action: 'release' }))
  assert.equal(await (await authorized()(uri)).text(), 'Notes de version')
})

test('a stream shows the states of the task up to its delivery', async () => {
  const client = await clientOf()
  const states: string[] = []
  let taskId = ''
  for await (const event of client.sendMessageStream(params())) {
    if (event.kind === 'task') {
      taskId = event.id
      states.push(event.status.state)
      await seller('/ap2/start', { negotiationId: taskId })
    } else if (event.kind === 'status-update') {
      states.push(event.status.state)
      if (event.status.state === 'working')
        await seller('/ap2/deliver', { negotiationId: taskId, result: 'done' })
    } else if (event.kind === 'artifact-update') {
      states.push('artifact')
      assert.deepEqual(event.artifact.parts, [{ kind: 'text', text: 'done' }])
    }
  }
  assert.deepEqual(states, ['submitted', 'working', 'artifact', 'input-required'])
})

test('a stream ends with an error once its credential is revoked', async () => {
  const buyer = await registerHuman(service)
  await fund(service, buyer, 20)
  const { token } = buyer
  const { body: sessions } = await service.http<{ items: { id: string }[] }>('GET', '/auth/sessions', {
    token,
  })
  const [session] = sessions.items
  assert(session)
  const response = await authorized(token)(`${service.baseUrl}/a2a/agents/${market.agent.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'message/stream', params: params() }),
    signal: AbortSignal.timeout(30_000),
  })
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    if (text === '') await service.http('DELETE', `/auth/sessions/${session.id}`, { token })
    text += decoder.decode(chunk as Uint8Array, { stream: true })
  }
  assert.match(text, /"state":"submitted"/)
  assert.match(text.trimEnd().split('\n\n').at(-1) ?? '', /"error":\{.*Unauthorized/)
})

test('the client of A2A 1.x hires and cancels by its 0.3 compatibility', async () => {
  const factory = new next.ClientFactory({
    transports: [
      new next.JsonRpcTransportFactory({ fetchImpl: authorized(), legacyCompat: { enabled: true } }),
    ],
    cardResolver: new next.DefaultAgentCardResolver({ legacyCompat: { enabled: true } }),
  })
  const client = await factory.createFromUrl(cardUrl(), '.well-known/agent-card.json')
  const before = await available()
  const result = await client.sendMessage({
    tenant: '',
    message: {
      messageId: `next-${market.buyer.id}`,
      contextId: '',
      taskId: '',
      role: 1,
      parts: [{ content: { $case: 'text', value: 'Translate' }, metadata: {}, filename: '', mediaType: '' }],
      metadata: { budget: 3 },
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    },
    metadata: undefined,
  })
  assert.ok('id' in result, JSON.stringify(result))
  const { id } = result
  assert.equal((await rpc('tasks/get', { id })).result?.status.state, 'submitted')
  await client.cancelTask({ tenant: '', id, metadata: undefined })
  assert.equal((await rpc('tasks/get', { id })).result?.status.state, 'canceled')
  assert.equal(await available(), before)
})

test('a message that is repeated hires once', async () => {
  const given = params()
  const answers = await Promise.all(Array.from({ length: 8 }, () => rpc('message/send', given)))
  assert.equal(new Set(answers.map(({ result }) => result?.id)).size, 1, JSON.stringify(answers))
})

test('the price is the listed one, within the budget', async () => {
  const agent = await publishAgent(service, market.agent.owner, { pricing: { model: 'fixed', amount: 12 } })
  const path = `/a2a/agents/${agent.id}`
  assert.equal((await rpc('message/send', params({}, {}), { path })).result?.metadata?.price, '12.00')
  assert.equal(
    (await rpc('message/send', params({}, { budget: '15' }), { path })).result?.metadata?.price,
    '12.00',
  )
  const refused = await rpc('message/send', params({}, { budget: 11 }), { path })
  assert.deepEqual([refused.error?.code, refused.result], [-32602, undefined])
  const unpriced = await rpc('message/send', params({}, {}))
  assert.match(unpriced.error?.message ?? '', /budget is required/)
})

test('the service’s own address hires the agent that the metadata names', async () => {
  const named = await rpc('message/send', params({}, { budget: 1, agentSlug: market.agent.slug }), {
    path: '/a2a',
  })
  assert.equal(named.result?.metadata?.agentId, market.agent.id)
  assert.equal((await rpc('message/send', params(), { path: '/a2a' })).error?.code, -32602)
  const card = await service.http<{ url: string; protocolVersion: string }>(
    'GET',
    '/.well-known/agent-card.json',
  )
  assert.deepEqual([card.body.url.endsWith('/a2a'), card.body.protocolVersion], [true, '0.3.0'])
})

test('refuses with the codes of JSON-RPC and of A2A', async () => {
  const code = async (...call: Parameters<typeof rpc>) => (await rpc(...call)).error?.code
  assert.equal(await code('message/sing', {}), -32601)
  assert.equal(await code('message/send', {}), -32602)
  assert.equal(await code('message/send', params({ parts: [] })), -32602)
  assert.equal(await code('tasks/get', { id: market.agent.id }), -32001)
  assert.equal(await code('tasks/pushNotificationConfig/set', {}), -32003)
  const poor = market.outsider.token
  const broke = await rpc('message/send', params(), { token: poor })
  assert.deepEqual([broke.error?.code, broke.error?.message], [-32602, 'Insufficient balance'])
  const { result } = await rpc('message/send', params())
  assert.ok(result)
  // Of another account, and of another agent.
  assert.equal(await code('tasks/get', { id: result.id }, { token: poor }), -32001)
  assert.equal(await code('tasks/cancel', { id: result.id }, { token: poor }), -32001)
  const other = await publishAgent(service, market.agent.owner)
  assert.equal(await code('tasks/get', { id: result.id }, { path: `/a2a/agents/${other.id}` }), -32001)
  await seller('/ap2/start', { negotiationId: result.id })
  assert.equal(await code('tasks/cancel', { id: result.id }), -32002)
  assert.equal(await code('message/send', params({ taskId: result.id }, { action: 'release' })), -32004)
  const { status, body } = await service.http<{ id: unknown }>('POST', '/a2a', {
    token: poor,
    body: { id: 1 },
  })
  assert.deepEqual([status, body.id], [200, 1])
})

test('a buyer asks for changes of a delivery, and a blocking message waits for the agent', async () => {
  const { result } = await rpc('message/send', params())
  assert.ok(result)
  await seller('/ap2/deliver', { negotiationId: result.id, result: 'draft' })
  const unclear = await rpc('message/send', params({ taskId: result.id }, {}))
  assert.equal(unclear.error?.code, -32602)
  const waiting = rpc('message/send', {
    ...params({ taskId: result.id, parts: [{ kind: 'text', text: 'In French' }] }, { action: 'changes' }),
    configuration: { blocking: true },
  })
  const deadline = Date.now() + 15_000
  while ((await must(market, 'buyer', `/ap2/negotiations/${result.id}`)).status !== 'IN_PROGRESS') {
    assert.ok(Date.now() < deadline)
    await sleep(50)
  }
  await seller('/ap2/deliver', { negotiationId: result.id, result: 'version finale' })
  const settled = (await waiting).result
  assert.equal(settled?.status.state, 'input-required')
  assert.deepEqual(settled.artifacts?.[0]?.parts, [{ kind: 'text', text: 'version finale' }])
})

test('a task whose deal is disputed does not ask for a release, and names no automatic one', async () => {
  const { result } = await rpc('message/send', params())
  assert.ok(result)
  await seller('/ap2/deliver', { negotiationId: result.id, result: 'wrong' })
  const escrow = `/payments/escrow/${String(result.metadata?.escrowId)}`
  await must(market, 'buyer', `${escrow}/dispute`, { reason: 'Not what was ordered' })
  const disputed = JSON.stringify((await rpc('tasks/get', { id: result.id })).result?.status)
  assert.match(disputed, /The deal is disputed/)
  assert.doesNotMatch(disputed, /paid automatically/)
})
