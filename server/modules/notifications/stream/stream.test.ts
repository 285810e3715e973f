import assert from 'node:assert/strict'
import { after, before, mock, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiError, COMMON } from '#platform/kernel/errors'
import {
  acceptedDeal,
  deliveredDeal,
  eventually,
  heldDeal,
  must,
  negotiate,
  openMarket,
  publishAgent,
  sharedService,
  startTestService,
  StreamClient,
  type Market,
  type TestService,
} from '#test'

suite('events of an agent', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service)
  })
  after(() => service.close())

  const withKey = ({ agent } = market) => ({ 'x-agent-api-key': agent.apiKey })
  const open = (headers: Record<string, string>, { agent } = market) =>
    StreamClient.open(`${service.baseUrl}/agents/${agent.id}/events`, headers)
  const typesOf = (client: StreamClient, negotiationId: string) =>
    client.events.filter(({ data }) => data.data.negotiationId === negotiationId).map(({ event }) => event)
  const own = async (): Promise<Market> => ({
    ...market,
    agent: await publishAgent(service, market.agent.owner),
  })

  test('says that the buyer asks for changes of one milestone while another waits for the buyer', async () => {
    const live = await open(withKey())
    const milestones = ['one', 'two'].map(key => ({ key, title: key, amount: 50 }))
    const { id, escrowId } = await heldDeal(market, { milestones })
    for (const milestoneKey of ['one', 'two'])
      await must(market, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done', milestoneKey })
    const changes = { reason: 'Too short', milestoneKey: 'two' }
    await must(market, 'buyer', `/payments/escrow/${escrowId}/changes`, changes)
    await live.until(client => typesOf(client, id).includes('deal.changes_requested'))
    live.close()
  })

  test('streams a deal in order, and resumes after the last event that was received', async () => {
    const live = await open(withKey())
    const { id, escrowId } = await deliveredDeal(market)
    await live.until(client => typesOf(client, id).includes('deal.delivered'))
    live.close()
    const last = live.events.at(-1)
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    const resumed = await open({ ...withKey(), 'last-event-id': last?.id ?? '' })
    await resumed.until(client => typesOf(client, id).includes('deal.released'))
    const both = [...live.events, ...resumed.events].filter(({ data }) => data.data.negotiationId === id)
    assert.deepEqual(
      both.map(({ event }) => event),
      [
        'negotiation.created',
        'negotiation.accepted',
        'deal.funded',
        'deal.started',
        'deal.delivered',
        'deal.released',
      ],
    )
    assert.deepEqual(
      both.map(({ data }) => data.sequence),
      [1, 2, 3, 4, 5, 6],
    )
    assert.deepEqual(both.at(-1)?.data.data, {
      negotiationId: id,
      escrowId,
      status: 'COMPLETED',
      escrowStatus: 'RELEASED',
      price: '100.00',
      currency: 'USD',
      test: true,
      role: 'seller',
      by: 'buyer',
    })
    resumed.close()
  })

  test('an agent that was away gets every event of each deal in order, with Last-Event-ID 0', async () => {
    const away = await own()
    const deals = await Promise.all([deliveredDeal(away), deliveredDeal(away), acceptedDeal(away)])
    const url = `${service.baseUrl}/agents/${away.agent.id}/events?lastEventId=0`
    const client = await StreamClient.open(url, withKey(away))
    await client.until(({ events }) => events.length >= 12)
    for (const { id } of deals) {
      const sequences = client.events
        .filter(({ data }) => data.data.negotiationId === id)
        .map(({ data }) => data.sequence)
      assert.deepEqual(
        sequences,
        sequences.map((_, index) => index + 1),
      )
    }
    const ids = client.events.map(({ id }) => BigInt(id))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => (a < b ? -1 : 1)),
    )
    client.close()
  })

  test('a stream ends when its key is revoked', async () => {
    const revoked = await own()
    const client = await open(withKey(revoked), revoked)
    assert.equal(client.status, 200)
    await must(revoked, 'seller', `/agents/${revoked.agent.id}/revoke-key`, {})
    await client.until(({ ended }) => ended)
    assert.equal((await open(withKey(revoked), revoked)).status, 401)
  })

  test('refuses a Last-Event-ID that is not the id of an event', async () => {
    assert.equal((await open({ ...withKey(), 'last-event-id': 'yesterday' })).status, 400)
  })

  test('the stream of an agent is for its operators', async () => {
    const other = await own()
    assert.equal((await open(withKey(other))).status, 403)
    const { status } = await service.http('GET', '/agents/unknown/events', { headers: withKey() })
    assert.equal(status, 404)
  })

  test('an empty inbox waits for the first task', async () => {
    const waiting = await own()
    const path = `/agents/${waiting.agent.id}/inbox`
    assert.equal((await must<{ total: number }>(waiting, 'seller', path)).total, 0)
    const inbox = service.http<{ items: { id: string }[] }>('GET', `${path}?wait=30`, {
      headers: withKey(waiting),
    })
    await sleep(50)
    const began = Date.now()
    const { id } = await negotiate(waiting)
    assert.deepEqual(
      (await inbox).body.items.map(item => item.id),
      [id],
    )
    assert.ok(Date.now() - began < 25_000, 'it did not wait for the whole time')
    const { status } = await service.http('GET', `${path}?wait=31`, { headers: withKey(waiting) })
    assert.equal(status, 400)
  })

  test('an inbox that stays empty is answered after the time', async () => {
    const idle = await own()
    const began = Date.now()
    const { body } = await service.http<{ total: number }>('GET', `/agents/${idle.agent.id}/inbox?wait=1`, {
      headers: withKey(idle),
    })
    assert.equal(body.total, 0)
    assert.ok(Date.now() - began >= 1000)
  })

  test('a wait whose access cannot be checked is answered; a refused one is 401', async () => {
    const { db } = service.services
    for (const [error, status] of [
      [new Error('no connection'), 200],
      [apiError(COMMON.FORBIDDEN), 401],
    ] as const) {
      const waiting = await own()
      const { id } = waiting.agent
      const inbox = service.http('GET', `/agents/${id}/inbox?wait=20`, { headers: withKey(waiting) })
      await sleep(300)
      const isCheck = ({ values }: { values: readonly unknown[] }) => values.includes(id)
      const read = db.maybe.bind(db)
      const check = mock.method(db, 'maybe', (...[statement]: Parameters<typeof read>) =>
        isCheck(statement) ? Promise.reject(error) : read(statement),
      )
      // Access is checked each minute, which the clock of the machine has no part in.
      const later = performance.now.bind(performance)
      mock.method(performance, 'now', () => later() + 61_000)
      try {
        await eventually('the check', async () =>
          check.mock.calls.some(({ arguments: [statement] }) => isCheck(statement)),
        )
      } finally {
        mock.restoreAll()
      }
      assert.equal((await inbox).status, status)
    }
  })
})

test('streams and waiting requests end when the service stops', async () => {
  const service = await startTestService()
  const { agent } = await openMarket(service)
  const headers = { 'x-agent-api-key': agent.apiKey }
  const client = await StreamClient.open(`${service.baseUrl}/agents/${agent.id}/events`, headers)
  const inbox = service.http('GET', `/agents/${agent.id}/inbox?wait=30`, { headers })
  await sleep(300)
  const began = Date.now()
  await service.close()
  assert.equal((await inbox).status, 200)
  await client.until(({ ended }) => ended)
  assert.ok(Date.now() - began < 8000, 'it did not wait for them in vain')
})
