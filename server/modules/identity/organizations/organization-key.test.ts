import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { newId } from '#platform/kernel/id'
import {
  acceptedDeal,
  heldDeal,
  KeyTrial,
  must,
  joinOrganization,
  publishAgent,
  registerHuman,
  sharedService,
} from '#test'
import type { ListedAgent, Person, TestService } from '#test'

let counter = 0

suite('keys that are bound to an organization', () => {
  let trial: KeyTrial
  let service: TestService
  let owner: Person
  let buyer: Person
  let other: Person
  before(async () => {
    service = await sharedService()
    trial = await KeyTrial.open(service)
    ;({ owner, buyer, other } = trial)
  })
  after(() => service.close())

  let slug: string
  let organizationId: string
  let walletId: string
  let admin: Person
  let key: string
  before(async () => {
    admin = await registerHuman(service)
    await trial.credit(admin.walletId)
  })
  beforeEach(async () => {
    slug = `bound-works-${counter++}`
    organizationId = (await trial.ask(owner.token, 'POST', '/organizations', { slug, name: 'Works' })).body.id
    await join(admin, 'ADMIN')
    walletId = (await trial.ask(owner.token, 'GET', `/wallets/org/${slug}`)).body.id
    await trial.credit(walletId, 100)
    key = await trial.keyFor({ organizationId }, admin)
  })
  const join = (person: Person, role: string) => joinOrganization(service, owner, person, { slug, role })
  const demote = (role: string) =>
    trial.ask(owner.token, 'PATCH', `/organizations/${slug}/members/${admin.id}`, { role })
  const remove = (token: string) => trial.ask(token, 'DELETE', `/organizations/${slug}/members/${admin.id}`)
  const available = async () => (await trial.ask(owner.token, 'GET', `/wallets/${walletId}`)).body.available
  const accept = (negotiationId: string, { token }: Person) =>
    trial.ask(token, 'POST', '/ap2/respond', { negotiationId, status: 'ACCEPTED' })
  const offer = ({ id }: ListedAgent) => ({ responderAgentId: id, requestedService: 'Notes', budget: 5 })

  test('are created by OWNER and ADMIN only, and not for an agent too', async () => {
    const made = await trial.create({ organizationId }, admin)
    assert.deepEqual([made.status, made.body.organizationId, made.body.agentId], [201, organizationId, null])
    await join(buyer, 'MEMBER')
    for (const who of [buyer, other]) assert.equal((await trial.create({ organizationId }, who)).status, 403)
    for (const unknown of [newId(), 'nonsense', slug])
      assert.equal((await trial.create({ organizationId: unknown }, owner)).status, 404)
    const agent = await publishAgent(service, owner)
    assert.equal((await trial.create({ organizationId, agentId: agent.id }, owner)).status, 400)
  })

  test('read the wallets of the organization and nothing else of the person', async () => {
    const agent = await publishAgent(service, admin)
    for (const path of [`/wallets/org/${slug}`, `/wallets/${walletId}`, `/wallets/${walletId}/transactions`])
      assert.equal(await trial.statusOf(key, path), 200, path)
    for (const path of [
      `/wallets/${admin.walletId}`,
      `/wallets/user/${admin.id}`,
      `/wallets/user/${admin.id}/detail`,
      `/wallets/${agent.walletId}`,
      `/wallets/agent/${agent.id}`,
      `/agents/${agent.id}/inbox`,
    ])
      assert.equal(await trial.statusOf(key, path), 403, path)
    for (const path of ['/wallets/my-agents', '/agents/my-agents', '/ap2/negotiations', '/payments/escrow'])
      assert.deepEqual(await trial.idsOf(key, path), [], path)
    await trial.credit(agent.walletId)
    const sums = `/wallets/totals?ownerType=AGENT&from=${service.services.clock.now().toISOString()}`
    for (const [token, count] of [
      [admin.token, 1],
      [key, 0],
    ] as const) {
      const { body } = await service.http<{ wallets: unknown[] }>('GET', sums, { token })
      assert.equal(body.wallets.length, count)
    }
    assert.equal((await trial.ask(key, 'PATCH', `/agents/${agent.id}`, { description: 'x' })).status, 403)
    assert.equal((await trial.ask(key, 'POST', '/agents', { name: 'Another' })).status, 403)
    assert.equal((await trial.ask(key, 'POST', `/agents/${agent.id}/revoke-key`)).status, 401)
    const elsewhere = { slug: `${slug}-b`, name: 'B' }
    assert.equal((await trial.ask(admin.token, 'POST', '/organizations', elsewhere)).status, 201)
    assert.equal(await trial.statusOf(key, `/wallets/org/${slug}-b`), 403)
  })

  test('spend money of the organization only', async () => {
    const seller = await publishAgent(service, other)
    const personal = await heldDeal(await trial.marketOf(seller, admin))
    const asked = await trial.ask(key, 'POST', '/ap2/negotiate', offer(seller))
    assert.equal(asked.status, 201, asked.text)
    const negotiationId = asked.body.id
    await accept(negotiationId, other)
    const personally = { negotiationId, sourceWalletId: admin.walletId }
    assert.equal((await trial.ask(key, 'POST', '/payments/ap2/initiate', personally)).status, 403)
    assert.equal((await trial.ask(admin.token, 'POST', '/payments/ap2/initiate', personally)).status, 403)
    const paid = await trial.ask(key, 'POST', '/payments/ap2/initiate', { negotiationId })
    assert.equal(paid.status, 201, paid.text)
    assert.equal(await available(), '95.00')
    const { escrowId } = paid.body
    const deal = await trial.ask(key, 'GET', `/ap2/negotiations/${negotiationId}`)
    assert.deepEqual([deal.body.buyerId, deal.body.buyerOrganizationId], [admin.id, organizationId])
    assert.equal(await trial.statusOf(key, `/payments/escrow/${escrowId}`), 200)
    assert.equal(await trial.statusOf(key, `/payments/escrow/${personal.escrowId}`), 403)
    const release = (id: string) =>
      trial.ask(key, 'POST', '/payments/ap2/release', { escrowId: id, acceptUnverified: true })
    assert.equal((await release(personal.escrowId)).status, 403)
    assert.deepEqual(await trial.idsOf(key, '/ap2/negotiations'), [negotiationId])
    const released = await release(escrowId)
    assert.equal(released.status, 201, released.text)
    const direct = (sourceWalletId: string) =>
      trial.ask(key, 'POST', '/payments/ap2/initiate', {
        sourceWalletId,
        destinationWalletId: seller.walletId,
        amount: 1,
      })
    assert.deepEqual([(await direct(walletId)).status, (await direct(admin.walletId)).status], [201, 403])
    assert.equal(await available(), '94.00')
  })

  test('list the needs that they published, and none of the person', async () => {
    const publish = (token: string) =>
      trial.ask(token, 'POST', '/market/needs', { title: 'Release notes', budget: 5 })
    const [personal, ofOrganization] = [await publish(admin.token), await publish(key)]
    assert.deepEqual([personal.status, ofOrganization.status], [201, 201])
    assert.deepEqual(await trial.idsOf(key, '/market/needs?mine=true'), [ofOrganization.body.id])
    assert.deepEqual(await trial.idsOf(admin.token, '/market/needs?mine=true'), [
      ofOrganization.body.id,
      personal.body.id,
    ])
  })

  test('do not share idempotency keys with other credentials of the person', async () => {
    const seller = await publishAgent(service, other)
    const headers = { 'idempotency-key': `key-${counter++}` }
    const body = { sourceWalletId: admin.walletId, destinationWalletId: seller.walletId, amount: 1 }
    const pay = (token: string) => service.http('POST', '/payments/ap2/initiate', { token, headers, body })
    const whole = await trial.keyFor({}, admin)
    assert.deepEqual([(await pay(whole)).status, (await pay(admin.token)).status], [201, 201])
    assert.equal((await pay(key)).status, 403)
  })

  test('are revoked for good when their person becomes a MEMBER or leaves', async () => {
    const works = () => trial.statusOf(key, `/wallets/org/${slug}`)
    assert.equal(await works(), 200)
    await demote('OWNER')
    assert.equal(await works(), 200)
    await demote('MEMBER')
    assert.equal(await works(), 401)
    await demote('ADMIN')
    assert.equal(await works(), 401)
    for (const token of [owner.token, admin.token]) {
      key = await trial.keyFor({ organizationId }, admin)
      assert.equal(await works(), 200)
      assert.equal((await remove(token)).status, 204)
      assert.equal(await works(), 401)
      await join(admin, 'ADMIN')
    }
    const whole = await trial.keyFor({}, admin)
    assert.equal(await trial.statusOf(whole, `/wallets/${admin.walletId}`), 200)
  })

  test('are revoked if they are created while their person is being removed', async () => {
    for (let round = 0; round < 5; round++) {
      const making = Array.from({ length: 6 }, () => trial.create({ organizationId }, admin))
      await Promise.all([...making, remove(owner.token)])
      for (const { status, body } of await Promise.all(making)) {
        assert.ok([201, 403].includes(status))
        if (status === 201) assert.equal(await trial.statusOf(body.apiKey, `/wallets/org/${slug}`), 401)
      }
      await join(admin, 'ADMIN')
    }
  })

  test('have no rights without the role, even if a key were not revoked', async () => {
    await service.services.db.pool.query(
      `update identity_member set role = 'MEMBER' where account_id = $1 and organization_id = $2`,
      [admin.id, organizationId],
    )
    assert.equal(await trial.statusOf(key, `/wallets/org/${slug}`), 403)
    const seller = await publishAgent(service, other)
    const direct = { sourceWalletId: walletId, destinationWalletId: seller.walletId, amount: 1 }
    assert.equal((await trial.ask(key, 'POST', '/payments/ap2/initiate', direct)).status, 403)
  })

  test('its OWNERs and ADMINs continue a deal that it pays; removed members cannot', async () => {
    const seller = await publishAgent(service, other)
    const market = await trial.marketOf(seller, admin)
    const deal = await acceptedDeal(market)
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
      negotiationId: deal.id,
      sourceWalletId: walletId,
    })
    await join(buyer, 'MEMBER')
    const release = ({ token }: Person) =>
      trial.ask(token, 'POST', '/payments/ap2/release', { escrowId, acceptUnverified: true })
    assert.equal((await release(buyer)).status, 403)
    await remove(owner.token)
    assert.equal((await release(admin)).status, 403)
    assert.ok(!(await trial.idsOf(admin.token, '/payments/escrow?limit=100')).includes(escrowId))
    assert.ok((await trial.idsOf(owner.token, '/payments/escrow?limit=100')).includes(escrowId))
    assert.equal((await release(owner)).status, 201)
  })

  test('marks a purchase from its OWNER as a self-deal', async () => {
    const selfDeals = async (seller: ListedAgent) => {
      const { id: negotiationId } = (await trial.ask(key, 'POST', '/ap2/negotiate', offer(seller))).body
      await accept(negotiationId, seller.owner)
      assert.equal((await trial.ask(key, 'POST', '/payments/ap2/initiate', { negotiationId })).status, 201)
      const direct = { sourceWalletId: walletId, destinationWalletId: seller.owner.walletId, amount: 1 }
      const paid = await trial.ask(key, 'POST', '/payments/ap2/initiate', direct)
      const ids = [negotiationId, String(paid.body.negotiationId)]
      const deals = await Promise.all(ids.map(id => trial.ask(key, 'GET', `/ap2/negotiations/${id}`)))
      return deals.map(({ body }) => body.selfDeal)
    }
    assert.deepEqual(await selfDeals(await publishAgent(service, owner)), [true, true])
    assert.deepEqual(await selfDeals(await publishAgent(service, other)), [false, false])
  })

  test('its wallet can be paid by escrow; OWNERs and ADMINs act for it', async () => {
    const order = { sourceWalletId: buyer.walletId, destinationWalletId: walletId, amount: 7 }
    const paid = await trial.ask(buyer.token, 'POST', '/payments/ap2/initiate', order)
    assert.equal(paid.status, 201, paid.text)
    const refund = ({ token }: Person) =>
      trial.ask(token, 'POST', `/payments/escrow/${paid.body.escrowId}/refund`, {})
    assert.deepEqual([(await refund(other)).status, (await refund(admin)).status], [403, 201])
  })
})
