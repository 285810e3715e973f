import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { newId } from '#platform/id'
import { acceptedDeal, heldDeal, must, publishAgent, registerHuman, startTestService } from '#test'
import type { ListedAgent, Market, Person, TestService } from '#test'

interface ServiceAccount {
  id: string
  apiKey: string
  agentId: string | null
  organizationId: string | null
  status: string
  message: string
}

let counter = 0

suite('keys that are bound', () => {
  let service: TestService
  let owner: Person
  let buyer: Person
  let other: Person
  before(async () => {
    service = await startTestService()
    owner = await registerHuman(service)
    buyer = await registerHuman(service)
    other = await registerHuman(service)
    for (const { walletId } of [owner, buyer, other]) await credit(walletId)
  })
  after(() => service.close())

  const credit = async (walletId: string, amount = 1000) =>
    service.http('POST', '/wallets/admin/test-credit', {
      token: await service.adminToken(),
      body: { walletId, amount, reason: 'test' },
    })
  const create = (body: object, { token }: Person = owner, path = '/api/v1/service-accounts') =>
    service.http<ServiceAccount>('POST', path, { token, body: { name: 'Bound', ...body } })
  const keyFor = async (body: object, who = owner) => {
    const made = await create(body, who)
    assert.equal(made.status, 201, made.text)
    return made.body.apiKey
  }
  const ask = (key: string, method: string, path: string, body?: object) =>
    service.http<Record<string, unknown> & { items: { id: string }[]; message: string; escrowId: string }>(method, path, {
      token: key,
      body,
    })
  const statusOf = async (key: string, path: string) => (await ask(key, 'GET', path)).status
  const marketOf = async (agent: ListedAgent, who = buyer): Promise<Market> => ({
    service,
    agent,
    buyer: who,
    stranger: other,
    admin: await service.adminToken(),
  })

  suite('to an agent', () => {
    let agent: ListedAgent
    let second: ListedAgent
    let key: string
    beforeEach(async () => {
      agent = await publishAgent(service, owner)
      second = await publishAgent(service, owner)
      key = await keyFor({ agentId: agent.id })
    })

    test('say so in their record; of an agent that is unknown 404, of another\'s 403', async () => {
      for (const path of ['/api/v1/service-accounts', '/api/v1/keys']) {
        const made = await create({ agentId: agent.id }, owner, path)
        assert.deepEqual([made.status, made.body.agentId, made.body.organizationId], [201, agent.id, null])
        const read = await service.http<ServiceAccount>('GET', `/api/v1/service-accounts/${made.body.id}`, {
          token: owner.token,
        })
        assert.equal(read.body.agentId, agent.id)
        for (const agentId of [newId(), 'nonsense', owner.id]) assert.equal((await create({ agentId }, owner, path)).status, 404)
        assert.equal((await create({ agentId: agent.id }, other, path)).status, 403)
      }
    })

    test('edit and read that agent and its wallet, and nothing else of the account', async () => {
      assert.equal((await ask(key, 'PATCH', `/agents/${agent.id}`, { description: 'By its key' })).status, 200)
      assert.equal((await ask(key, 'PATCH', `/agents/${second.id}`, { description: 'By its key' })).status, 403)
      assert.equal((await ask(key, 'POST', `/agents/${second.id}/rotate-key`)).status, 403)
      assert.equal((await ask(key, 'POST', `/agents/${second.id}/revoke-key`)).status, 401)
      for (const path of ['/agents', '/agents/announce']) assert.equal((await ask(key, 'POST', path, { name: 'One more' })).status, 403)
      assert.equal((await ask(key, 'POST', `/agents/${agent.id}/claim-link`)).status, 403)
      const mine = await ask(key, 'GET', '/agents/my-agents')
      assert.deepEqual(mine.body.items.map(({ id }) => id), [agent.id])
      const wallets = await ask(key, 'GET', '/wallets/my-agents')
      assert.deepEqual(wallets.body.items.map(({ id }) => id), [agent.walletId])
      for (const path of [`/wallets/${agent.walletId}`, `/wallets/${agent.walletId}/transactions`, `/wallets/agent/${agent.id}`])
        assert.equal(await statusOf(key, path), 200, path)
      for (const path of [
        `/wallets/${owner.walletId}`,
        `/wallets/${owner.walletId}/transactions`,
        `/wallets/user/${owner.id}`,
        `/wallets/user/${owner.id}/detail`,
        `/wallets/${second.walletId}`,
        `/wallets/agent/${second.id}`,
        `/agents/${second.id}/inbox`,
      ])
        assert.equal(await statusOf(key, path), 403, path)
    })

    test('see a private agent only if it is theirs, whatever the role of their account', async () => {
      const admin = await service.adminToken()
      await service.http('POST', `/admin/users/${other.id}/role`, { token: admin, body: { role: 'ADMIN' } })
      const own = await publishAgent(service, other, { visibility: 'PRIVATE' })
      const foreign = await publishAgent(service, owner, { visibility: 'PRIVATE' })
      const bound = await keyFor({ agentId: own.id }, other)
      const whole = await keyFor({}, other)
      assert.deepEqual(
        [await statusOf(bound, `/agents/${own.id}`), await statusOf(bound, `/agents/${foreign.id}`)],
        [200, 403],
      )
      assert.equal(await statusOf(whole, `/agents/${foreign.id}`), 200)
      const deal = await heldDeal(await marketOf(agent))
      assert.deepEqual(
        [await statusOf(bound, `/payments/escrow/${deal.escrowId}`), await statusOf(whole, `/payments/escrow/${deal.escrowId}`)],
        [403, 200],
      )
      await service.http('POST', `/admin/users/${other.id}/role`, { token: admin, body: { role: 'USER' } })
    })

    test('deal for that agent alone', async () => {
      await credit(agent.walletId, 50)
      const seller = await publishAgent(service, other)
      const offer = { responderAgentId: seller.id, requestedService: 'Notes', budget: 5 }
      const asked = await ask(key, 'POST', '/ap2/negotiate', offer)
      assert.equal(asked.status, 201, asked.text)
      assert.equal((asked.body.requesterAgent as { id: string }).id, agent.id)
      assert.equal((await ask(key, 'POST', '/ap2/negotiate', { ...offer, requesterAgentId: second.id })).status, 403)
      const negotiationId = asked.body.id as string
      await service.http('POST', '/ap2/respond', { token: other.token, body: { negotiationId, status: 'ACCEPTED' } })
      for (const sourceWalletId of [owner.walletId, second.walletId])
        assert.equal((await ask(key, 'POST', '/payments/ap2/initiate', { negotiationId, sourceWalletId })).status, 403)
      const paid = await ask(key, 'POST', '/payments/ap2/initiate', { negotiationId })
      assert.equal(paid.status, 201, paid.text)

      // What its owner buys or sells otherwise is not its business.
      const bought = await heldDeal(await marketOf(seller, owner))
      const sold = await heldDeal(await marketOf(second))
      for (const { id, escrowId } of [bought, sold]) {
        assert.equal(await statusOf(key, `/ap2/negotiations/${id}`), 403)
        assert.equal(await statusOf(key, `/payments/escrow/${escrowId}`), 403)
        assert.equal((await ask(key, 'POST', `/payments/escrow/${escrowId}/dispute`, { reason: 'Mine' })).status, 403)
      }
      assert.equal((await ask(key, 'POST', '/payments/ap2/release', { escrowId: bought.escrowId, acceptUnverified: true })).status, 403)
      assert.equal((await ask(key, 'POST', `/payments/escrow/${sold.escrowId}/refund`, {})).status, 403)
      const list = await ask(key, 'GET', '/ap2/negotiations')
      assert.deepEqual(list.body.items.map(({ id }) => id), [negotiationId])
      const funded = await ask(key, 'GET', '/payments/escrow')
      assert.deepEqual(funded.body.items.map(({ id }) => id), [paid.body.escrowId])
      assert.equal((await ask(key, 'POST', '/payments/ap2/initiate', {
        sourceWalletId: owner.walletId, destinationWalletId: other.walletId, amount: 1,
      })).status, 403)
    })

    test('neither sign in nor step up', async () => {
      const username = `bound_${counter++}`
      const body = { username }
      const made = await service.http<{ user: { id: string }; accessToken: string; agentApiKey: string }>('POST', '/auth/register-agent', { body })
      const token = made.body.accessToken
      const own = await service.http<{ id: string }>('POST', '/agents', { token, body: { name: 'Own' } })
      const bound = await keyFor({ agentId: own.body.id }, { ...owner, token })
      const signIn = (apiKey: string) => service.http('POST', '/auth/agent/login', { body: { username, apiKey } })
      const stepUp = (apiKey: string) => service.http('POST', '/auth/step-up', { token, body: { apiKey } })
      assert.deepEqual([(await signIn(made.body.agentApiKey)).status, (await stepUp(made.body.agentApiKey)).status], [200, 200])
      assert.deepEqual([(await signIn(bound)).status, (await stepUp(bound)).status], [403, 401])
    })

    test('stop while the agent is suspended, and are not made for a suspended one', async () => {
      const token = await service.adminToken()
      await service.http('POST', `/admin/agents/${agent.id}/suspend`, { token, body: {} })
      assert.deepEqual([(await ask(key, 'GET', '/agents/my-agents')).body.message, (await create({ agentId: agent.id })).status], ['Agent suspended', 403])
      await service.http('POST', `/admin/agents/${agent.id}/reinstate`, { token, body: {} })
      assert.equal(await statusOf(key, '/agents/my-agents'), 200)
    })

    test('end when the keys of the agent are revoked', async () => {
      const spare = await keyFor({ agentId: second.id })
      assert.equal((await service.http('POST', `/agents/${agent.id}/revoke-key`, { token: owner.token })).status, 200)
      assert.deepEqual([await statusOf(key, '/agents/my-agents'), await statusOf(spare, '/agents/my-agents')], [401, 200])
    })

    test('stay bound when they are rotated', async () => {
      const made = await create({ agentId: agent.id })
      const rotated = await service.http<ServiceAccount>('POST', `/api/v1/service-accounts/${made.body.id}/rotate`, { token: owner.token })
      assert.deepEqual([rotated.status, rotated.body.agentId], [201, agent.id])
      assert.equal(await statusOf(rotated.body.apiKey, `/wallets/${owner.walletId}`), 403)
      const replaced = await ask(rotated.body.apiKey, 'POST', `/agents/${agent.id}/rotate-key`)
      assert.equal(replaced.status, 200, replaced.text)
      assert.equal(await statusOf(String(replaced.body.newApiKey), `/wallets/${owner.walletId}`), 403)
    })
  })

  suite('to an organization', () => {
    let slug: string
    let organizationId: string
    let walletId: string
    let admin: Person
    let key: string
    before(async () => {
      admin = await registerHuman(service)
      await credit(admin.walletId)
    })
    beforeEach(async () => {
      slug = `bound-works-${counter++}`
      organizationId = (await service.http<{ id: string }>('POST', '/organizations', { token: owner.token, body: { slug, name: 'Works' } })).body.id
      assert.equal((await join(admin, 'ADMIN')).status, 201)
      walletId = (await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token: owner.token })).body.id
      await credit(walletId, 100)
      key = await keyFor({ organizationId }, admin)
    })
    const join = ({ id: userId }: Person, role: string) =>
      service.http('POST', `/organizations/${slug}/members`, { token: owner.token, body: { userId, role } })
    const demote = (role: string) =>
      service.http('PATCH', `/organizations/${slug}/members/${admin.id}`, { token: owner.token, body: { role } })
    const available = async () =>
      (await service.http<{ available: string }>('GET', `/wallets/${walletId}`, { token: owner.token })).body.available

    test('say so in their record, and are made by OWNER and ADMIN alone; never with an agent', async () => {
      const made = await create({ organizationId }, admin)
      assert.deepEqual([made.status, made.body.organizationId, made.body.agentId], [201, organizationId, null])
      await join(buyer, 'MEMBER')
      for (const who of [buyer, other]) assert.equal((await create({ organizationId }, who)).status, 403)
      for (const unknown of [newId(), 'nonsense', slug]) assert.equal((await create({ organizationId: unknown }, owner)).status, 404)
      const agent = await publishAgent(service, owner)
      assert.equal((await create({ organizationId, agentId: agent.id }, owner)).status, 400)
    })

    test('read the organization\'s wallets and nothing else of the person', async () => {
      const agent = await publishAgent(service, admin)
      for (const path of [`/wallets/org/${slug}`, `/wallets/${walletId}`, `/wallets/${walletId}/transactions`])
        assert.equal(await statusOf(key, path), 200, path)
      for (const path of [
        `/wallets/${admin.walletId}`,
        `/wallets/user/${admin.id}`,
        `/wallets/user/${admin.id}/detail`,
        `/wallets/${agent.walletId}`,
        `/wallets/agent/${agent.id}`,
        `/agents/${agent.id}/inbox`,
      ])
        assert.equal(await statusOf(key, path), 403, path)
      for (const path of ['/wallets/my-agents', '/agents/my-agents', '/ap2/negotiations', '/payments/escrow'])
        assert.deepEqual((await ask(key, 'GET', path)).body.items, [], path)
      assert.equal((await ask(key, 'PATCH', `/agents/${agent.id}`, { description: 'x' })).status, 403)
      assert.equal((await ask(key, 'POST', '/agents', { name: 'One more' })).status, 403)
      assert.equal((await ask(key, 'POST', `/agents/${agent.id}/revoke-key`)).status, 401)
      const elsewhere = await service.http<{ id: string }>('POST', '/organizations', { token: admin.token, body: { slug: `${slug}-b`, name: 'B' } })
      assert.equal(elsewhere.status, 201)
      assert.equal(await statusOf(key, `/wallets/org/${slug}-b`), 403)
    })

    test('buy with its money, and with no other', async () => {
      const seller = await publishAgent(service, other)
      const personal = await heldDeal(await marketOf(seller, admin))
      const asked = await ask(key, 'POST', '/ap2/negotiate', { responderAgentId: seller.id, requestedService: 'Notes', budget: 5 })
      assert.equal(asked.status, 201, asked.text)
      const negotiationId = asked.body.id as string
      await service.http('POST', '/ap2/respond', { token: other.token, body: { negotiationId, status: 'ACCEPTED' } })
      assert.equal((await ask(key, 'POST', '/payments/ap2/initiate', { negotiationId, sourceWalletId: admin.walletId })).status, 403)
      const paid = await ask(key, 'POST', '/payments/ap2/initiate', { negotiationId })
      assert.equal(paid.status, 201, paid.text)
      assert.equal(await available(), '95.00')
      const { escrowId } = paid.body
      assert.equal(await statusOf(key, `/payments/escrow/${escrowId}`), 200)
      assert.equal(await statusOf(key, `/payments/escrow/${personal.escrowId}`), 403)
      assert.equal((await ask(key, 'POST', '/payments/ap2/release', { escrowId: personal.escrowId, acceptUnverified: true })).status, 403)
      const list = await ask(key, 'GET', '/ap2/negotiations')
      assert.deepEqual(list.body.items.map(({ id }) => id), [negotiationId])
      const released = await ask(key, 'POST', '/payments/ap2/release', { escrowId, acceptUnverified: true })
      assert.equal(released.status, 201, released.text)
      const direct = (sourceWalletId: string) =>
        ask(key, 'POST', '/payments/ap2/initiate', { sourceWalletId, destinationWalletId: seller.walletId, amount: 1 })
      assert.deepEqual([(await direct(walletId)).status, (await direct(admin.walletId)).status, await available()], [201, 403, '94.00'])
    })

    test('end when their person is made a MEMBER, taken out or leaves, and for good', async () => {
      const works = () => statusOf(key, `/wallets/org/${slug}`)
      assert.equal(await works(), 200)
      await demote('OWNER')
      assert.equal(await works(), 200)
      await demote('MEMBER')
      assert.equal(await works(), 401)
      await demote('ADMIN')
      assert.equal(await works(), 401)
      for (const token of [owner.token, admin.token]) {
        key = await keyFor({ organizationId }, admin)
        assert.equal(await works(), 200)
        await service.http('DELETE', `/organizations/${slug}/members/${admin.id}`, { token })
        assert.equal(await works(), 401)
        await join(admin, 'ADMIN')
      }
      const whole = await keyFor({}, admin)
      assert.equal(await statusOf(whole, `/wallets/${admin.walletId}`), 200)
    })

    test('give no right that the role does not give any more, were one left behind', async () => {
      const db = service.services.db.pool
      await db.query(`update identity_member set role = 'MEMBER' where account_id = $1 and organization_id = $2`, [admin.id, organizationId])
      assert.equal(await statusOf(key, `/wallets/org/${slug}`), 403)
      const seller = await publishAgent(service, other)
      assert.equal((await ask(key, 'POST', '/payments/ap2/initiate', {
        sourceWalletId: walletId, destinationWalletId: seller.walletId, amount: 1,
      })).status, 403)
    })

    test('what was bought with its money is its own: another OWNER or ADMIN goes on, who was taken out does not', async () => {
      const seller = await publishAgent(service, other)
      const market = await marketOf(seller, admin)
      const deal = await acceptedDeal(market)
      const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
        negotiationId: deal.id, sourceWalletId: walletId,
      })
      await join(buyer, 'MEMBER')
      const release = ({ token }: Person) =>
        service.http('POST', '/payments/ap2/release', { token, body: { escrowId, acceptUnverified: true } })
      assert.equal((await release(buyer)).status, 403)
      await service.http('DELETE', `/organizations/${slug}/members/${admin.id}`, { token: owner.token })
      assert.equal((await release(admin)).status, 403)
      const listedBy = async ({ token }: Person) => (await ask(token, 'GET', '/payments/escrow?limit=100')).body.items.map(({ id }) => id)
      assert.ok(!(await listedBy(admin)).includes(escrowId))
      assert.ok((await listedBy(owner)).includes(escrowId))
      assert.equal((await release(owner)).status, 201)
    })

    test('of an organization that buys from who runs it, the deal is with oneself', async () => {
      const selfDeals = async (seller: ListedAgent) => {
        const asked = await ask(key, 'POST', '/ap2/negotiate', { responderAgentId: seller.id, requestedService: 'Notes', budget: 1 })
        const negotiationId = asked.body.id as string
        const token = seller.owner.token
        await service.http('POST', '/ap2/respond', { token, body: { negotiationId, status: 'ACCEPTED' } })
        assert.equal((await ask(key, 'POST', '/payments/ap2/initiate', { negotiationId })).status, 201)
        const direct = { sourceWalletId: walletId, destinationWalletId: seller.owner.walletId, amount: 1 }
        const paid = await ask(key, 'POST', '/payments/ap2/initiate', direct)
        const deals = await Promise.all([negotiationId, paid.body.negotiationId].map(id => ask(key, 'GET', `/ap2/negotiations/${String(id)}`)))
        return deals.map(({ body }) => body.selfDeal)
      }
      assert.deepEqual(await selfDeals(await publishAgent(service, owner)), [true, true])
      assert.deepEqual(await selfDeals(await publishAgent(service, other)), [false, false])
    })

    test('an organization\'s wallet is paid through escrow too, and speaks by its OWNERs and ADMINs', async () => {
      const paid = await service.http<{ escrowId: string }>('POST', '/payments/ap2/initiate', {
        token: buyer.token, body: { sourceWalletId: buyer.walletId, destinationWalletId: walletId, amount: 7 },
      })
      assert.equal(paid.status, 201, paid.text)
      const refund = ({ token }: Person) => service.http('POST', `/payments/escrow/${paid.body.escrowId}/refund`, { token, body: {} })
      assert.deepEqual([(await refund(other)).status, (await refund(admin)).status], [403, 201])
    })
  })
})
