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
  RateLimitError,
  signWebhook,
  Svc,
  verifyWebhook,
  WebhookError,
} from '#sdk'
import { newWebhookSecret, signWebhook as signAsService } from '#platform/http/webhook-signature'
import {
  freePort,
  negotiate,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type TestService,
} from '#test'
import { ended, execute, readRun } from '../support/people/runs.ts'

const PRICE = { pricing: { model: 'per_call', amount: 10, currency: 'USD' } }

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

  test('ends a list with a cursor at its last page, although what it counts has changed', async () => {
    const pages = new Map([
      [null, { agents: [{ id: 'a' }, { id: 'b' }], total: 10_000, totalIsCapped: true, nextCursor: 'next' }],
      ['next', { agents: [{ id: 'c' }], total: 10_000, totalIsCapped: true, nextCursor: null }],
    ])
    const cursors: (string | null)[] = []
    const answer: typeof fetch = async input => {
      const cursor = new URL(new Request(input).url).searchParams.get('cursor')
      assert.ok(cursors.push(cursor) <= 3, 'it does not end')
      return Response.json(pages.get(cursor))
    }
    const svc = new Svc({ baseUrl: service.baseUrl, fetch: answer })
    const ids = await Array.fromAsync(svc.pages('GET /agents/discover'), ({ id }) => id)
    assert.deepEqual(
      [ids, cursors],
      [
        ['a', 'b', 'c'],
        [null, 'next'],
      ],
    )
  })

  test('waits for a Retry-After that is as long as the longest wait, and for no longer one', async () => {
    const send = (seconds: number) => {
      let calls = 0
      const answer: typeof fetch = async () =>
        calls++
          ? Response.json({ status: 'ok' })
          : Response.json({}, { status: 429, headers: { 'retry-after': String(seconds) } })
      return new Svc({ fetch: answer, maxRetryWaitMs: 50 }).request('GET /healthz')
    }
    assert.deepEqual(await send(0.05), { status: 'ok' })
    await assert.rejects(send(0.06), RateLimitError)
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

  test('takes no run without a handler for runs, and with one works on each run once', async () => {
    const market = await openMarket(service)
    const { id, slug, apiKey } = await publishAgent(service, market.agent.owner, PRICE)
    const [one, bad] = [
      (await execute(market, id, { input: { text: 'one' } })).execution,
      (await execute(market, id, { input: 'bad' })).execution,
    ]
    const offered = Promise.withResolvers<void>()
    await client(market.buyer.token).request('POST /ap2/negotiate', {
      body: { responderSlug: slug, requestedService: 'Notes', budget: 5 },
    })
    const [first, second] = [new AbortController(), new AbortController()]
    const deaf = (await client(apiKey).agent(slug))
      .on('offer', () => offered.resolve())
      .listen({ signal: first.signal })
    await offered.promise
    first.abort()
    await deaf
    assert.deepEqual(
      [(await readRun(market, one.id)).status, (await readRun(market, bad.id)).status],
      ['PENDING', 'PENDING'],
    )
    const inputs: unknown[] = []
    const listening = (await client(apiKey).agent(slug))
      .on('run', async run => {
        inputs.push(run.input)
        assert.equal((await readRun(market, run.id)).status, 'RUNNING')
        if (run.input === 'bad') await run.fail('no such repository')
        else await run.succeed({ echo: run.input })
      })
      .listen({ signal: second.signal })
    const [succeeded, failed] = [await ended(market, one.id), await ended(market, bad.id)]
    assert.deepEqual([succeeded.payment, succeeded.output], ['RELEASED', { echo: { text: 'one' } }])
    assert.deepEqual([failed.payment, failed.error?.message], ['REFUNDED', 'no such repository'])
    const { execution } = await execute(market, id, { input: 'three' })
    assert.equal((await ended(market, execution.id)).status, 'SUCCEEDED')
    second.abort()
    await listening
    assert.deepEqual(inputs.map(input => JSON.stringify(input)).sort(), [
      '"bad"',
      '"three"',
      '{"text":"one"}',
    ])
  })

  test('works on every open task although its handlers change the list', async () => {
    const market = await openMarket(service)
    for (let at = 0; at < 4; at++) await negotiate(market)
    // Their events are older than the stream: only the list has these offers.
    await new Promise(resolve => setTimeout(resolve, 1000))
    const stop = new AbortController()
    const answered: string[] = []
    const firstPage = Promise.withResolvers<void>()
    const slow: typeof fetch = async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      if (!url.pathname.endsWith('/inbox')) return fetch(url, init)
      url.searchParams.set('limit', '2')
      // By now the handlers would have answered the first page, and the event of its first offer.
      if (url.searchParams.has('offset')) await new Promise(resolve => setTimeout(resolve, 500))
      // The stream is open: this offer is on the first page and has an event.
      else await negotiate(market)
      return fetch(url, init).finally(firstPage.resolve)
    }
    const svc = new Svc({ baseUrl: service.baseUrl, apiKey: market.agent.apiKey, fetch: slow })
    const agent = await svc.agent(market.agent.slug)
    await agent
      .on('offer', async offer => {
        await firstPage.promise
        await offer.reject()
        if (answered.push(offer.id) === 5) stop.abort()
      })
      .listen({ signal: AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]) })
    assert.equal(new Set(answered).size, 5)
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

  test('names what is missing in an address before anything is sent', async () => {
    for (const baseUrl of ['localhost', 'localhost:3000'])
      await assert.rejects(new Svc({ baseUrl }).request('GET /healthz'), {
        name: 'SvcError',
        message: `"${baseUrl}" is no address: baseUrl must be one such as http://127.0.0.1:3000`,
      })
    const reading = client().request('GET /agents/{id}', { path: { id: '' } })
    await assert.rejects(reading, { message: 'GET /agents/{id} needs id: pass path: { id }' })
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
    for (const wrong of ['whsec_no base64!', 'whsec_', ''])
      await assert.rejects(verifyWebhook(body, signed, wrong), {
        name: 'WebhookError',
        message: /^The secret/,
      })
  })
})
