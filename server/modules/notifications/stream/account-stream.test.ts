import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  acceptedDeal,
  deliveredDeal,
  joinOrganization,
  KeyTrial,
  must,
  openMarket,
  registerHuman,
  sharedService,
  StreamClient,
  type Market,
  type TestService,
} from '#test'

const DELIVERED = [
  'negotiation.created',
  'negotiation.accepted',
  'deal.funded',
  'deal.started',
  'deal.delivered',
]

suite('events of an account', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service)
  })
  after(() => service.close())

  const open = ({ token }: { token: string }, headers: Record<string, string> = {}) =>
    StreamClient.open(`${service.baseUrl}/users/me/events`, { authorization: `Bearer ${token}`, ...headers })
  const typesOf = (client: StreamClient, negotiationId: string) =>
    client.events.filter(({ data }) => data.data.negotiationId === negotiationId).map(({ event }) => event)
  const until = (client: StreamClient, negotiationId: string, type: string) =>
    client.until(each => typesOf(each, negotiationId).includes(type))

  test('streams a deal in order to its buyer and to the owner of its agent, and to nobody else', async () => {
    const clients = await Promise.all(
      [market.buyer, market.agent.owner, market.outsider].map(who => open(who)),
    )
    const [buyer, seller, outsider] = clients
    assert.ok(buyer && seller && outsider)
    const { id, escrowId } = await deliveredDeal(market)
    for (const client of [buyer, seller]) {
      await until(client, id, 'deal.delivered')
      assert.deepEqual(typesOf(client, id), DELIVERED)
    }
    const last = (client: StreamClient) => client.events.at(-1)?.data
    assert.equal(last(buyer)?.type, 'deal.delivered')
    const deal = {
      negotiationId: id,
      escrowId,
      status: 'DELIVERED',
      escrowStatus: 'HELD',
      price: '100.00',
      currency: 'USD',
      test: true,
    }
    assert.deepEqual(last(buyer)?.data, { ...deal, role: 'buyer', by: 'seller' })
    assert.deepEqual(last(seller)?.data, { ...deal, role: 'seller', by: 'seller' })
    assert.deepEqual(outsider.events, [])
    for (const client of clients) client.close()
  })

  test('resumes after the last event that was received, and with 0 sends all', async () => {
    const live = await open(market.buyer)
    const { id, escrowId } = await deliveredDeal(market)
    await until(live, id, 'deal.delivered')
    live.close()
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    const resumed = await open(market.buyer, { 'last-event-id': live.events.at(-1)?.id ?? '' })
    await until(resumed, id, 'deal.released')
    assert.deepEqual(typesOf(resumed, id), ['deal.released'])
    resumed.close()
    const all = await open(market.buyer, { 'last-event-id': '0' })
    await until(all, id, 'deal.released')
    assert.deepEqual(typesOf(all, id), [...DELIVERED, 'deal.released'])
    const ids = all.events.map(({ id }) => BigInt(id))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => (a < b ? -1 : 1)),
    )
    all.close()
  })

  test('a deal of an organization is streamed to those who run it, from where they stopped', async () => {
    const trial = await KeyTrial.open(service)
    const [admin, member] = [await registerHuman(service), await registerHuman(service)]
    const slug = `stream-works-${Date.now()}`
    const made = await trial.ask(trial.owner.token, 'POST', '/organizations', { slug, name: 'Works' })
    await joinOrganization(service, trial.owner, admin, { slug, role: 'ADMIN' })
    await joinOrganization(service, trial.owner, member, { slug, role: 'MEMBER' })
    const key = await trial.keyFor({ organizationId: made.body.id }, admin)
    const clients = await Promise.all([trial.owner, admin, member].map(who => open(who)))
    const [owner, buyer, reader] = clients
    assert.ok(owner && buyer && reader)
    const body = { responderAgentId: market.agent.id, requestedService: 'Notes', budget: 5 }
    const { id } = (await trial.ask(key, 'POST', '/ap2/negotiate', body)).body
    for (const client of [owner, buyer]) {
      await until(client, id, 'negotiation.created')
      assert.deepEqual(
        client.events.map(({ data }) => data.data.role),
        ['buyer'],
      )
    }
    assert.deepEqual(reader.events, [])
    for (const client of clients) client.close()
  })

  test('ends when the session ends', async () => {
    const person = await registerHuman(service)
    const client = await open(person)
    assert.equal(client.status, 200)
    await service.http('POST', '/auth/logout', { body: { refreshToken: person.refreshToken } })
    await client.until(({ ended }) => ended)
    assert.equal((await open(person)).status, 401)
  })

  test('refuses a Last-Event-ID that is not the id of an event, and more than 20 streams', async () => {
    const person = await registerHuman(service)
    assert.equal((await open(person, { 'last-event-id': 'yesterday' })).status, 400)
    const clients = await Promise.all(Array.from({ length: 21 }, () => open(person)))
    assert.deepEqual(
      clients.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array.from({ length: 20 }, () => 200), 429],
    )
    for (const client of clients) client.close()
  })

  test('is 403 for a suspended account', async () => {
    const { id, token } = await registerHuman(service)
    const body = { reason: 'A test of the stream' }
    const suspended = await service.http('POST', `/admin/users/${id}/suspend`, { token: market.admin, body })
    assert.ok(suspended.status < 300, suspended.text)
    assert.equal((await service.http('GET', '/users/me/events', { token })).status, 403)
  })

  test('a deletion of the account erases its events', async () => {
    const leaving = await openMarket(service)
    const { id } = await acceptedDeal(leaving)
    const client = await open(leaving.buyer, { 'last-event-id': '0' })
    await until(client, id, 'negotiation.accepted')
    const seller = await open(leaving.agent.owner)
    const count = async (partyId: string) =>
      (
        await service.services.db.pool.query<{ counted: number }>(
          'select count(*)::int as counted from notifications_party_event where party_id = $1',
          [partyId],
        )
      ).rows[0]?.counted
    assert.ok(await count(leaving.buyer.id))
    const gone = await service.http('DELETE', '/users/me', { token: leaving.buyer.token, body: {} })
    assert.ok(gone.status < 300, gone.text)
    await client.until(({ ended }) => ended)
    // Written after the deletion, which cancels the deal.
    await until(seller, id, 'negotiation.canceled')
    seller.close()
    assert.equal(await count(leaving.buyer.id), 0)
    assert.ok(await count(leaving.agent.owner.id))
  })
})
