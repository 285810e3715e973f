import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { DELETED_PERSON, REMOVED } from '#platform/names'
import { acceptedDeal, as, deliveredDeal, heldDeal, must, negotiate, openMarket, readDeal, startTestService, type Market, type TestService, joinOrganization } from '#test'

interface Told {
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
    service = await startTestService()
  })
  after(() => service.close())

  const remove = async (token: string) => assert.equal((await service.http('DELETE', '/users/me', { token })).status, 204)
  const told = (market: Market, id: string, role: 'buyer' | 'seller' | 'operator' = 'operator') => must<Told>(market, role, `/ap2/negotiations/${id}`)

  test('where both sides are gone, nothing that either wrote is left, delivered work neither', async () => {
    const market = await openMarket(service)
    const deal = await deliveredDeal(market, { notes: 'buyerword', requirements: 'buyerword' })
    await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
    const { deliveries: [delivery] } = (await readDeal(market, deal.id)).escrow
    await remove(market.agent.owner.token)
    assert.equal((await must<{ result: unknown }>(market, 'buyer', delivery?.url ?? '')).result, 'done')
    await remove(market.buyer.token)
    assert.equal((await must<{ result: unknown }>(market, 'operator', delivery?.url ?? '')).result, null)
    const { requestedService, requirements, notes } = await told(market, deal.id)
    assert.deepEqual([requestedService, requirements, notes], [REMOVED, null, null])
  })

  test('who takes the other side\'s words for a name and leaves does not spoil them', async () => {
    const market = await openMarket(service)
    const notes = 'You promised delivery before Friday, else full refund and not a summary'
    const acceptance = { outputSchema: { type: 'object', required: ['summary'], properties: { summary: { type: 'string' } } } }
    const deal = await heldDeal(market, { notes, requirements: acceptance })
    const { owner } = market.agent
    await service.http('PATCH', '/users/me', { token: owner.token, body: { displayName: 'full refund' } })
    await service.http('PATCH', `/agents/${market.agent.id}`, { token: owner.token, body: { name: 'before Friday' } })
    await remove(owner.token)
    const after = await told(market, deal.id, 'buyer')
    assert.deepEqual([after.notes, after.requirements], [notes, acceptance])
  })

  test('a username that is a plain word is a name only as a mention', async () => {
    const market = await openMarket(service)
    const { body: agent } = await service.http<{ accessToken: string; user: { id: string } }>('POST', '/auth/register-agent', { body: { username: 'summary', walletType: 'managed' } })
    const listed = await service.http<{ id: string }>('POST', '/agents', { token: agent.accessToken, body: { name: 'Zusammenfassung' } })
    await service.http('PATCH', `/agents/${listed.body.id}`, { token: agent.accessToken, body: { status: 'ACTIVE' } })
    const deal = await must<{ id: string }>(market, 'buyer', '/ap2/negotiate', { responderAgentId: listed.body.id, requestedService: 'A summary by @summary', budget: 10 })
    await remove(agent.accessToken)
    assert.equal((await told(market, deal.id, 'buyer')).requestedService, `A summary by ${DELETED_PERSON}`)
  })

  test('agreed milestones keep their amounts under new keys, the same in deal and escrow', async () => {
    const market = await openMarket(service)
    const milestones = [{ key: 'milestone-2', title: 'Alpha', amount: 40 }, { key: 'milestone-1', title: 'Beta', amount: 60 }]
    const deal = await heldDeal(market, { milestones })
    await must(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {})
    await remove(market.buyer.token)
    const { milestones: agreed, escrow } = await told(market, deal.id, 'seller')
    assert.deepEqual(agreed.map(({ title }) => title), [REMOVED, REMOVED])
    assert.deepEqual(escrow.milestones.map(({ key }) => key), agreed.map(({ key }) => key))
    assert.deepEqual(agreed.map(({ key }) => key.slice(0, 11)), ['milestone-1', 'milestone-2'])
  })

  test('a key that names the seller is replaced while the deal lives, and is still delivered to', async () => {
    const market = await openMarket(service)
    const named = market.agent.owner.email
    const deal = await heldDeal(market, { milestones: [{ key: named, title: `For ${named}`, amount: 40 }, { key: 'other', amount: 60 }] })
    await remove(market.agent.owner.token)
    const { milestones, escrow } = await told(market, deal.id, 'buyer')
    assert.deepEqual(milestones.map(({ title }) => title), [`For ${DELETED_PERSON}`, 'other'])
    assert.deepEqual(escrow.milestones.map(({ key }) => key), milestones.map(({ key }) => key))
    const released = await as(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId, milestoneKey: milestones[0]?.key, acceptUnverified: true })
    assert.equal(released.status, 201, released.text)
  })

  test('a name that is a word like any other does not change what others wrote', async () => {
    const market = await openMarket(service)
    await service.http('PATCH', '/users/me', { token: market.agent.owner.token, body: { displayName: 'Agent' } })
    const { id } = await negotiate(market, { notes: 'Agent wanted', requirements: { status: 'Agent' } })
    await remove(market.agent.owner.token)
    const { notes, requirements, status } = await told(market, id, 'buyer')
    assert.deepEqual([notes, requirements, status], ['Agent wanted', { status: 'Agent' }, 'CANCELLED'])
  })

  test('nobody\'s texts change but those of the deals with the account', async () => {
    const market = await openMarket(service)
    const other = await openMarket(service)
    const { id } = await negotiate(other, { notes: `ask ${market.buyer.email}` })
    await remove(market.buyer.token)
    assert.equal((await told(other, id, 'buyer')).notes, `ask ${market.buyer.email}`)
  })

  test('a deal that ends while its side is being deleted keeps none of its words, whichever comes first', async () => {
    for (let round = 0; round < 6; round++) {
      const market = await openMarket(service)
      const deal = await deliveredDeal(market, { notes: 'buyerword' })
      const answers = await Promise.all([
        as(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {}),
        service.http('DELETE', '/users/me', { token: market.buyer.token }),
      ])
      assert.deepEqual(answers.map(answer => answer.status), [201, 204], answers.map(answer => answer.text).join())
      const { notes, rounds } = await told(market, deal.id, 'seller')
      assert.deepEqual([notes, rounds[0]?.notes], [null, null])
    }
  })

  test('an organization keeps what was written for it, without the name, until it closes', async () => {
    const market = await openMarket(service)
    const { buyer, stranger, agent, admin } = market
    const slug = `org-${buyer.id.slice(-8)}`
    await service.http('POST', '/organizations', { token: buyer.token, body: { slug, name: 'Works' } })
    await joinOrganization(service, buyer, stranger, { slug, role: 'ADMIN' })
    const { body: wallet } = await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token: buyer.token })
    await service.http('POST', '/wallets/admin/test-credit', { token: admin, body: { walletId: wallet.id, amount: 50, reason: 'test' } })
    const { negotiationId: id, escrowId } = await must<{ negotiationId: string; escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
      sourceWalletId: wallet.id, destinationWalletId: agent.walletId, amount: 20, purpose: `orgword, ask ${buyer.email}`,
    })
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    await remove(buyer.token)
    assert.equal((await told(market, id, 'seller')).requestedService, `orgword, ask ${DELETED_PERSON}`)
    await remove(stranger.token)
    assert.equal((await told(market, id, 'seller')).requestedService, REMOVED)
  })

  test('a reason that an operator gave goes with the operator, the decision stays', async () => {
    const market = await openMarket(service)
    const { body: admin } = await service.http<{ user: { id: string }; accessToken: string }>('POST', '/auth/register', {
      body: { email: 'operator@example.com', displayName: 'Op', password: 'correct horse battery' },
    })
    await service.http('POST', `/admin/users/${admin.user.id}/role`, { token: market.admin, body: { role: 'ADMIN' } })
    const deal = await deliveredDeal(market)
    const resolved = await service.http('POST', `/payments/escrow/${deal.escrowId}/resolve`, {
      token: admin.accessToken, body: { outcome: 'REFUND', reason: 'operatorword' },
    })
    assert.equal(resolved.status, 201, resolved.text)
    const reasons = async () => (await told(market, deal.id, 'buyer')).escrow.timeline.map(({ details }) => details.reason).filter(each => each === 'operatorword')
    assert.equal((await reasons()).length, 2)
    await remove(admin.accessToken)
    assert.equal((await reasons()).length, 0)
    assert.equal((await told(market, deal.id, 'buyer')).status, 'REFUNDED')
  })

  test('an accepted deal is cancelled, and says nothing more of the one who asked', async () => {
    const market = await openMarket(service)
    const { id } = await acceptedDeal(market, { requirements: { mine: 1 } })
    await remove(market.buyer.token)
    const { status, requirements, requestedService } = await told(market, id, 'seller')
    assert.deepEqual([status, requirements, requestedService], ['CANCELLED', null, REMOVED])
  })
})
