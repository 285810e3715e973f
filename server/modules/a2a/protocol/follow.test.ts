import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Task } from '@a2a-js/sdk'
import { fund, openMarket, registerHuman, sharedService, type Market, type TestService } from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

const PLACES = 20

interface Answer {
  result?: Task
  error?: { code: number; message: string }
}

/** A buyer of its own for each test: the places are counted by account. */
async function openBuyer() {
  const person = await registerHuman(service)
  await fund(service, person, 100)
  const { token, walletId } = person
  let sent = 0
  const post = (method: string, params: object, signal?: AbortSignal) =>
    fetch(`${service.baseUrl}/a2a/agents/${market.agent.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'x', method, params }),
      signal: signal ?? AbortSignal.timeout(30_000),
    })
  const hire = (blocking: boolean) => ({
    message: {
      kind: 'message',
      role: 'user',
      messageId: `follow-${++sent}`,
      parts: [{ kind: 'text', text: 'Translate' }],
    },
    metadata: { budget: 1 },
    configuration: { blocking },
  })
  const answerTo = async (method: string, params: object): Promise<Answer> =>
    (await post(method, params)).json() as Promise<Answer>
  const begin = async () => {
    const { result } = await answerTo('message/send', hire(false))
    assert.ok(result)
    return result.id
  }
  const available = async () =>
    (await service.http<{ available: string }>('GET', `/wallets/${walletId}`, { token })).body.available
  return { token, post, hire, answerTo, begin, available }
}
type Buyer = Awaited<ReturnType<typeof openBuyer>>

/** Takes all places of the buyer, each by a stream that shows its first event. */
async function followAll(buyer: Buyer, signal: AbortSignal): Promise<string> {
  const id = await buyer.begin()
  await Promise.all(
    Array.from({ length: PLACES }, async () => {
      const { body } = await buyer.post('tasks/resubscribe', { id }, signal)
      assert.ok((await body?.getReader().read())?.value)
    }),
  )
  return id
}

test('refuses a hire to wait for before it is paid, once 20 tasks are followed', async t => {
  const client = new AbortController()
  t.after(() => client.abort())
  const buyer = await openBuyer()
  await followAll(buyer, client.signal)
  const before = await buyer.available()
  for (const method of ['message/send', 'message/stream']) {
    const response = await buyer.post(method, buyer.hire(true))
    const { error } = JSON.parse((await response.text()).replace(/^data: /, '')) as Answer
    assert.deepEqual([method, error?.code, error?.message], [method, -32000, 'Rate limit exceeded'])
    assert.equal(await buyer.available(), before)
  }
  // Without waiting, it takes no place.
  assert.equal((await buyer.answerTo('message/send', buyer.hire(false))).result?.status.state, 'submitted')
})

test('a hire that is refused frees its place', async () => {
  const buyer = await openBuyer()
  const refuse = async (_: unknown, i: number) => {
    const dear = { ...buyer.hire(true), metadata: { budget: 1000 } }
    const { error } = await buyer.answerTo(i % 2 ? 'message/send' : 'message/stream', dear)
    assert.equal(error?.message, 'Insufficient balance')
  }
  for (let round = 0; round < 2; round++) await Promise.all(Array.from({ length: PLACES }, refuse))
})

test('a blocking hire is answered with its task once its credential is revoked', async () => {
  const buyer = await openBuyer()
  const { token } = buyer
  const before = await buyer.available()
  const { body } = await service.http<{ items: { id: string }[] }>('GET', '/auth/sessions', { token })
  const [session] = body.items
  assert.ok(session)
  const waiting = buyer.answerTo('message/send', buyer.hire(true))
  while ((await buyer.available()) === before);
  await service.http('DELETE', `/auth/sessions/${session.id}`, { token })
  const { result, error } = await waiting
  assert.deepEqual([result?.status.state, error], ['submitted', undefined])
})

/** Resolves once a place is free: the retry of a client that was refused. */
async function awaitPlace(buyer: Buyer, id: string): Promise<void> {
  const deadline = Date.now() + 5000
  for (;;) {
    const client = new AbortController()
    const response = await buyer.post('tasks/resubscribe', { id }, client.signal)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    client.abort()
    if (isStream) return
    assert.ok(Date.now() < deadline, 'no place was freed')
    await sleep(100)
  }
}

test('a stream that the client leaves frees its place', async () => {
  const client = new AbortController()
  const buyer = await openBuyer()
  const id = await followAll(buyer, client.signal)
  client.abort()
  await awaitPlace(buyer, id)
})

test('a blocking hire that the client leaves frees its place', async () => {
  const client = new AbortController()
  const buyer = await openBuyer()
  const before = Number(await buyer.available())
  const left = Array.from({ length: PLACES }, () =>
    assert.rejects(buyer.post('message/send', buyer.hire(true), client.signal)),
  )
  while (Number(await buyer.available()) > before - PLACES);
  const id = await buyer.begin()
  client.abort()
  await Promise.all(left)
  await awaitPlace(buyer, id)
})

test('a stream without changes sends a comment every 15 seconds', async t => {
  const client = new AbortController()
  t.after(() => client.abort())
  const buyer = await openBuyer()
  const id = await buyer.begin()
  t.mock.timers.enable({ apis: ['setInterval'] })
  const reader = (await buyer.post('tasks/resubscribe', { id }, client.signal)).body?.getReader()
  assert.ok((await reader?.read())?.value)
  t.mock.timers.tick(15_000)
  assert.equal(new TextDecoder().decode((await reader?.read())?.value), ': keep-alive\n\n')
})

test('a stream says when the deal is disputed, and when the dispute has ended', async t => {
  const client = new AbortController()
  t.after(() => client.abort())
  const buyer = await openBuyer()
  const id = await buyer.begin()
  const reader = (await buyer.post('tasks/resubscribe', { id }, client.signal)).body?.getReader()
  assert.ok(reader)
  const next = async () => {
    const late = sleep(5000).then(() => assert.fail('the stream is silent'))
    const { value } = await Promise.race([reader.read(), late])
    const text = new TextDecoder().decode(value).replace(/^data: /, '')
    return (JSON.parse(text) as Answer).result?.status.message?.parts[0]
  }
  const textOf = async () => JSON.stringify(await next())
  assert.match(await textOf(), /The price is held in escrow/)
  const { body } = await service.http<{ escrowId: string }>('GET', `/ap2/negotiations/${id}`, buyer)
  const dispute = `/payments/escrow/${body.escrowId}/dispute`
  for (const [path, said] of [
    [dispute, /The deal is disputed/],
    [`${dispute}/withdraw`, /The price is held in escrow/],
  ] as const) {
    const { token } = buyer
    const sent = await service.http('POST', path, { token, body: path === dispute ? { reason: 'Late' } : {} })
    assert.equal(sent.status, 201, sent.text)
    assert.match(await textOf(), said)
  }
})
