import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ApiError, ConnectionError, RateLimitError, Svc, type AgentEvent } from '#sdk'
import {
  fund,
  negotiate,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type TestService,
} from '#test'
import { UnreliableProxy, type Fate } from './proxy.ts'

/** The client repeats every write in one place: a whole deal has all of them, and one write the rest of the failures. */
const DEAL_PLAN: Fate[] = ['lose', 503, 'cut']
const PLANS: Fate[][] = [['refuse'], ['lose'], ['cut'], [429], [503]]

suite('the SDK behind a connection that breaks', () => {
  let service: TestService
  let proxy: UnreliableProxy
  before(async () => {
    service = await sharedService()
    proxy = await UnreliableProxy.open(service.baseUrl)
  })
  after(async () => {
    await proxy.close()
    await service.close()
  })

  const client = (apiKey: string, options = {}) => new Svc({ baseUrl: proxy.url, apiKey, ...options })

  /** The amounts of all entries of a wallet in the ledger, in USD, in their order. */
  async function entriesOf(walletId: string): Promise<number[]> {
    const { rows } = await service.services.db.pool.query<{ amount: string }>(
      'select amount from ledger_entry where account in ($1, $2) order by seq',
      [`2010:${walletId}`, `2011:${walletId}`],
    )
    return rows.map(({ amount }) => Number(amount) / 1e6)
  }

  const keysOf = (path: RegExp) => [
    ...new Set(proxy.seen.filter(({ operation }) => path.test(operation)).map(({ key }) => key)),
  ]

  test('moves money once each time in one write, however it fails', async () => {
    const person = await registerHuman(service)
    const path = { id: person.walletId }
    for (const plan of PLANS) {
      proxy.plan(plan, /fund/)
      await client(person.token).request('POST /wallets/{id}/fund', { path, body: { amount: 100 } })
      assert.equal(proxy.seen.length, plan.length + 1, JSON.stringify(proxy.seen))
      assert.equal(keysOf(/fund/).length, 1)
    }
    assert.deepEqual(
      await entriesOf(person.walletId),
      PLANS.map(() => 100),
    )
  })

  test('renews a session whose response was lost, also in a later request', async () => {
    const { refreshToken } = await registerHuman(service)
    const options = { baseUrl: proxy.url, session: { accessToken: 'ended', refreshToken } }
    const svc = new Svc(options)
    const me = (each = svc) => each.request('GET /users/me')
    proxy.plan(['lose', 'lose'], /refresh/)
    await me()
    assert.equal(proxy.seen.filter(({ operation }) => /refresh/.test(operation)).length, 3)
    const impatient = new Svc({
      ...options,
      maxRetries: 0,
      session: { accessToken: 'ended', refreshToken: (await registerHuman(service)).refreshToken },
    })
    proxy.plan(['lose'], /refresh/)
    await assert.rejects(me(impatient), ConnectionError)
    assert.equal((await me(impatient)).userType, 'HUMAN')
  })

  test(`moves money once each time in each write of a deal: ${DEAL_PLAN.join(', ')}`, async () => {
    const market = await openMarket(service, { amount: 1, card: true })
    const { buyer, agent, outsider } = market
    const [asBuyer, asSeller] = [client(buyer.token), client(agent.apiKey)]
    /** One operation, whose first requests fail as planned; all of them have one key. */
    const step = async <T>(path: RegExp, work: () => Promise<T>): Promise<T> => {
      proxy.plan(DEAL_PLAN, path)
      const result = await work()
      const attempts = proxy.seen.filter(({ operation }) => path.test(operation))
      assert.equal(attempts.length, DEAL_PLAN.length + 1, JSON.stringify(attempts))
      assert.equal(keysOf(path).length, 1)
      assert.match(keysOf(path)[0] ?? '', /^[0-9a-f]{32}$/)
      return result
    }
    const path = { id: buyer.walletId }
    await step(/fund/, () => asBuyer.request('POST /wallets/{id}/fund', { path, body: { amount: 100 } }))
    const transfer = { toWalletId: outsider.walletId, amount: 10 }
    await step(/transfer/, () => asBuyer.request('POST /wallets/{id}/transfer', { path, body: transfer }))
    const { id } = await step(/negotiate/, () =>
      asBuyer.request('POST /ap2/negotiate', {
        body: { responderSlug: agent.slug, requestedService: 'Release notes', budget: 50 },
      }),
    )
    const [bought, sold] = [await asBuyer.deal(id), await asSeller.deal(id)]
    await step(/respond/, () => sold.accept())
    await step(/initiate/, () => bought.pay())
    await step(/deliver/, () => sold.deliver({ result: 'done' }))
    await bought.refresh()
    await step(/release/, () => bought.release())
    assert.deepEqual(await entriesOf(buyer.walletId), [1, 100, -10, -50])
    assert.deepEqual(await entriesOf(outsider.walletId), [10])
    assert.deepEqual(await entriesOf(agent.walletId), [40])
    const deals = await Array.fromAsync(asBuyer.deals())
    assert.deepEqual(
      deals.map(deal => [deal.status, deal.escrow?.deliveries.length, deal.escrow?.released]),
      [['COMPLETED', 1, '50.00']],
    )
  })

  test('a client that repeats without a key pays twice where the SDK pays once', async () => {
    const person = await registerHuman(service)
    proxy.plan(['lose'])
    const naive = async () => {
      for (let attempt = 0; ; attempt++)
        try {
          return await fetch(`${proxy.url}/wallets/${person.walletId}/fund`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}` },
            body: '{"amount":7}',
          })
        } catch (error) {
          if (attempt) throw error
        }
    }
    await naive()
    assert.deepEqual(await entriesOf(person.walletId), [7, 7])
  })

  test('does not repeat a write without a key when it may have arrived', async () => {
    const { token } = await registerHuman(service)
    const svc = client(token)
    for (const fate of ['refuse', 'lose', 'cut', 503] as const) {
      proxy.plan([fate])
      await assert.rejects(
        svc.agents.create({ name: `Once ${fate}` }),
        fate === 503 ? (error: ApiError) => error.status === 503 : ConnectionError,
      )
      assert.equal(proxy.seen.length, 1)
    }
    proxy.plan([429])
    await svc.agents.create({ name: 'Once 429' })
    assert.equal(proxy.seen.length, 2)
    proxy.plan([])
    const names = (await Array.fromAsync(svc.agents.mine())).map(({ name }) => name).sort()
    assert.deepEqual(names, ['Once 429', 'Once cut', 'Once lose'])
  })

  test('waits for Retry-After, and gives up where it is longer than the client waits', async () => {
    const { token } = await registerHuman(service)
    proxy.plan([429])
    const began = performance.now()
    await client(token).request('GET /users/me')
    assert.ok(performance.now() - began >= 1000)
    proxy.plan([429])
    await assert.rejects(client(token, { maxRetryWaitMs: 500 }).request('GET /users/me'), RateLimitError)
    assert.equal(proxy.seen.length, 1)
  })

  test('gives up after its retries, with the key of the write in the error', async () => {
    const person = await registerHuman(service)
    proxy.plan(['lose', 'lose', 'lose', 'lose'])
    const path = { id: person.walletId }
    const svc = client(person.token, { maxRetries: 2 })
    const failure = await svc
      .request('POST /wallets/{id}/fund', { path, body: { amount: 3 } })
      .catch((error: unknown) => error)
    assert.ok(failure instanceof ConnectionError && failure.idempotencyKey)
    assert.equal(proxy.seen.length, 3)
    proxy.plan([])
    const { idempotencyKey } = failure
    await svc.request('POST /wallets/{id}/fund', { path, body: { amount: 3 }, idempotencyKey })
    assert.deepEqual(await entriesOf(person.walletId), [3])
  })

  test('many requests at once, of which each loses its answer, pay once each', async () => {
    const person = await registerHuman(service)
    const receiver = await registerHuman(service)
    await fund(service, person, 50)
    proxy.plan(Array.from({ length: 20 }, () => 'lose'))
    const svc = client(person.token)
    await Promise.all(
      Array.from({ length: 20 }, () =>
        svc.request('POST /wallets/{id}/transfer', {
          path: { id: person.walletId },
          body: { toWalletId: receiver.walletId, amount: 2 },
        }),
      ),
    )
    assert.deepEqual(
      await entriesOf(receiver.walletId),
      Array.from({ length: 20 }, () => 2),
    )
  })

  test('an agent whose stream is cut off again and again works on each deal once', async () => {
    const market = await openMarket(service, { amount: 100 })
    const { slug } = await publishAgent(service, market.agent.owner)
    const agent = await client(market.agent.owner.token).agent(slug)
    const buyer = new Svc({ baseUrl: service.baseUrl, apiKey: market.buyer.token })
    const worked: string[] = []
    const events: AgentEvent[] = []
    const stop = new AbortController()
    proxy.plan(['cut', 503, 'refuse', 'cut'], /events/)
    const listening = agent
      .on('offer', offer => offer.accept())
      .on('deal', async deal => {
        worked.push(deal.id)
        await deal.deliver({ result: deal.requestedService })
      })
      .on('event', event => {
        events.push(event)
        // Once in the middle of each deal.
        if (event.type === 'deal.funded') proxy.cutAll()
      })
      .listen({ signal: stop.signal, lastEventId: '0' })
    const deals: string[] = []
    for (const requestedService of ['one', 'two', 'three']) {
      const deal = await buyer.hire({ slug, requestedService, budget: 5, intervalMs: 50 })
      await deal.until('DELIVERED', { intervalMs: 50 })
      await deal.release()
      deals.push(deal.id)
    }
    for (
      const deadline = Date.now() + 60_000;
      events.filter(({ type }) => type === 'deal.released').length < 3;
    ) {
      assert.ok(Date.now() < deadline, JSON.stringify(events))
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    stop.abort()
    await listening
    assert.deepEqual(worked, deals)
    for (const id of deals) {
      const sequences = events.filter(({ data }) => data.negotiationId === id).map(({ sequence }) => sequence)
      assert.deepEqual([...new Set(sequences)], [1, 2, 3, 4, 5, 6])
    }
    assert.ok(proxy.seen.filter(({ operation }) => operation.includes('/events')).length >= 5)
  })

  test('an agent that was away works on what waits for it', async () => {
    const market = await openMarket(service, { amount: 100 })
    const { buyer, agent } = market
    const deal = new Svc({ baseUrl: service.baseUrl, apiKey: buyer.token }).hire({
      slug: agent.slug,
      requestedService: 'waiting',
      budget: 5,
    })
    proxy.plan(['cut', 'cut'], /events/)
    const stop = new AbortController()
    const listening = (await client(agent.apiKey).agent(agent.slug))
      .on('offer', offer => offer.accept())
      .on('deal', work => work.deliver({ result: 'done' }))
      .listen({ signal: stop.signal })
    await (await deal).until('DELIVERED')
    stop.abort()
    await listening
  })

  test('a handler that fails ends the work, or goes to the handler of errors', async () => {
    const market = await openMarket(service, { amount: 100 })
    const { id } = await negotiate(market)
    const open = async () =>
      (await client(market.agent.apiKey).agent(market.agent.slug)).on('offer', () => {
        throw new Error(`no time for ${id}`)
      })
    await assert.rejects((await open()).listen(), { message: `no time for ${id}` })
    const stop = new AbortController()
    const errors: unknown[] = []
    await (
      await open()
    )
      .on('error', error => {
        errors.push(error)
        stop.abort()
      })
      .listen({ signal: stop.signal })
    assert.match(String(errors[0]), /no time for/)
  })
})
