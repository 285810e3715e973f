import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { accounts, balanceOf } from '#ledger'
import {
  acceptedDeal,
  as,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  readDeal,
  readEscrow,
  registerAdmin,
  registerHuman,
  reservedDeal,
  sharedService,
  type Market,
  type TestService,
  joinOrganization,
  type Person,
} from '#test'

const REMOVED = '[removed]'

interface DealText {
  status: string
  requestedService: string
  requirements: unknown
  notes: string | null
  rounds: { notes: string | null; terms: string | null }[]
  milestones: { key: string; title: string }[]
  escrow: { milestones: { key: string; title: string }[]; timeline: { details: Record<string, unknown> }[] }
}

suite('deals of a deleted account', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const remove = async (token: string) =>
    assert.equal((await service.http('DELETE', '/users/me', { token })).status, 204)
  const readDealText = (market: Market, id: string, role: 'buyer' | 'seller' | 'operator' = 'operator') =>
    must<DealText>(market, role, `/ap2/negotiations/${id}`)

  test('erases paid work too when both parties are deleted', async () => {
    const market = await openMarket(service)
    const deal = await deliveredDeal(market, { notes: 'buyerword', requirements: 'buyerword' })
    await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
    const {
      deliveries: [delivery],
    } = (await readDeal(market, deal.id)).escrow
    await remove(market.agent.owner.token)
    assert.equal((await must<{ result: unknown }>(market, 'buyer', delivery?.url ?? '')).result, 'done')
    await remove(market.buyer.token)
    assert.equal((await must<{ result: unknown }>(market, 'operator', delivery?.url ?? '')).result, null)
    const { requestedService, requirements, notes } = await readDealText(market, deal.id)
    assert.deepEqual([requestedService, requirements, notes], [REMOVED, null, null])
  })

  test('replaces keys and titles of milestones alike in deal and escrow', async () => {
    const market = await openMarket(service)
    const milestones = [
      { key: 'milestone-2', title: 'Alpha', amount: 40 },
      { key: 'milestone-1', title: 'Beta', amount: 60 },
    ]
    const deal = await heldDeal(market, { milestones })
    await must(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {})
    await remove(market.buyer.token)
    const { milestones: agreed, escrow } = await readDealText(market, deal.id, 'seller')
    assert.deepEqual(
      agreed.map(({ title }) => title),
      [REMOVED, REMOVED],
    )
    assert.deepEqual(
      escrow.milestones.map(({ key }) => key),
      agreed.map(({ key }) => key),
    )
    assert.deepEqual(
      agreed.map(({ key }) => key.slice(0, 11)),
      ['milestone-1', 'milestone-2'],
    )
  })

  test('does not change what the counterparty wrote, though it names the person', async () => {
    const market = await openMarket(service)
    const { owner } = market.agent
    const text = `ask Test Person <${owner.email}>`
    const deal = await deliveredDeal(market, { notes: text, requirements: { from: [owner.email] } })
    const release = () =>
      service.http('POST', '/payments/ap2/release', {
        token: market.buyer.token,
        headers: { 'idempotency-key': 'release' },
        body: { escrowId: deal.escrowId, memo: text },
      })
    const released = await release()
    assert.equal(released.status, 201, released.text)
    await remove(owner.token)
    const { notes, requirements } = await readDealText(market, deal.id, 'buyer')
    assert.deepEqual([notes, requirements], [text, { from: [owner.email] }])
    const replayed = await release()
    assert.deepEqual([replayed.status, replayed.text], [201, released.text])
  })

  test('erases the text of a deal that ends while a party is being deleted', async () => {
    for (let round = 0; round < 3; round++) {
      const market = await openMarket(service)
      const deal = await deliveredDeal(market, { notes: 'buyerword' })
      const answers = await Promise.all([
        as(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {}),
        service.http('DELETE', '/users/me', { token: market.buyer.token }),
      ])
      assert.deepEqual(
        answers.map(answer => answer.status),
        [201, 204],
        answers.map(answer => answer.text).join(),
      )
      const { notes, rounds } = await readDealText(market, deal.id, 'seller')
      assert.deepEqual([notes, rounds[0]?.notes], [null, null])
    }
  })

  test('keeps the text of an organization until it closes', async () => {
    const market = await openMarket(service)
    const { buyer, outsider, agent, admin } = market
    const slug = `org-${buyer.id.slice(-8)}`
    await service.http('POST', '/organizations', { token: buyer.token, body: { slug, name: 'Works' } })
    await joinOrganization(service, buyer, outsider, { slug, role: 'ADMIN' })
    const { body: wallet } = await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, {
      token: buyer.token,
    })
    await service.http('POST', '/wallets/admin/test-credit', {
      token: admin,
      body: { walletId: wallet.id, amount: 50, reason: 'test' },
    })
    const { negotiationId: id, escrowId } = await must<{ negotiationId: string; escrowId: string }>(
      market,
      'buyer',
      '/payments/ap2/initiate',
      {
        sourceWalletId: wallet.id,
        destinationWalletId: agent.walletId,
        amount: 20,
        purpose: 'orgword',
      },
    )
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    await remove(buyer.token)
    assert.equal((await readDealText(market, id, 'seller')).requestedService, 'orgword')
    await remove(outsider.token)
    assert.equal((await readDealText(market, id, 'seller')).requestedService, REMOVED)
  })

  test('erases the reason that a deleted operator gave and keeps the decision', async () => {
    const market = await openMarket(service)
    const admin = await registerAdmin(service)
    const deal = await deliveredDeal(market)
    const resolved = await service.http('POST', `/payments/escrow/${deal.escrowId}/resolve`, {
      token: admin.token,
      body: { outcome: 'REFUND', reason: 'operatorword' },
    })
    assert.equal(resolved.status, 201, resolved.text)
    const reasons = async () =>
      (await readDealText(market, deal.id, 'buyer')).escrow.timeline
        .map(({ details }) => details.reason)
        .filter(each => each === 'operatorword')
    assert.equal((await reasons()).length, 2)
    await remove(admin.token)
    assert.equal((await reasons()).length, 0)
    assert.equal((await readDealText(market, deal.id, 'buyer')).status, 'REFUNDED')
  })

  test('sweeps what comes back for an agent that was claimed by another account meanwhile', async () => {
    const market = await openMarket(service)
    const { buyer } = market
    const announced = await must<{ agent_id: string; claim_url: string }>(
      market,
      'buyer',
      '/agents/announce',
      {
        name: `Agent ${buyer.id.slice(-8)}`,
      },
    )
    await must(market, 'buyer', `/agents/${announced.agent_id}/publish`, {})
    const { id: negotiationId } = await acceptedDeal(market, { requesterAgentId: announced.agent_id })
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
      negotiationId,
      sourceWalletId: buyer.walletId,
    })
    await must(market, 'outsider', `/agents/claim/${announced.claim_url.split('/').at(-1)}`, {})
    await remove(buyer.token)
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    assert.equal(await balanceOf(service.services.db, accounts.testCredit(buyer.walletId), 'USD'), 0n)
    assert.equal((await readDealText(market, negotiationId)).status, 'REFUNDED')
  })

  suite('of an organization', () => {
    let market: Market
    let admin: Person
    let slug: string
    /** A negotiation that an ADMIN opened with a key of the organization. */
    let negotiationId: string
    const statusOf = async (id: string) => (await readDealText(market, id)).status
    const call = async <Body>(method: string, path: string, token: string, body?: object) => {
      const answer = await service.http<Body>(method, path, { token, body })
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    beforeEach(async () => {
      market = await openMarket(service)
      const { buyer, agent } = market
      admin = await registerHuman(service)
      slug = `org-${buyer.id.slice(-8)}`
      const made = { slug, name: 'Works' }
      const { id: organizationId } = await call<{ id: string }>('POST', '/organizations', buyer.token, made)
      await joinOrganization(service, buyer, admin, { slug, role: 'ADMIN' })
      const { apiKey } = await call<{ apiKey: string }>('POST', '/api/v1/service-accounts', admin.token, {
        name: 'Bound',
        organizationId,
      })
      const offer = { responderAgentId: agent.id, requestedService: 'Notes', budget: 5 }
      negotiationId = (await call<{ id: string }>('POST', '/ap2/negotiate', apiKey, offer)).id
    })

    test('a negotiation outlives the account of the member who opened it', async () => {
      await remove(admin.token)
      assert.equal(await statusOf(negotiationId), 'PENDING')
    })

    test('a negotiation ends with the organization, and so does a payment from its wallet', async () => {
      const { token } = market.buyer
      const wallet = await call<{ id: string }>('GET', `/wallets/org/${slug}`, token)
      const own = await reservedDeal(market, {}, { sourceWalletId: wallet.id })
      await call('DELETE', `/organizations/${slug}/members/${admin.id}`, token)
      await call('DELETE', `/organizations/${slug}`, token)
      assert.equal(await statusOf(negotiationId), 'CANCELLED')
      assert.equal((await readEscrow(market, own.escrowId)).status, 'CANCELLED')
      // The deal is the person's, who may pay it from another wallet.
      assert.equal(await statusOf(own.id), 'ACCEPTED')
      await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: own.id })
    })
  })

  test('cancels an accepted deal and erases the request of its buyer', async () => {
    const market = await openMarket(service)
    const { id } = await acceptedDeal(market, { requirements: { mine: 1 } })
    await remove(market.buyer.token)
    const { status, requirements, requestedService } = await readDealText(market, id, 'seller')
    assert.deepEqual([status, requirements, requestedService], ['CANCELLED', null, REMOVED])
  })
})
