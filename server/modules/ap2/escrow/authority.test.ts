import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  acceptedDeal,
  as,
  claimedAgent,
  deliveredDeal,
  heldDeal,
  must,
  negotiate,
  openMarket,
  publishAgent,
  readDeal,
  readEscrow,
  registerHuman,
  sharedService,
  type Answer,
  type ClaimedAgent,
  type DealView,
  type Market,
  type TestService,
} from '#test'

interface Reply {
  code: string
  allowedActions: string[]
  apiKey: string
  items: { id: string }[]
}

let service: TestService
let market: Market
let agent: ClaimedAgent
/** The claimed agent sells. */
let selling: Market
/** The claimed agent buys, with its owner's money. */
let buying: Market
/** The creator's credentials: its access token, and a key of its account that is bound to no agent. */
let credentials: string[]

before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  agent = await claimedAgent(service, await registerHuman(service), await registerHuman(service))
  await must(market, 'operator', '/wallets/admin/test-credit', {
    walletId: agent.walletId,
    amount: 10_000,
    reason: 'test',
  })
  selling = { ...market, agent }
  buying = { ...market, buyer: agent.owner }
  const key = await service.http<Reply>('POST', '/api/v1/service-accounts', {
    token: agent.creator.token,
    body: { name: 'Mine' },
  })
  credentials = [agent.creator.token, key.body.apiKey]
})
after(() => service.close())

const send = (token: string, path: string, body: unknown = {}): Promise<Answer<Reply>> =>
  service.http<Reply>('POST', path, { token, body })

/** The creator is refused with each of its credentials; the owner does the same with success. */
async function requireOnlyOwners(path: string, body: unknown = {}): Promise<void> {
  for (const token of credentials) {
    const { status, body: refusal } = await send(token, path, body)
    assert.deepEqual([status, refusal.code], [403, 'FORBIDDEN'], `${path} by the creator`)
  }
  const { status, text } = await send(agent.owner.token, path, body)
  assert.equal(status, 201, `${path} by the owner: ${text}`)
}

const asBuyer = { requesterAgentId: '', responderAgentId: '' }
const bought = (
  stage: (market: Market, more?: Record<string, unknown>) => Promise<DealView>,
): Promise<DealView> =>
  stage(buying, { ...asBuyer, requesterAgentId: agent.id, responderAgentId: market.agent.id })

describe('after a claim the creator moves no money of the agent', () => {
  test('initiate: only the owner pays a deal of the agent', async () => {
    const { id } = await bought(acceptedDeal)
    await requireOnlyOwners('/payments/ap2/initiate', { negotiationId: id })
  })

  test('initiate: not from a wallet of its own either', async () => {
    const { id } = await bought(acceptedDeal)
    const { status } = await send(agent.creator.token, '/payments/ap2/initiate', {
      negotiationId: id,
      sourceWalletId: agent.creator.walletId,
    })
    assert.equal(status, 403)
  })

  test('release, also without verification: only the owner pays the seller', async () => {
    const { escrowId } = await bought(heldDeal)
    await requireOnlyOwners('/payments/ap2/release', { escrowId, acceptUnverified: true })
  })

  test('refund: only the owner gives back what the agent earned', async () => {
    const { escrowId } = await deliveredDeal(selling)
    await requireOnlyOwners(`/payments/escrow/${escrowId}/refund`)
  })

  test("dispute, its answer and its withdrawal are the owner's", async () => {
    const { escrowId } = await deliveredDeal(selling)
    await requireOnlyOwners(`/payments/escrow/${escrowId}/dispute`, { reason: 'no answer' })
    await requireOnlyOwners(`/payments/escrow/${escrowId}/dispute/withdraw`)
    const other = await deliveredDeal(selling)
    await must(selling, 'buyer', `/payments/escrow/${other.escrowId}/dispute`, { reason: 'wrong' })
    await requireOnlyOwners(`/payments/escrow/${other.escrowId}/dispute/respond`, {
      statement: 'it is right',
    })
  })

  test('cancel: the creator takes back an offer, but not a funded deal', async () => {
    const open = await bought(negotiate)
    assert.equal((await send(agent.creator.token, '/ap2/cancel', { negotiationId: open.id })).status, 201)
    const { id } = await bought(heldDeal)
    await requireOnlyOwners('/ap2/cancel', { negotiationId: id })
  })

  test('a key that the creator bound to the agent before the claim operates and moves no money', async () => {
    const [creator, owner] = [await registerHuman(service), await registerHuman(service)]
    const { body: announced } = await service.http<{ agent_id: string; claim_url: string }>(
      'POST',
      '/agents/announce',
      {
        token: creator.token,
        body: { name: 'Bound' },
      },
    )
    const agentId = announced.agent_id
    await send(creator.token, `/agents/${agentId}/publish`)
    const { apiKey } = (await send(creator.token, '/api/v1/service-accounts', { name: 'Early', agentId }))
      .body
    await send(owner.token, `/agents/claim/${announced.claim_url.split('/').at(-1)}`)
    const { id } = await negotiate({ ...market, agent: { ...market.agent, id: agentId } })
    assert.equal((await send(apiKey, '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })).status, 201)
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
    const { escrowId } = await readDeal(market, id)
    assert.equal((await send(apiKey, `/payments/escrow/${escrowId}/refund`)).status, 403)
    assert.equal((await send(owner.token, `/payments/escrow/${escrowId}/refund`)).status, 201)
  })
})

describe('after a claim the creator operates the agent', () => {
  test('it negotiates, responds, starts, delivers, reads the inbox and sends heartbeats', async () => {
    for (const token of credentials) {
      const offer = {
        requesterAgentId: agent.id,
        responderAgentId: market.agent.id,
        requestedService: 'x',
        budget: 1,
      }
      assert.equal((await send(token, '/ap2/negotiate', offer)).status, 201)
      const { id } = await negotiate(selling, { budget: '0.01' })
      assert.equal((await send(token, '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })).status, 201)
      await must(selling, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
      assert.equal((await send(token, '/ap2/start', { negotiationId: id })).status, 201)
      assert.equal((await send(token, '/ap2/deliver', { negotiationId: id, result: 'done' })).status, 201)
      assert.equal((await send(token, `/a2a/agents/${agent.id}/heartbeat`, { status: 'busy' })).status, 200)
      const inbox = await service.http<Reply>('GET', `/agents/${agent.id}/inbox`, { token })
      assert.equal(inbox.status, 200)
    }
  })

  test('allowedActions show the creator what it may do, and no more', async () => {
    const { id, escrowId } = await deliveredDeal(selling)
    const seen = await service.http<Reply>('GET', `/ap2/negotiations/${id}`, { token: agent.creator.token })
    assert.deepEqual([seen.status, seen.body.allowedActions], [200, []])
    assert.deepEqual((await readDeal(selling, id, 'seller')).allowedActions, ['refund', 'dispute'])
    const offer = await negotiate(selling)
    const open = await service.http<Reply>('GET', `/ap2/negotiations/${offer.id}`, {
      token: agent.creator.token,
    })
    assert.deepEqual(open.body.allowedActions.sort(), ['accept', 'counter', 'reject'])
    assert.equal((await readEscrow(selling, escrowId)).status, 'HELD')
  })

  test("allowedActions show the agent's key what it may do, and no more", async () => {
    const { id } = await heldDeal(selling)
    const headers = { 'x-agent-api-key': agent.apiKey }
    const read = () => service.http<Reply>('GET', `/ap2/negotiations/${id}`, { headers })
    assert.deepEqual((await read()).body.allowedActions.sort(), ['deliver', 'start'])
    await must(selling, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done' })
    assert.deepEqual((await read()).body.allowedActions, [])
  })

  test("the listing and new keys are the owner's", async () => {
    for (const token of credentials) {
      assert.equal(
        (await service.http('PATCH', `/agents/${agent.id}`, { token, body: { description: 'mine' } })).status,
        403,
      )
      assert.equal((await send(token, `/agents/${agent.id}/publish`)).status, 403)
      assert.equal((await send(token, `/agents/${agent.id}/submit`)).status, 403)
    }
    assert.equal((await send(agent.creator.token, `/agents/${agent.id}/keys`)).status, 403)
    assert.equal(
      (await send(agent.creator.token, '/api/v1/service-accounts', { name: 'Late', agentId: agent.id }))
        .status,
      403,
    )
  })

  test("the agent's own key goes on as before", async () => {
    const { id } = await heldDeal(selling)
    assert.equal(
      (await as(selling, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done' })).status,
      201,
    )
  })
})

describe('POST /agents/{id}/detach-creator', () => {
  const detach = (token: string, id: string) => send(token, `/agents/${id}/detach-creator`)

  test("ends what the creator and its keys may do with the agent; its owner and the agent's key go on", async () => {
    const [creator, owner] = [await registerHuman(service), await registerHuman(service)]
    const early = await claimedAgent(service, creator, owner)
    const {
      body: { apiKey },
    } = await send(creator.token, '/api/v1/service-accounts', { name: 'Mine' })
    assert.equal((await detach(creator.token, early.id)).status, 403)
    const detached = await detach(owner.token, early.id)
    assert.equal(detached.status, 200, detached.text)
    const ours = { ...market, agent: early }
    const { id } = await negotiate(ours)
    for (const token of [creator.token, apiKey]) {
      assert.equal((await send(token, '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })).status, 403)
      assert.equal((await service.http('GET', `/ap2/negotiations/${id}`, { token })).status, 403)
      assert.equal((await service.http('GET', `/agents/${early.id}/inbox`, { token })).status, 403)
      assert.equal((await send(token, `/agents/${early.id}/revoke-key`)).status, 401)
      const mine = await service.http<Reply>('GET', '/agents/my-agents', { token })
      assert.deepEqual(mine.body.items, [])
    }
    assert.equal(
      (await as(ours, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })).status,
      201,
    )
    assert.equal((await detach(owner.token, early.id)).status, 200, 'again is no error')
  })

  test('revokes the keys that the creator had bound to the agent', async () => {
    const [creator, owner] = [await registerHuman(service), await registerHuman(service)]
    const { body: announced } = await service.http<{ agent_id: string; claim_url: string }>(
      'POST',
      '/agents/announce',
      {
        token: creator.token,
        body: { name: 'Bound' },
      },
    )
    const agentId = announced.agent_id
    const { apiKey } = (await send(creator.token, '/api/v1/service-accounts', { name: 'Early', agentId }))
      .body
    await send(owner.token, `/agents/claim/${announced.claim_url.split('/').at(-1)}`)
    assert.equal((await service.http('GET', `/agents/${agentId}/inbox`, { token: apiKey })).status, 200)
    assert.equal((await detach(owner.token, agentId)).status, 200)
    assert.equal((await service.http('GET', `/agents/${agentId}/inbox`, { token: apiKey })).status, 401)
  })

  test('is 409 where the owner is the creator, 404 for an unknown agent, 403 without a fresh proof', async () => {
    const own = await publishAgent(service, await registerHuman(service))
    const same = await detach(own.owner.token, own.id)
    assert.deepEqual([same.status, same.body.code], [409, 'CREATOR_IS_OWNER'])
    assert.equal((await detach(own.owner.token, 'nobody')).status, 404)
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '1 hour', proved_at = now() - interval '1 hour'`,
    )
    const stale = await detach(agent.owner.token, agent.id)
    assert.deepEqual([stale.status, stale.body.code], [403, 'STEP_UP_REQUIRED'])
  })
})
