import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import {
  acceptedDeal,
  as,
  eventually,
  heldDeal,
  mailsSettled,
  mailsTo,
  mailTo,
  must,
  negotiate,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type Market,
  type TestService,
} from '#test'
import { execute } from '../../../../test/support/people/runs.ts'

const DAY_SECONDS = 86_400

suite('mails about deals that end without a payment', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service)
  })
  after(() => service.close())

  /** The same buyer, and a seller whose mailbox is empty. */
  const fresh = async (listing: Record<string, unknown> = {}): Promise<Market> => ({
    ...market,
    agent: await publishAgent(service, await registerHuman(service), listing),
  })
  /** The first paragraph of the mail about a deal, once it is there. */
  const mailed = (to: string, id: string, text: string) =>
    mailTo(service, to, new RegExp(`${text}[\\s\\S]*${id}`))
  /** The subjects of the mails about a deal, once no mail waits. */
  const subjects = async (to: string, id: string) => {
    await mailsSettled(service)
    return (await mailsTo(service, to))
      .filter(({ text }) => text.includes(id))
      .map(({ subject }) => subject.replace(/^\S+: /, ''))
  }
  const respond = (own: Market, role: 'buyer' | 'seller', negotiationId: string, status: string) =>
    must(own, role, '/ap2/respond', { negotiationId, status, ...(status === 'COUNTERED' && { price: 120 }) })

  test('the other party reads who rejected the deal', async () => {
    const own = await fresh()
    const [buyer, seller] = [own.buyer.email, own.agent.owner.email]
    const bySeller = await negotiate(own)
    await respond(own, 'seller', bySeller.id, 'REJECTED')
    await mailed(buyer, bySeller.id, 'The seller rejected the deal at 100\\.00 USD')
    assert.deepEqual(await subjects(seller, bySeller.id), ['You have an offer'])
    const byBuyer = await negotiate(own)
    await respond(own, 'seller', byBuyer.id, 'COUNTERED')
    await respond(own, 'buyer', byBuyer.id, 'REJECTED')
    await mailed(seller, byBuyer.id, 'The buyer rejected the deal at 120\\.00 USD')
    assert.deepEqual(await subjects(buyer, byBuyer.id), ['You have a counteroffer'])
  })

  test('the seller reads that the buyer canceled before funding, unless it wants no mails of offers', async () => {
    const [own, other] = [await fresh(), await fresh()]
    const body = { offers: { email: false } }
    await service.http('PATCH', '/users/me/notifications', { token: other.agent.owner.token, body })
    const [silent, offer, accepted] = [await negotiate(other), await negotiate(own), await acceptedDeal(own)]
    for (const [from, { id }] of [
      [other, silent],
      [own, offer],
      [own, accepted],
    ] as const)
      await must(from, 'buyer', '/ap2/cancel', { negotiationId: id })
    for (const { id } of [offer, accepted])
      await mailed(own.agent.owner.email, id, 'The buyer canceled the deal before it was funded')
    assert.ok(!(await subjects(own.buyer.email, accepted.id)).includes('A deal was canceled'))
    assert.deepEqual(await subjects(own.buyer.email, offer.id), [])
    assert.deepEqual(await subjects(other.agent.owner.email, silent.id), [])
  })

  test('the party that stays reads that the account of the other one was closed', async () => {
    const own = await fresh()
    const { id } = await negotiate(own)
    const { status, text } = await service.http('DELETE', '/users/me', { token: own.agent.owner.token })
    assert.equal(status, 204, text)
    await mailed(own.buyer.email, id, 'of the other party was closed')
  })

  test('who waits for an answer, or for the funds, reads that the time is over', async () => {
    const own = await fresh()
    const [buyer, seller] = [own.buyer.email, own.agent.owner.email]
    const [offer, counter] = [await negotiate(own), await negotiate(own)]
    await respond(own, 'seller', counter.id, 'COUNTERED')
    const accepted = await acceptedDeal(own)
    const hire = await must<{ negotiationId: string }>(own, 'buyer', '/payments/create-agent-checkout', {
      agentId: own.agent.id,
      amount: 70,
    })
    await service.advance(4 * DAY_SECONDS)
    await mailed(buyer, offer.id, 'The seller did not answer your offer of 100\\.00 USD in time')
    await mailed(seller, counter.id, 'The buyer did not answer your offer of 120\\.00 USD in time')
    await mailed(seller, accepted.id, 'The buyer did not fund 100\\.00 USD in time')
    const expired = async (to: string, id: string) =>
      (await subjects(to, id)).filter(subject => subject.endsWith('expired'))
    assert.deepEqual(await expired(seller, offer.id), [])
    assert.deepEqual(await expired(buyer, counter.id), [])
    assert.deepEqual(await expired(buyer, accepted.id), [])
    // Nobody accepted the hire, and its buyer left the page on which it is paid.
    const { db } = service.services
    await eventually('the end of the hire', async () => {
      const { status } = await db.one(
        sql<{ status: string }>`select status from ap2_negotiation where id = ${hire.negotiationId}`,
      )
      return status === 'EXPIRED' && (await db.rows(sql`select from platform_outbox`)).length === 0
    })
    for (const to of [buyer, seller]) assert.deepEqual(await expired(to, hire.negotiationId), [])
  })

  test('the seller reads that a delivery did not pass', async () => {
    const own = await fresh()
    const { id } = await heldDeal(own)
    const deliverableUrl = `${service.baseUrl}/sandbox/pages/missing`
    const refused = await as(own, 'seller', '/ap2/deliver', { negotiationId: id, deliverableUrl })
    assert.equal(refused.status, 400, refused.text)
    await mailed(own.agent.owner.email, id, 'The delivery did not pass the verification')
    assert.ok(!(await subjects(own.buyer.email, id)).includes('A delivery did not pass'))
  })

  test('the seller reads that a run was canceled', async () => {
    const own = await fresh({ pricing: { model: 'per_call', amount: 10, currency: 'USD' } })
    const body = { runs: { email: true } }
    await service.http('PATCH', '/users/me/notifications', { token: own.agent.owner.token, body })
    const { execution } = await execute(own, own.agent.id, { input: 'text' })
    await must(own, 'buyer', `/agents/my-runs/${execution.id}/cancel`, {})
    const { text } = await mailTo(service, own.agent.owner.email, /for 10\.00 USD .*was canceled/)
    assert.ok(text.includes(`/app/selling/agents/${own.agent.id}/runs`), text)
  })
})
