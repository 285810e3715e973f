import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  eventually,
  must,
  negotiate,
  openMarket,
  startTestService,
  WebhookReceiver,
  type Market,
  type TestService,
} from '#test'

interface Deliveries {
  items: { status: string; attempts: number }[]
}

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const setWebhook = async ({ agent }: Market, url: string) => {
  const path = `/agents/${agent.id}/webhook`
  const { status, text } = await service.http('PUT', path, { token: agent.owner.token, body: { url } })
  assert.equal(status, 200, text)
}
const deliveries = async ({ agent }: Market) => {
  const path = `/agents/${agent.id}/webhook/deliveries`
  return (await service.http<Deliveries>('GET', path, { token: agent.owner.token })).body.items
}

test('a webhook that is set again gets what waits at once, with all attempts', async t => {
  const market = await openMarket(service)
  const broken = await WebhookReceiver.open()
  const repaired = await WebhookReceiver.open()
  t.after(() => [broken, repaired].forEach(receiver => receiver.close()))
  broken.answer = () => 500
  await setWebhook(market, broken.url)
  const { id } = await negotiate(market)
  await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
  for (const [index, pause] of [5, 60, 300, 1800].entries()) {
    const isAttempted = async () => (await deliveries(market)).some(({ attempts }) => attempts > index)
    await eventually(`attempt ${index + 1}`, isAttempted)
    await service.advance(pause)
  }
  const isLate = async () => (await deliveries(market)).some(({ attempts }) => attempts === 5)
  await eventually('the next attempt is in two hours', isLate)
  let failures = 0
  repaired.answer = () => (failures++ ? 200 : 500)
  await setWebhook(market, repaired.url)
  await eventually('the first attempt at the new address', async () => repaired.messages.length === 1)
  const isCounted = async () => (await deliveries(market)).some(({ attempts }) => attempts === 1)
  await eventually('it counts as the first', isCounted)
  await service.advance(5)
  await repaired.until(({ accepted }) => accepted.length === 2)
  assert.deepEqual(
    repaired.accepted.map(({ event }) => event.type),
    ['negotiation.created', 'negotiation.accepted'],
  )
})
