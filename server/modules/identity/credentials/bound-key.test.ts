import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { newId } from '#platform/kernel/id'
import { heldDeal, KeyTrial, publishAgent, registerAdmin, sharedService } from '#test'
import type { ListedAgent, MadeKey, Person, TestService } from '#test'

let counter = 0

suite('keys that are bound to an agent', () => {
  let trial: KeyTrial
  let service: TestService
  let owner: Person
  let other: Person
  before(async () => {
    service = await sharedService()
    trial = await KeyTrial.open(service)
    ;({ owner, other } = trial)
  })
  after(() => service.close())

  let agent: ListedAgent
  let second: ListedAgent
  let key: string
  beforeEach(async () => {
    agent = await publishAgent(service, owner)
    second = await publishAgent(service, owner)
    key = await trial.keyFor({ agentId: agent.id })
  })

  test("say so in their record; of an agent that is unknown 404, of another's 403", async () => {
    for (const path of ['/api/v1/service-accounts', '/api/v1/keys']) {
      const made = await trial.create({ agentId: agent.id }, owner, path)
      assert.deepEqual([made.status, made.body.agentId, made.body.organizationId], [201, agent.id, null])
      const read = await service.http<MadeKey>('GET', `/api/v1/service-accounts/${made.body.id}`, {
        token: owner.token,
      })
      assert.equal(read.body.agentId, agent.id)
      for (const agentId of [newId(), 'nonsense', owner.id])
        assert.equal((await trial.create({ agentId }, owner, path)).status, 404)
      assert.equal((await trial.create({ agentId: agent.id }, other, path)).status, 403)
    }
  })

  test('edit and read that agent and its wallet, and nothing else of the account', async () => {
    assert.equal(
      (await trial.ask(key, 'PATCH', `/agents/${agent.id}`, { description: 'By its key' })).status,
      200,
    )
    assert.equal(
      (await trial.ask(key, 'PATCH', `/agents/${second.id}`, { description: 'By its key' })).status,
      403,
    )
    assert.equal((await trial.ask(key, 'POST', `/agents/${second.id}/rotate-key`)).status, 401)
    assert.equal((await trial.ask(key, 'POST', `/agents/${second.id}/revoke-key`)).status, 401)
    for (const path of ['/agents', '/agents/announce'])
      assert.equal((await trial.ask(key, 'POST', path, { name: 'Another' })).status, 403)
    assert.equal((await trial.ask(key, 'POST', `/agents/${agent.id}/claim-link`)).status, 403)
    assert.deepEqual(await trial.idsOf(key, '/agents/my-agents'), [agent.id])
    assert.deepEqual(await trial.idsOf(key, '/wallets/my-agents'), [agent.walletId])
    for (const path of [
      `/wallets/${agent.walletId}`,
      `/wallets/${agent.walletId}/transactions`,
      `/wallets/agent/${agent.id}`,
    ])
      assert.equal(await trial.statusOf(key, path), 200, path)
    for (const path of [
      `/wallets/${owner.walletId}`,
      `/wallets/${owner.walletId}/transactions`,
      `/wallets/user/${owner.id}`,
      `/wallets/user/${owner.id}/detail`,
      `/wallets/${second.walletId}`,
      `/wallets/agent/${second.id}`,
      `/agents/${second.id}/inbox`,
    ])
      assert.equal(await trial.statusOf(key, path), 403, path)
  })

  test('read nothing of the affiliate profile of their account', async () => {
    const applied = await trial.ask(owner.token, 'POST', '/affiliates/apply', {
      displayName: 'Ada',
      acceptTerms: true,
    })
    assert.equal(applied.status, 201, applied.text)
    for (const path of ['me', 'dashboard', 'commissions', 'commissions/csv']) {
      assert.equal(await trial.statusOf(owner.token, `/affiliates/${path}`), 200, path)
      assert.equal(await trial.statusOf(key, `/affiliates/${path}`), 403, path)
    }
    assert.equal((await trial.ask(key, 'POST', '/affiliates/links/generate', {})).status, 403)
  })

  test('see a private agent only if it is theirs, whatever the role of their account', async () => {
    const admin = await registerAdmin(service)
    const own = await publishAgent(service, admin, { visibility: 'PRIVATE' })
    const foreign = await publishAgent(service, owner, { visibility: 'PRIVATE' })
    const bound = await trial.keyFor({ agentId: own.id }, admin)
    const whole = await trial.keyFor({}, admin)
    assert.deepEqual(
      [
        await trial.statusOf(bound, `/agents/${own.id}`),
        await trial.statusOf(bound, `/agents/${foreign.id}`),
      ],
      [200, 403],
    )
    assert.equal(await trial.statusOf(whole, `/agents/${foreign.id}`), 200)
    const { escrowId } = await heldDeal(await trial.marketOf(agent))
    assert.deepEqual(
      [
        await trial.statusOf(bound, `/payments/escrow/${escrowId}`),
        await trial.statusOf(whole, `/payments/escrow/${escrowId}`),
      ],
      [403, 200],
    )
  })

  test('deal for that agent alone', async () => {
    await trial.credit(agent.walletId, 50)
    const seller = await publishAgent(service, other)
    const offer = { responderAgentId: seller.id, requestedService: 'Notes', budget: 5 }
    const asked = await trial.ask(key, 'POST', '/ap2/negotiate', offer)
    assert.equal(asked.status, 201, asked.text)
    assert.equal((asked.body.requesterAgent as { id: string }).id, agent.id)
    assert.equal(
      (await trial.ask(key, 'POST', '/ap2/negotiate', { ...offer, requesterAgentId: second.id })).status,
      403,
    )
    const negotiationId = asked.body.id
    await service.http('POST', '/ap2/respond', {
      token: other.token,
      body: { negotiationId, status: 'ACCEPTED' },
    })
    for (const sourceWalletId of [owner.walletId, second.walletId])
      assert.equal(
        (await trial.ask(key, 'POST', '/payments/ap2/initiate', { negotiationId, sourceWalletId })).status,
        403,
      )
    const paid = await trial.ask(key, 'POST', '/payments/ap2/initiate', { negotiationId })
    assert.equal(paid.status, 201, paid.text)

    // What its owner buys or sells otherwise is not its business.
    const bought = await heldDeal(await trial.marketOf(seller, owner))
    const sold = await heldDeal(await trial.marketOf(second))
    for (const { id, escrowId } of [bought, sold]) {
      assert.equal(await trial.statusOf(key, `/ap2/negotiations/${id}`), 403)
      assert.equal(await trial.statusOf(key, `/payments/escrow/${escrowId}`), 403)
      assert.equal(
        (await trial.ask(key, 'POST', `/payments/escrow/${escrowId}/dispute`, { reason: 'Mine' })).status,
        403,
      )
    }
    const release = { escrowId: bought.escrowId, acceptUnverified: true }
    assert.equal((await trial.ask(key, 'POST', '/payments/ap2/release', release)).status, 403)
    assert.equal((await trial.ask(key, 'POST', `/payments/escrow/${sold.escrowId}/refund`, {})).status, 403)
    assert.deepEqual(await trial.idsOf(key, '/ap2/negotiations'), [negotiationId])
    assert.deepEqual(await trial.idsOf(key, '/payments/escrow'), [paid.body.escrowId])
    const direct = { sourceWalletId: owner.walletId, destinationWalletId: other.walletId, amount: 1 }
    assert.equal((await trial.ask(key, 'POST', '/payments/ap2/initiate', direct)).status, 403)
  })

  test('neither sign in nor step up', async () => {
    const username = `bound_${counter++}`
    const made = await service.http<{ accessToken: string; agentApiKey: string }>(
      'POST',
      '/auth/register-agent',
      {
        body: { username },
      },
    )
    const { accessToken: token, agentApiKey: whole } = made.body
    const own = await service.http<{ id: string }>('POST', '/agents', { token, body: { name: 'Own' } })
    const bound = await trial.keyFor({ agentId: own.body.id }, { ...owner, token })
    const signIn = (apiKey: string) =>
      service.http('POST', '/auth/agent/login', { body: { username, apiKey } })
    const stepUp = (apiKey: string) => service.http('POST', '/auth/step-up', { token, body: { apiKey } })
    assert.deepEqual([(await signIn(whole)).status, (await stepUp(whole)).status], [200, 200])
    assert.deepEqual([(await signIn(bound)).status, (await stepUp(bound)).status], [403, 401])
  })

  test('stop while the agent is suspended, and are not made for a suspended one', async () => {
    const token = await service.adminToken()
    await service.http('POST', `/admin/agents/${agent.id}/suspend`, { token, body: {} })
    assert.equal((await trial.ask(key, 'GET', '/agents/my-agents')).body.message, 'Agent suspended')
    assert.equal((await trial.create({ agentId: agent.id })).status, 403)
    await service.http('POST', `/admin/agents/${agent.id}/reinstate`, { token, body: {} })
    assert.equal(await trial.statusOf(key, '/agents/my-agents'), 200)
  })

  test('end when the keys of the agent are revoked', async () => {
    const spare = await trial.keyFor({ agentId: second.id })
    assert.equal((await trial.ask(owner.token, 'POST', `/agents/${agent.id}/revoke-key`)).status, 200)
    assert.equal(await trial.statusOf(key, '/agents/my-agents'), 401)
    assert.equal(await trial.statusOf(spare, '/agents/my-agents'), 200)
  })

  test('stay bound when they are rotated', async () => {
    const made = await trial.create({ agentId: agent.id })
    const rotate = `/api/v1/service-accounts/${made.body.id}/rotate`
    const rotated = await service.http<MadeKey>('POST', rotate, { token: owner.token })
    assert.deepEqual([rotated.status, rotated.body.agentId], [201, agent.id])
    assert.equal(await trial.statusOf(rotated.body.apiKey, `/wallets/${owner.walletId}`), 403)
    const replaced = await trial.ask(rotated.body.apiKey, 'POST', `/agents/${agent.id}/rotate-key`)
    assert.equal(replaced.status, 200, replaced.text)
    assert.equal(await trial.statusOf(String(replaced.body.newApiKey), `/wallets/${owner.walletId}`), 403)
  })
})
