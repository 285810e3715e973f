import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DealError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  signWebhook,
  Svc,
  verifyWebhook,
  WebhookError,
} from '#sdk'
import { newWebhookSecret, signWebhook as signAsService } from '#platform/http/webhook-signature'
import { freePort, openMarket, publishAgent, registerHuman, sharedService, type TestService } from '#test'

suite('the SDK', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const client = (apiKey?: string) => new Svc({ baseUrl: service.baseUrl, apiKey })

  test('throws a typed error with code, hint and request id', async () => {
    const [person, other] = [await registerHuman(service), await registerHuman(service)]
    const svc = client(person.token)
    const errorOf = (work: Promise<unknown>) =>
      work.then(
        () => assert.fail('it succeeded'),
        (error: unknown) => error,
      )
    const path = { id: person.walletId }
    const invalid = await errorOf(svc.request('POST /wallets/{id}/fund', { path, body: { amount: -1 } }))
    assert.ok(invalid instanceof InvalidRequestError)
    assert.deepEqual([invalid.status, invalid.code], [400, 'AMOUNT_INVALID'])
    assert.match(invalid.requestId ?? '', /^[\w-]{36}$/)
    assert.ok((await errorOf(client().request('GET /users/me'))) instanceof AuthenticationError)
    const foreign = svc.request('GET /wallets/{id}', { path: { id: other.walletId } })
    assert.ok((await errorOf(foreign)) instanceof PermissionError)
    assert.ok((await errorOf(svc.agent('unknown-agent'))) instanceof NotFoundError)
    const { email } = person
    const again = Svc.register(
      { email, displayName: 'Again', password: 'correct horse battery' },
      { baseUrl: service.baseUrl },
    )
    assert.ok((await errorOf(again)) instanceof ConflictError)
    const nowhere = new Svc({ baseUrl: `http://127.0.0.1:${await freePort()}`, maxRetries: 1 })
    const lost = await errorOf(nowhere.request('GET /healthz'))
    assert.ok(lost instanceof ConnectionError)
    assert.match(lost.message, /GET .* failed: .*ECONNREFUSED/)
  })

  test('reads lists page by page', async () => {
    const person = await registerHuman(service)
    for (let at = 0; at < 5; at++) await publishAgent(service, person, { name: `Paged ${at}` })
    const svc = client(person.token)
    const names = await Array.fromAsync(
      svc.pages('GET /agents/my-agents', { query: { limit: 2 } }),
      ({ name }) => name,
    )
    assert.deepEqual(names.sort(), ['Paged 0', 'Paged 1', 'Paged 2', 'Paged 3', 'Paged 4'])
    const found = await Array.fromAsync(
      svc.pages('GET /agents', { query: { creatorId: person.id, limit: 3 } }),
    )
    assert.equal(found.length, 5)
  })

  test('renews the session once for all requests that wait', async () => {
    const { refreshToken } = await registerHuman(service)
    const sessions: string[] = []
    const svc = new Svc({
      baseUrl: service.baseUrl,
      session: { accessToken: 'ended', refreshToken },
      onSession: ({ refreshToken }) => void sessions.push(refreshToken),
    })
    const ids = await Promise.all(Array.from({ length: 8 }, () => svc.request('GET /users/me')))
    assert.equal(new Set(ids.map(({ id }) => id)).size, 1)
    assert.equal(sessions.length, 1)
  })

  test('hires within the budget only', async () => {
    const market = await openMarket(service)
    const stop = new AbortController()
    const agent = await client(market.agent.apiKey).agent(market.agent.slug)
    const listening = agent
      .on('offer', offer => (offer.price < 50 ? offer.counter(50) : offer.accept()))
      .listen({ signal: stop.signal })
    const hire = (budget: number) =>
      client(market.buyer.token).hire({ slug: market.agent.slug, requestedService: 'Notes', budget })
    await assert.rejects(hire(10), DealError)
    assert.equal((await hire(60)).data.escrow?.amount, '60.00')
    stop.abort()
    await listening
  })

  test('a signal ends a request and a wait', async () => {
    const market = await openMarket(service)
    const signal = AbortSignal.timeout(300)
    const hiring = client(market.buyer.token).hire({
      slug: market.agent.slug,
      requestedService: 'Never accepted',
      budget: 1,
      signal,
    })
    await assert.rejects(hiring, { name: 'TimeoutError' })
    const aborted = AbortSignal.abort(new Error('not now'))
    await assert.rejects(client().request('GET /healthz', { signal: aborted }), { message: 'not now' })
  })

  test('verifies webhooks of the service and of the official library', async () => {
    const secret = newWebhookSecret()
    const body = JSON.stringify({ type: 'deal.funded' })
    const timestamp = Math.floor(Date.now() / 1000)
    const signed = signAsService([newWebhookSecret(), secret], { id: 'evt_1', timestamp, body })
    assert.deepEqual(await verifyWebhook(body, signed, secret), { type: 'deal.funded' })
    assert.deepEqual(await verifyWebhook(body, new Headers(signed), secret), { type: 'deal.funded' })
    const library = new Webhook(secret)
    const own = await signWebhook(body, { id: 'evt_2', secret })
    assert.deepEqual(library.verify(body, own), { type: 'deal.funded' })
    const plain = signAsService('another secret of text', { id: 'evt_3', timestamp, body })
    assert.ok(await verifyWebhook(body, plain, 'another secret of text'))
    const old = signAsService(secret, { id: 'evt_4', timestamp: timestamp - 301, body })
    const unsigned = { ...signed, 'webhook-signature': 'v1,!! v2,AAAA v1' }
    for (const [text, headers, key] of [
      [`${body} `, signed, secret],
      [body, { ...signed, 'webhook-id': 'evt_9' }, secret],
      [body, signed, newWebhookSecret()],
      [body, old, secret],
      [body, { ...signed, 'webhook-timestamp': 'now' }, secret],
      [body, unsigned, secret],
      [body, {}, secret],
    ] as const)
      await assert.rejects(verifyWebhook(text, headers, key), WebhookError)
  })
})
