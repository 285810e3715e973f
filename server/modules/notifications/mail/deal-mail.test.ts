import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import type { ChangedDeal } from '../events/project.ts'
import { deadlineTimer, followDeals } from './deal-mail.ts'
import { mailParties } from './person-mail.ts'
import {
  deliveredDeal,
  heldDeal,
  mailsSettled,
  mailsTo,
  mailTo,
  MarketTrial,
  must,
  negotiate,
  openMarket,
  publishAgent,
  registerHuman,
  startTestService,
  StreamClient,
  type Market,
  type SentMail,
  type TestService,
} from '#test'

/** A deal that was funded a moment ago. */
function changedDeal(
  negotiationId: string,
  { buyer, seller }: { buyer: Person; seller: Person },
): ChangedDeal {
  const sideOf = ({ id: accountId }: Person) => ({ agentId: null, accountId, organizationId: null })
  return {
    notice: {
      negotiationId,
      escrowId: newId(),
      status: 'ESCROWED',
      escrowStatus: 'HELD',
      price: '100.00',
      currency: 'USD',
      test: false,
      deliverBy: null,
      waited: null,
      buyer: sideOf(buyer),
      seller: sideOf(seller),
      lines: [],
    },
    events: [{ type: 'deal.funded', by: 'buyer', at: new Date().toISOString() }],
  }
}

type Person = Awaited<ReturnType<typeof registerHuman>>
type Channels = Record<string, { email: boolean; inApp: boolean; webhook: boolean }>

suite('mails about deals', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await startTestService()
    market = await openMarket(service)
  })
  after(() => service.close())

  /** The same buyer, and a seller whose mailbox is empty. */
  const fresh = async (): Promise<Market> => ({
    ...market,
    agent: await publishAgent(service, await registerHuman(service)),
  })
  const mailed = (to: string, text: RegExp): Promise<SentMail & { headers?: Record<string, string> }> =>
    mailTo(service, to, text)
  const subjects = async (to: string) => (await mailsTo(service, to)).map(({ subject }) => subject)

  const hasMail = async (to: string, about: string) =>
    (await subjects(to)).some(subject => subject.includes(about))

  test('each party is notified of what the other one did', async () => {
    const own = await fresh()
    const { escrowId } = await deliveredDeal(own)
    await must(own, 'buyer', '/payments/ap2/release', { escrowId })
    const [seller, buyer] = [own.agent.owner.email, own.buyer.email]
    assert.match((await mailed(seller, /A buyer offers 100\.00/)).subject, /offer/)
    const { text, html } = await mailed(seller, /are held in escrow/)
    const page = new RegExp(`${service.baseUrl}/app/deals/[0-9a-f-]{36}`).exec(text)?.[0]
    assert.ok(page && html.includes(`href="${page}"`), text)
    await mailed(seller, /The payment is in your wallet/)
    await mailed(buyer, /The seller accepted 100\.00/)
    await mailed(buyer, /The seller delivered/)
    await mailed(buyer, /The payment went to the seller/)
    assert.ok(!(await subjects(buyer)).some(subject => subject.includes('You have an offer')))
  })

  test('an accepted offer of the market is not offered to its seller again', async () => {
    const trial = await MarketTrial.open(service)
    const [seller, buyer] = [trial.market.agent.owner.email, trial.market.buyer.email]
    const need = await trial.newNeed()
    const offer = await trial.newOffer(need.id, trial.market.agent, { price: 80 })
    assert.equal((await trial.accept(offer.id)).status, 201)
    await mailed(seller, /The buyer accepted 80\.00/)
    await mailed(buyer, /An agent offers to meet your need/)
    await mailsSettled(service)
    assert.ok(!(await hasMail(seller, 'You have an offer')))
    // The buyer accepted it: nobody accepted an offer of the buyer.
    assert.ok(!(await hasMail(buyer, 'Your offer was accepted')))
  })

  test('a seller who is hired is not asked to accept: the money is held', async () => {
    const own = await fresh()
    await must(own, 'buyer', '/payments/stripe/create', {
      agentId: own.agent.id,
      amount: 70,
      paymentMethodId: 'pm_card_visa',
    })
    await mailed(own.agent.owner.email, /70\.00 USD.* are held in escrow/)
    await mailsSettled(service)
    assert.ok(!(await hasMail(own.agent.owner.email, 'You have an offer')))
  })

  test('a mail program unsubscribes with one click; mails about money still come', async () => {
    const own = await fresh()
    const seller = own.agent.owner
    await negotiate(own)
    const mail = await mailed(seller.email, /A buyer offers/)
    assert.equal(mail.headers?.['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
    const [, path = ''] = /\/(unsubscribe\/[^>]+)>/.exec(mail.headers?.['List-Unsubscribe'] ?? '') ?? []
    const visited = await service.http('GET', `/${path}`)
    assert.equal(visited.status, 200)
    const read = async () =>
      (await service.http<Channels>('GET', '/users/me/notifications', { token: seller.token })).body
    assert.equal((await read()).offers?.email, true)
    const clicked = await service.http('POST', `/${path}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    assert.equal(clicked.status, 200, clicked.text)
    const { offers, progress } = await read()
    assert.deepEqual(offers, { email: false, inApp: true, webhook: true })
    assert.equal(progress?.email, true)
    const before = (await subjects(seller.email)).length
    const { id } = await heldDeal(own)
    await mailed(seller.email, new RegExp(`are held in escrow[\\s\\S]*${id}`))
    await mailsSettled(service)
    assert.equal((await subjects(seller.email)).length, before + 1)
    const forged = `/${path.slice(0, -4)}AAAA`
    assert.equal((await service.http('POST', forged)).status, 404)
  })

  test('many mails of one kind do not stop those of the others', async () => {
    const { id: accountId, email } = await registerHuman(service)
    const send = (kind: 'money' | 'offers' | 'deadlines', subject: string) =>
      mailParties(service.services, [
        {
          party: { accountId, organizationId: null },
          mail: { kind, subject, paragraphs: [subject], link: { text: 'Open', path: '/' }, call: 'GET /' },
        },
      ])
    for (let n = 0; n < 51; n++) await send('money', `Money ${n}`)
    await send('offers', 'The first offer')
    await mailed(email, /The first offer/)
    for (let n = 1; n < 50; n++) await send('offers', `Offer ${n}`)
    await send('offers', 'One offer too many')
    await send('money', 'The last money')
    await send('deadlines', 'A deadline')
    await mailed(email, /The last money/)
    await mailed(email, /A deadline/)
    await mailsSettled(service)
    assert.ok(!(await subjects(email)).some(subject => subject.includes('too many')))
  })

  test('the mails about deals that changed together are one job', async () => {
    const [buyer, seller] = [await registerHuman(service), await registerHuman(service)]
    const { db } = service.services
    const ids = Array.from({ length: 20 }, () => newId())
    const deals = ids.map(negotiationId => changedDeal(negotiationId, { buyer, seller }))
    await db.transaction(tx => followDeals(tx, service.services, deals))
    const jobs = await db.rows(sql<{ deals: number }>`
      select jsonb_array_length(data->'deals') as deals from jobs.job
      where name = 'notifications.deal-mails' and data->'deals'->0->'notice'->>'negotiationId' = ${ids[0]}`)
    assert.deepEqual(jobs, [{ deals: 20 }])
    for (const id of ids) await mailed(seller.email, new RegExp(`are held in escrow[\\s\\S]*${id}`))
    assert.ok(!(await subjects(buyer.email)).some(subject => subject.includes('funded')))
  })

  test('a delivery of a deal that a dispute stops asks for no release', async () => {
    const [buyer, seller] = [await registerHuman(service), await registerHuman(service)]
    const { db } = service.services
    const mails = []
    for (const escrowStatus of ['DISPUTED', 'FROZEN', 'HELD']) {
      const { notice } = changedDeal(newId(), { buyer, seller })
      const events = [{ type: 'deal.delivered', by: 'seller', at: new Date().toISOString() }] as const
      const deal = { notice: { ...notice, escrowStatus, status: 'DELIVERED' }, events: [...events] }
      await db.transaction(tx => followDeals(tx, service.services, [deal]))
      mails.push(
        (await mailed(buyer.email, new RegExp(`The seller delivered[\\s\\S]*${notice.negotiationId}`))).text,
      )
    }
    const [disputed = '', frozen = '', held = ''] = mails
    assert.match(held, /released automatically/)
    assert.match(disputed, /until the dispute has ended/)
    assert.match(frozen, /escrow is frozen/)
    for (const text of [disputed, frozen]) assert.doesNotMatch(text, /released automatically/)
  })

  test('the day before a delivery is due, the seller and its agent are reminded', async () => {
    const own = await fresh()
    const now = service.services.clock.now().getTime()
    const deal = await heldDeal(own, { deliverBy: new Date(now + 3 * 86_400_000).toISOString() })
    const headers = { 'x-agent-api-key': own.agent.apiKey }
    const stream = await StreamClient.open(`${service.baseUrl}/agents/${own.agent.id}/events`, headers)
    // The deal is in the event log, and with it the reminder.
    for (const deadline = Date.now() + 20_000; ;) {
      const rows = await service.services.db.rows(
        sql`select from notifications_deadline where id = ${deal.id}`,
      )
      if (rows.length) break
      assert.ok(Date.now() < deadline)
    }
    await service.advance(2 * 86_400 + 60)
    await stream.until(({ events }) => events.some(({ event }) => event === 'deal.deadline_tomorrow'))
    stream.close()
    await mailed(own.agent.owner.email, /The delivery is due within a day/)
  })

  test('two processes that find the same reminder due send it once', async () => {
    const own = await fresh()
    const { db, clock } = service.services
    const deliverBy = new Date(clock.now().getTime() + 30 * 86_400_000).toISOString()
    const { id } = await heldDeal(own, { deliverBy })
    const isSet = async () => (await db.rows(sql`select from notifications_deadline where id = ${id}`)).length
    for (const deadline = Date.now() + 20_000; !(await isSet());) assert.ok(Date.now() < deadline)
    // Both have selected the row before either has served it.
    for (const _process of [1, 2]) await db.transaction(tx => deadlineTimer.run(tx, id))
    for (const deadline = Date.now() + 20_000; ;) {
      const waiting = await db.rows(sql`select from platform_outbox`)
      if (!waiting.length) break
      assert.ok(Date.now() < deadline)
    }
    const rows = await db.rows(sql<{ count: number }>`select count(*)::int as count from notifications_event
      where type = 'deal.deadline_tomorrow' and data->>'negotiationId' = ${id}`)
    assert.deepEqual(rows, [{ count: 1 }])
  })
})
