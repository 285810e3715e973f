import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  eventually,
  must,
  negotiate,
  openMarket,
  publishAgent,
  startTestService,
  StreamClient,
  WebhookReceiver,
  type Market,
  type TestService,
} from '#test'

const HOUR = 3600
const MISSED = ['negotiation.accepted', 'deal.funded', 'deal.started', 'deal.delivered', 'deal.released']

interface Delivery {
  status: string
  attempts: number
  error: string | null
}

suite('an agent process that is offline for an hour', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await startTestService()
    market = await openMarket(service)
  })
  after(() => service.close())

  const own = async (): Promise<Market> => ({
    ...market,
    agent: await publishAgent(service, market.agent.owner),
  })
  const offers = async (away: Market) =>
    (await Promise.all([1, 2, 3].map(() => negotiate(away)))).map(({ id }) => id)

  /** Each deal makes a step every 12 minutes, and with the fifth an hour has passed. */
  async function tradeForAnHour(away: Market, deals: readonly string[]): Promise<void> {
    const steps: ((negotiationId: string) => Promise<unknown>)[] = [
      negotiationId => must(away, 'seller', '/ap2/respond', { negotiationId, status: 'ACCEPTED' }),
      negotiationId => must(away, 'buyer', '/payments/ap2/initiate', { negotiationId }),
      negotiationId => must(away, 'seller', '/ap2/start', { negotiationId }),
      negotiationId => must(away, 'seller', '/ap2/deliver', { negotiationId, result: 'done' }),
      async negotiationId => {
        const { escrowId } = await must(away, 'buyer', `/ap2/negotiations/${negotiationId}`)
        await must(away, 'buyer', '/payments/ap2/release', { escrowId })
      },
    ]
    for (const step of steps) {
      await service.advance(HOUR / steps.length)
      for (const id of deals) await step(id)
    }
  }

  type Event = { sequence: number; type: string; data: Record<string, unknown> }
  const ofDeal = (events: readonly Event[], id: string) =>
    events.filter(({ data }) => data['negotiationId'] === id).map(({ sequence, type }) => [sequence, type])

  test('receives every event from the stream, in order per deal, by Last-Event-ID', async () => {
    const away = await own()
    const url = `${service.baseUrl}/agents/${away.agent.id}/events`
    const key = { 'x-agent-api-key': away.agent.apiKey }
    const live = await StreamClient.open(url, key)
    const deals = await offers(away)
    await live.until(({ events }) => events.length === 3)
    live.close()
    await tradeForAnHour(away, deals)

    const back = await StreamClient.open(url, { ...key, 'last-event-id': live.events.at(-1)?.id ?? '' })
    await back.until(({ events }) => events.length >= deals.length * MISSED.length)
    back.close()
    const received = back.events.map(({ data }) => data)
    assert.equal(received.length, deals.length * MISSED.length)
    for (const id of deals)
      assert.deepEqual(
        ofDeal(received, id),
        MISSED.map((type, index) => [index + 2, type]),
      )
  })

  test('receives every event from the webhook, in order per deal, by retries', async () => {
    const away = await own()
    const receiver = await WebhookReceiver.open()
    const path = `/agents/${away.agent.id}/webhook`
    const { token } = away.agent.owner
    const set = await service.http('PUT', path, { token, body: { url: receiver.url } })
    assert.equal(set.status, 200, set.text)
    const deals = await offers(away)
    await receiver.until(({ accepted }) => accepted.length === 3)
    receiver.close()
    await tradeForAnHour(away, deals)

    const read = async () =>
      (await service.http<{ items: Delivery[] }>('GET', `${path}/deliveries`, { token })).body.items
    const refused = async () => (await read()).filter(({ error }) => error !== null).length
    await eventually('attempts of that hour', async () => (await refused()) >= deals.length)
    assert.equal(receiver.accepted.length, 3)

    await receiver.listen()
    const pending = async () => (await read()).filter(({ status }) => status === 'PENDING').length
    for (let hours = 0; hours < 24 && (await pending()) > 0; hours++) {
      await service.advance(HOUR)
      // The attempts of this hour, and what follows them.
      for (let left = -1; left !== (left = await pending());) await sleep(300)
    }
    assert.equal(await pending(), 0)
    receiver.close()
    const received = receiver.accepted.map(({ event }) => event)
    for (const id of deals)
      assert.deepEqual(
        ofDeal(received, id),
        ['negotiation.created', ...MISSED].map((type, index) => [index + 1, type]),
      )
  })
})
