import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  eventually,
  heldDeal,
  mailsTo,
  mailTo,
  MarketTrial,
  publishAgent,
  registerHuman,
  sharedService,
  StreamClient,
  WebhookReceiver,
  type ListedAgent,
} from '#test'
import { newId } from '#platform/kernel/id'
import { planOf } from '../../../../test/support/database/plan.ts'
import { execute } from '../../../../test/support/people/runs.ts'
import { inboxCounts, inboxPage } from '../inbox/sql.ts'

interface Inbox {
  items: { id: string; type: string; kind: string; isRead: boolean; data: Record<string, unknown> }[]
  total: number
  unread: number
}
type Preferences = Record<string, { email: boolean; inApp: boolean; webhook: boolean }>

suite('where a person sees events', () => {
  let trial: MarketTrial
  before(async () => {
    trial = await MarketTrial.open(await sharedService())
  })
  after(() => trial.service.close())

  const newSeller = async (listing: Record<string, unknown> = {}) =>
    publishAgent(trial.service, await registerHuman(trial.service), listing)
  const choose = (token: string, body: object) =>
    trial.send<Preferences>('PATCH', '/users/me/notifications', token, body)
  const inboxOf = async (token: string) => (await trial.send<Inbox>('GET', '/users/me/inbox', token)).body
  const untilInbox = async (token: string, ...types: string[]): Promise<Inbox> => {
    let inbox = await inboxOf(token)
    await eventually(`${types.join()} in the inbox`, async () => {
      inbox = await inboxOf(token)
      const listed = inbox.items.map(({ type }) => type)
      return types.every(type => listed.includes(type))
    })
    return inbox
  }
  const dealWith = (agent: ListedAgent) => heldDeal({ ...trial.market, agent })

  test('shows everything by default, except mails about runs', async () => {
    const { token } = await registerHuman(trial.service)
    const { body } = await trial.send<Preferences>('GET', '/users/me/notifications', token)
    assert.deepEqual(Object.keys(body), ['offers', 'requests', 'runs', 'progress', 'deadlines', 'money'])
    for (const [kind, channels] of Object.entries(body))
      assert.deepEqual(channels, { email: kind !== 'runs', inApp: true, webhook: true }, kind)
  })

  test('refuses to switch off mails about money, and changes nothing', async () => {
    const { token } = await registerHuman(trial.service)
    const refused = await choose(token, { offers: { email: false }, money: { email: false } })
    assert.equal(refused.status, 400, refused.text)
    const { body } = await choose(token, { money: { email: true, inApp: false } })
    assert.deepEqual(body.money, { email: true, inApp: false, webhook: true })
    assert.equal(body.offers?.email, true)
  })

  test('a kind that is off comes by no channel, and money still comes by email', async () => {
    const agent = await newSeller()
    const { token, email } = agent.owner
    const receiver = await WebhookReceiver.open()
    try {
      await trial.send('PUT', `/agents/${agent.id}/webhook`, token, { url: receiver.url })
      await choose(token, { offers: { email: false, inApp: false, webhook: false } })
      await dealWith(agent)
      // The offer came first, in the same log.
      const inbox = await untilInbox(token, 'deal.funded')
      assert.deepEqual(
        inbox.items.map(({ type, kind }) => [type, kind]),
        [['deal.funded', 'money']],
      )
      await mailTo(trial.service, email, /are held in escrow/)
      const subjects = (await mailsTo(trial.service, email)).map(({ subject }) => subject)
      assert.ok(!subjects.includes('You have an offer'), subjects.join())
      await receiver.until(({ accepted }) => accepted.length === 1)
      assert.deepEqual(
        receiver.accepted.map(({ event }) => event.type),
        ['deal.funded'],
      )
    } finally {
      receiver.close()
    }
  })

  test('each channel is switched by itself', async () => {
    const agent = await newSeller()
    const { token, email } = agent.owner
    const receiver = await WebhookReceiver.open()
    try {
      await trial.send('PUT', `/agents/${agent.id}/webhook`, token, { url: receiver.url })
      await choose(token, { offers: { inApp: false }, money: { webhook: false } })
      await dealWith(agent)
      const { items } = await untilInbox(token, 'deal.funded')
      assert.equal(items.length, 1)
      await mailTo(trial.service, email, /A buyer offers/)
      await receiver.until(({ accepted }) => accepted.length === 2)
      assert.deepEqual(
        receiver.accepted.map(({ event }) => event.type),
        ['negotiation.created', 'negotiation.accepted'],
      )
    } finally {
      receiver.close()
    }
  })

  test('the inbox counts what was not read', async () => {
    const agent = await newSeller()
    const { token } = agent.owner
    await dealWith(agent)
    const { items, unread, total } = await untilInbox(token, 'deal.funded')
    assert.deepEqual([unread, total, items.some(({ isRead }) => isRead)], [3, 3, false])
    const second = items[1]
    assert(second)
    const read = (body: object) => trial.send<{ unread: number }>('POST', '/users/me/inbox/read', token, body)
    assert.equal((await read({ id: second.id })).body.unread, 1)
    // An older one changes nothing.
    assert.equal((await read({ id: '0' })).body.unread, 1)
    assert.deepEqual(
      (await inboxOf(token)).items.map(({ isRead }) => isRead),
      [false, true, true],
    )
    assert.equal((await read({})).body.unread, 0)
  })

  test('the inbox reads the events of its own parties alone', async () => {
    const { pool } = trial.service.services.db
    // With few parties the planner expects each of them among the last events of all, and reads these.
    await pool.query(`insert into notifications_party_event (party_id, type, data, created_at)
      select gen_random_uuid(), 'run.created', '{}', now() from generate_series(1, 1000)`)
    await pool.query('analyze notifications_party_event')
    const id = newId()
    const filter = { accountId: id, partyIds: [id], muted: [] }
    for (const statement of [inboxPage(filter, { limit: 20, offset: 0 }), inboxCounts(filter)]) {
      const plan = await planOf(trial.service, statement, ['enable_seqscan', 'enable_sort'])
      assert.match(plan, /notifications_party_event_party/)
      assert.doesNotMatch(plan, /notifications_party_event_pkey/)
    }
  })

  test('runs reach both parties, and mails where they are wanted', async () => {
    const agent = await newSeller({ pricing: { model: 'per_call', amount: 0, currency: 'USD' } })
    const { buyer } = trial.market
    await choose(agent.owner.token, { runs: { email: true } })
    const { execution } = await execute({ ...trial.market, agent }, agent.id, { input: 'text' })
    const { text } = await mailTo(
      trial.service,
      agent.owner.email,
      /A run of your agent was ordered for 0\.00 USD/,
    )
    const [, call = ''] = /^For programs: GET (\S+)$/m.exec(text) ?? []
    const runs = await trial.send('GET', call.replace(trial.service.baseUrl, ''), agent.owner.token)
    assert.match(runs.text, new RegExp(execution.id))
    await trial.send('POST', `/agents/my-runs/${execution.id}/cancel`, buyer.token)
    for (const { token } of [agent.owner, buyer]) {
      const { items } = await untilInbox(token, 'run.created', 'run.canceled')
      const ofRun = items.filter(({ data }) => data.runId === execution.id)
      assert.deepEqual(
        ofRun.map(({ type, kind }) => [type, kind]),
        [
          ['run.canceled', 'runs'],
          ['run.created', 'runs'],
        ],
      )
    }
  })

  test('a run above the threshold asks its buyer for the approval, and reaches the seller with it', async () => {
    const seller = await newSeller({ pricing: { model: 'per_call', amount: 10, currency: 'USD' } })
    const { buyer } = trial.market
    const spender = await publishAgent(trial.service, buyer)
    await trial.send('PATCH', `/agents/${spender.id}/budget`, buyer.token, { approvalThreshold: 5 })
    const order = { input: 'text', initiatorAgentId: spender.id, sourceWalletId: buyer.walletId }
    const start = async () => execute({ ...trial.market, agent: seller }, seller.id, order)
    const rejected = (await start()).execution
    await trial.send('POST', `/agents/my-runs/${rejected.id}/reject`, buyer.token)
    const { execution } = await start()
    const typesFor = async (token: string, runId = execution.id) =>
      (await inboxOf(token)).items
        .filter(({ data }) => data.runId === runId)
        .map(({ type, kind }) => `${type} ${kind}`)
    await mailTo(trial.service, buyer.email, /Your agent ordered a run for 10\.00 USD/)
    await eventually('the second run', async () => (await typesFor(buyer.token)).length > 0)
    assert.deepEqual(await typesFor(buyer.token), ['run.awaiting_approval requests'])
    assert.deepEqual(await typesFor(buyer.token, rejected.id), [
      'run.canceled runs',
      'run.awaiting_approval requests',
    ])
    assert.deepEqual(await typesFor(seller.owner.token, rejected.id), [])
    assert.deepEqual(await typesFor(seller.owner.token), [])

    await trial.send('POST', `/agents/my-runs/${execution.id}/approve`, buyer.token)
    await untilInbox(seller.owner.token, 'run.created')
    assert.deepEqual(await typesFor(seller.owner.token), ['run.created runs'])
    await eventually('both in the inbox of the buyer', async () => (await typesFor(buyer.token)).length === 2)
    assert.deepEqual(await typesFor(buyer.token), ['run.created runs', 'run.awaiting_approval requests'])
  })

  test('requests for collaboration and offers of the market reach inbox, stream and mail', async () => {
    const [asking, asked] = [await newSeller(), await newSeller()]
    const stream = await StreamClient.open(`${trial.service.baseUrl}/agents/${asked.id}/events`, {
      'x-agent-api-key': asked.apiKey,
      'last-event-id': '0',
    })
    const request = await trial.send<{ id: string }>('POST', '/agents/a2a', asking.owner.token, {
      requesterAgentId: asking.id,
      responderAgentId: asked.id,
      payload: { task: 'translate' },
    })
    await trial.send('POST', '/agents/a2a/respond', asked.owner.token, {
      requestId: request.body.id,
      status: 'ACCEPTED',
    })
    await stream.until(({ events }) => events.some(({ event }) => event === 'a2a.accepted'))
    stream.close()
    await untilInbox(asked.owner.token, 'a2a.requested', 'a2a.accepted')
    await mailTo(trial.service, asked.owner.email, /An agent asks yours to work together/)
    await mailTo(trial.service, asking.owner.email, /The other agent accepted/)

    const need = await trial.newNeed()
    const offer = await trial.newOffer(need.id)
    await trial.accept(offer.id)
    const seller = await untilInbox(trial.market.agent.owner.token, 'offer.created', 'offer.accepted')
    assert.ok(seller.items.some(({ type, data }) => type === 'offer.accepted' && data.offerId === offer.id))
    await mailTo(trial.service, trial.market.buyer.email, /An agent offers to meet your need for 80\.00 USD/)
  })

  test('a mail about a run that always needs approval names no threshold', async () => {
    const seller = await newSeller({ pricing: { model: 'per_call', amount: 11, currency: 'USD' } })
    const { buyer } = trial.market
    const spender = await publishAgent(trial.service, buyer)
    await trial.send('PATCH', `/agents/${spender.id}/budget`, buyer.token, { approvalMode: 'MANUAL' })
    const order = { input: 'text', initiatorAgentId: spender.id, sourceWalletId: buyer.walletId }
    await execute({ ...trial.market, agent: seller }, seller.id, order)
    const { text } = await mailTo(trial.service, buyer.email, /Your agent ordered a run for 11\.00 USD/)
    assert.match(text, /Approve or reject it within 72 hours/)
    assert.doesNotMatch(text, /threshold/)
  })

  test('the buyer reads of a run that nobody approved in time that nothing was paid', async () => {
    const seller = await newSeller({ pricing: { model: 'per_call', amount: 10, currency: 'USD' } })
    const { buyer } = trial.market
    const spender = await publishAgent(trial.service, buyer)
    await trial.send('PATCH', `/agents/${spender.id}/budget`, buyer.token, { approvalThreshold: 5 })
    await choose(buyer.token, { runs: { email: true } })
    const order = { input: 'text', initiatorAgentId: spender.id, sourceWalletId: buyer.walletId }
    const { execution } = await execute({ ...trial.market, agent: seller }, seller.id, order)
    await trial.service.advance(73 * 3600)
    // The run of the test before ends at the same time.
    const { subject, text } = await mailTo(
      trial.service,
      buyer.email,
      /Nobody approved the run for 10\.00 USD/,
    )
    assert.match(subject, /A run was not approved in time$/)
    assert.match(text, /within 72 hours\. Nothing was paid/)
    let ends: Inbox['items'] = []
    await eventually('the end of the run in the inbox', async () => {
      const { items } = await inboxOf(buyer.token)
      ends = items.filter(({ type, data }) => type === 'run.failed' && data.runId === execution.id)
      return ends.length > 0
    })
    assert.deepEqual(
      ends.map(({ data }) => [data.status, data.reason]),
      [['TIMED_OUT', 'NOT_APPROVED']],
    )
  })
})
