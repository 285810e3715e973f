import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import {
  deliveredDeal,
  holdingLocks,
  mailTo,
  must,
  negotiate,
  openMarket,
  publishAgent,
  registerHuman,
  startTestService,
  WebhookReceiver,
  type Market,
  type Person,
  type ReceivedMessage,
  type TestService,
} from '#test'

interface Delivery {
  id: string
  eventId: string
  type: string
  status: string
  attempts: number
  responseStatus: number | null
  error: string | null
  errorCode: string | null
}

suite('webhooks', () => {
  let service: TestService
  let market: Market
  const receivers: WebhookReceiver[] = []
  before(async () => {
    service = await startTestService()
    market = await openMarket(service)
  })
  after(async () => {
    for (const receiver of receivers) receiver.close()
    await service.close()
  })

  /** A market whose agent has a webhook. */
  const withWebhook = async (body: object = {}) => {
    const receiver = await WebhookReceiver.open()
    receivers.push(receiver)
    const own: Market = { ...market, agent: await publishAgent(service, market.agent.owner) }
    const { status, text, ...answer } = await ask<{ secret: string }>(own, 'PUT', '', {
      url: receiver.url,
      ...body,
    })
    assert.equal(status, 200, text)
    return { own, receiver, secret: answer.body.secret }
  }
  const ask = <Body>({ agent }: Market, method: string, path: string, body?: object) =>
    service.http<Body>(method, `/agents/${agent.id}/webhook${path}`, { token: agent.owner.token, body })
  const deliveries = async (own: Market) =>
    (await ask<{ items: Delivery[] }>(own, 'GET', '/deliveries')).body.items
  const untilDeliveries = async (own: Market, condition: (items: Delivery[]) => boolean) => {
    for (const deadline = Date.now() + 20_000; ; await sleep(30)) {
      const items = await deliveries(own)
      if (condition(items)) return items
      assert.ok(Date.now() < deadline, JSON.stringify(items))
    }
  }
  const verify = (secret: string, { body, headers }: ReceivedMessage) =>
    new Webhook(secret).verify(body, headers as Record<string, string>)
  const PAUSES = [5, 60, 300, 1800, 7200, 21_600, 54_000]
  /** Lets the next attempt fall due once the one before is recorded. */
  const advanceAfter = async (own: Market, attempts: number) => {
    await untilDeliveries(own, items => items.some(item => item.attempts === attempts))
    await service.advance(PAUSES[attempts - 1] ?? 0)
  }

  test('an endpoint that fails five times gets each event in order, with the same id', async () => {
    const { own, receiver, secret } = await withWebhook()
    let failures = 0
    // Away for a while, then broken.
    receiver.answer = () => (failures++ < 5 ? (failures < 3 ? 0 : 500) : 200)
    const { id, escrowId } = await deliveredDeal(own)
    await must(own, 'buyer', '/payments/ap2/release', { escrowId })
    await untilDeliveries(own, items => items.some(({ attempts }) => attempts === 1))
    const refused = (await deliveries(own)).find(({ attempts }) => attempts === 1)
    assert.deepEqual([refused?.responseStatus, refused?.errorCode], [null, 'unreachable'])
    for (const attempts of [1, 2, 3, 4, 5]) await advanceAfter(own, attempts)
    await receiver.until(({ accepted }) => accepted.length === 6)
    assert.equal(new Set(receiver.messages.slice(0, 6).map(message => message.id)).size, 1)
    assert.deepEqual(
      receiver.accepted.map(({ event }) => [event.sequence, event.type, event.data.negotiationId]),
      [
        'negotiation.created',
        'negotiation.accepted',
        'deal.funded',
        'deal.started',
        'deal.delivered',
        'deal.released',
      ].map((type, index) => [index + 1, type, id]),
    )
    for (const message of receiver.messages) {
      assert.equal(message.event.id, message.id)
      assert.equal(message.headers['user-agent'], 'svc-webhooks/1.0')
      verify(secret, message)
    }
  })

  test('sends only the chosen types, and a slow receiver delays nobody else', async () => {
    const slow = await withWebhook()
    slow.receiver.answer = () => -1
    for (let offer = 0; offer < 6; offer++) await negotiate(slow.own)
    await slow.receiver.until(({ messages }) => messages.length >= 4)
    const quick = await withWebhook({ events: ['negotiation.accepted'] })
    const { id } = await negotiate(quick.own)
    await must(quick.own, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
    const began = Date.now()
    await quick.receiver.until(({ accepted }) => accepted.length === 1)
    assert.ok(Date.now() - began < 9000, 'it did not wait for the other endpoint to time out')
    assert.deepEqual(
      quick.receiver.messages.map(({ event }) => event.type),
      ['negotiation.accepted'],
    )
    slow.receiver.close()
    assert.equal((await ask(slow.own, 'DELETE', '')).status, 204)
    assert.equal((await ask(slow.own, 'GET', '')).status, 404)
    const { body } = await ask<{ webhook: null }>(slow.own, 'GET', '/deliveries')
    assert.equal(body.webhook, null)
  })

  test('an endpoint whose last attempt failed gets one message at a time, until it accepts one', async () => {
    const { own, receiver } = await withWebhook()
    receiver.answer = () => 503
    await negotiate(own)
    await untilDeliveries(own, items => items[0]?.attempts === 1)
    receiver.answer = () => -1
    for (let offer = 0; offer < 3; offer++) await negotiate(own)
    await untilDeliveries(own, items => items.length === 4)
    await receiver.until(({ messages }) => messages.length === 2)
    await sleep(1500)
    assert.equal(receiver.messages.length, 2)
    receiver.answer = () => 200
    receiver.cut()
    await untilDeliveries(own, items => items.filter(({ status }) => status === 'DELIVERED').length >= 2)
    await service.advance(60)
    await receiver.until(({ accepted }) => accepted.length === 4)
  })

  test('an event that comes while its endpoint is being deleted is not delivered', async () => {
    const { own } = await withWebhook()
    await negotiate(own)
    await untilDeliveries(own, ([delivery]) => delivery?.status === 'DELIVERED')
    await holdingLocks(service, async ({ query, waiters, commit }) => {
      await query('delete from notifications_endpoint where agent_id = $1', [own.agent.id])
      await negotiate(own)
      await waiters(1)
      await commit()
    })
    const later = await WebhookReceiver.open()
    receivers.push(later)
    assert.equal((await ask(own, 'PUT', '', { url: later.url })).status, 200)
    await negotiate(own)
    await later.until(({ accepted }) => accepted.length === 1)
    assert.equal((await deliveries(own)).length, 2)
  })

  test('that of the creator ends when the owner of a claimed agent detaches it, and so does its secret', async () => {
    const [creator, owner] = [await registerHuman(service), await registerHuman(service)]
    const announced = await service.http<{ agent_id: string; claim_url: string }>(
      'POST',
      '/agents/announce',
      {
        token: creator.token,
        body: { name: 'Passed on' },
      },
    )
    const { agent_id: agentId, claim_url: link } = announced.body
    const path = `/agents/${agentId}/webhook`
    const receiver = await WebhookReceiver.open()
    receivers.push(receiver)
    const call = <Body>(person: Person, method: string, url: string, body?: object) =>
      service.http<Body>(method, url, { token: person.token, ...(body ? { body } : {}) })
    const set = await call<{ secret: string }>(creator, 'PUT', path, { url: receiver.url })
    assert.equal(set.status, 200, set.text)
    assert.equal((await call(creator, 'POST', `/agents/${agentId}/publish`)).status, 201)
    assert.equal((await call(owner, 'POST', `/agents/claim/${link.split('/').at(-1)}`)).status, 200)
    const offer = () =>
      call<{ id: string }>(market.buyer, 'POST', '/ap2/negotiate', {
        responderAgentId: agentId,
        requestedService: 'Notes',
        budget: 10,
      })
    assert.equal((await offer()).status, 201)
    await receiver.until(({ messages }) => messages.length === 1)

    assert.equal((await call(owner, 'POST', `/agents/${agentId}/detach-creator`)).status, 200)
    assert.equal((await call(owner, 'GET', path)).status, 404)
    const own = await WebhookReceiver.open()
    receivers.push(own)
    const renewed = await call<{ secret: string }>(owner, 'PUT', path, { url: own.url })
    assert.notEqual(renewed.body.secret, set.body.secret)
    assert.equal((await offer()).status, 201)
    await own.until(({ messages }) => messages.length === 1)
    const [message] = own.messages
    assert.ok(message)
    verify(renewed.body.secret, message)
    assert.throws(() => verify(set.body.secret, message))
    assert.equal(receiver.messages.length, 1)

    // What the owner set stays.
    assert.equal((await call(owner, 'POST', `/agents/${agentId}/detach-creator`)).status, 200)
    assert.equal((await call(owner, 'GET', path)).status, 200)
  })

  test('a new secret signs beside the old one for a day', async () => {
    const { own, receiver, secret } = await withWebhook()
    const rotated = await ask<{ secret: string }>(own, 'POST', '/rotate-secret')
    assert.equal(rotated.status, 200, rotated.text)
    await negotiate(own)
    await receiver.until(({ messages }) => messages.length === 1)
    const [first] = receiver.messages
    assert.ok(first)
    verify(secret, first)
    verify(rotated.body.secret, first)
    await service.advance(86_401)
    await negotiate(own)
    await receiver.until(({ messages }) => messages.length === 2)
    const [, second] = receiver.messages
    assert.ok(second)
    verify(rotated.body.secret, second)
    assert.throws(() => verify(secret, second))
    const again = await ask<{ secret: null }>(own, 'PUT', '', { url: receiver.url })
    assert.equal(again.body.secret, null, 'a secret is shown once')
  })

  test('disables an endpoint that takes nothing for a day, and replays what it missed', async () => {
    const { own, receiver, secret } = await withWebhook()
    receiver.answer = () => 503
    const { id: first } = await negotiate(own)
    await untilDeliveries(own, items => items.length === 1)
    await must(own, 'seller', '/ap2/respond', { negotiationId: first, status: 'REJECTED' })
    for (const attempts of [1, 2, 3, 4, 5, 6, 7]) await advanceAfter(own, attempts)
    const ended = await untilDeliveries(own, items => items.every(({ status }) => status !== 'PENDING'))
    assert.deepEqual(
      ended.map(({ type, status, attempts, responseStatus }) => [type, status, attempts, responseStatus]),
      [
        ['negotiation.rejected', 'CANCELLED', 0, null],
        ['negotiation.created', 'FAILED', 8, 503],
      ],
    )
    const failed = await ask<{ items: Delivery[]; total: number }>(own, 'GET', '/deliveries?status=FAILED')
    assert.deepEqual([failed.body.items, failed.body.total], [[ended[1]], 1])
    assert.equal((await ask(own, 'GET', '/deliveries?status=LOST')).status, 400)
    const { body } = await ask<{ status: string; disabledAt: string }>(own, 'GET', '')
    assert.equal(body.status, 'DISABLED')
    assert.deepEqual((await ask<{ webhook: object }>(own, 'GET', '/deliveries')).body.webhook, body)
    const mail = await mailTo(service, own.agent.owner.email, /accepted nothing for a day/)
    assert.match(mail.text, new RegExp(own.agent.slug))
    const replay = (delivery = ended[1]) => ask<Delivery>(own, 'POST', `/deliveries/${delivery?.id}/replay`)
    assert.equal((await replay()).status, 409, 'disabled')
    receiver.answer = () => 200
    assert.equal((await ask(own, 'PUT', '', { url: receiver.url })).status, 200)
    assert.equal((await replay()).status, 201)
    await receiver.until(({ accepted }) => accepted.length === 1)
    const [accepted] = receiver.accepted
    assert.ok(accepted)
    assert.equal(accepted.id, ended[1]?.eventId)
    verify(secret, accepted)
  })

  test('refuses addresses that it must not send to', async () => {
    const own: Market = { ...market, agent: await publishAgent(service, market.agent.owner) }
    for (const url of [
      'nowhere',
      'ftp://agent.example/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
      'https://[::1]/',
      'https://agent.example:22/',
      'https://name:word@agent.example/',
    ])
      assert.equal((await ask(own, 'PUT', '', { url })).status, 400, url)
  })

  test('says in sandbox mode how to receive webhooks on the machine of the developer', async () => {
    const own: Market = { ...market, agent: await publishAgent(service, market.agent.owner) }
    const { body } = await ask<{ message: string[]; hint: string }>(own, 'PUT', '', {
      url: 'http://localhost:4242/hook',
    })
    assert.deepEqual(body.message, ['url: port 4242 is not allowed, only 80 and 443'])
    assert.match(body.hint, /VERIFIER_ALLOW_PRIVATE=localhost:4242.*svc listen/)
  })

  test('stores an address as a URL, with its characters encoded', async () => {
    const own: Market = { ...market, agent: await publishAgent(service, market.agent.owner) }
    const set = await ask<{ url: string }>(own, 'PUT', '', { url: 'https://bücher.example/a "b"' })
    assert.deepEqual([set.status, set.body.url], [200, 'https://xn--bcher-kva.example/a%20%22b%22'])
  })
})
