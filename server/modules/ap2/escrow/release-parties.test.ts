import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkLedger } from '#ledger'
import { escrowChecks } from '../check.ts'
import {
  as,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  readDeal,
  readEscrow,
  registerHuman,
  sharedService,
  type EscrowView,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(async () => {
  const { findings } = await checkLedger(service.services.db, escrowChecks)
  await service.close()
  assert.deepEqual(findings, [], 'the books')
})

interface Released {
  message: string
  status: string
  fee: string
  netToSeller: string
  commission: string
  escrow: EscrowView
  transaction: { kind: string; legs: { debit: string; credit: string; amount: string }[] }
}
const release = (escrowId: string, body: object = {}) =>
  as<Released>(market, 'buyer', '/payments/ap2/release', { escrowId, ...body })

test('from wallet to wallet: a funded deal without talks, to an agent or a person', async () => {
  const friend = await registerHuman(service)
  const direct = (destinationWalletId: string, more: object = {}) =>
    as<{ escrowId: string; negotiationId: string; message: string }>(
      market,
      'buyer',
      '/payments/ap2/initiate',
      {
        sourceWalletId: market.buyer.walletId,
        destinationWalletId,
        amount: 5,
        ...more,
      },
    )
  const toAgent = await direct(market.agent.walletId, { purpose: 'a gift', memo: 'thanks' })
  assert.equal((await readDeal(market, toAgent.body.negotiationId)).status, 'ESCROWED')
  const toFriend = await direct(friend.walletId)
  const delivered = await service.http('POST', `/payments/escrow/${toFriend.body.escrowId}/deliver`, {
    token: friend.token,
    body: { result: 'here' },
  })
  assert.equal(delivered.status, 201, delivered.text)
  assert.equal((await release(toFriend.body.escrowId)).body.netToSeller, '4.00')
  assert.equal((await direct(market.buyer.walletId)).status, 400, 'to itself')
  const described = await direct(market.agent.walletId, {
    serviceDescription: 'Release notes',
    input: { version: 2 },
  })
  const { requestedService, requirements } = await must<{ requestedService: string; requirements: unknown }>(
    market,
    'seller',
    `/ap2/negotiations/${described.body.negotiationId}`,
  )
  assert.deepEqual([requestedService, requirements], ['Release notes', { input: { version: 2 } }])
  assert.equal((await direct('none')).status, 404)
  assert.equal((await direct(friend.walletId, { sourceWalletId: friend.walletId })).status, 403)
  assert.equal((await direct(friend.walletId, { rail: 'card' })).status, 400)
  // Above the operator's limit an agent needs a tier; a person has none to earn.
  const newcomer = await publishAgent(service, friend)
  assert.match((await direct(newcomer.walletId, { amount: 1001 })).text, /Insufficient trust tier/)
  assert.doesNotMatch((await direct(friend.walletId, { amount: 1001 })).text, /Insufficient trust tier/)
})

test('an escrow is seen by its parties and admins alone; an unknown one is 404', async () => {
  const { escrowId } = await heldDeal(market)
  for (const path of [
    `/payments/escrow/${escrowId}`,
    `/payments/escrow/${escrowId}/events`,
    `/payments/ap2/escrows/${escrowId}/reconciliation`,
  ]) {
    assert.equal((await as(market, 'outsider', path)).status, 403, path)
    assert.equal((await as(market, 'operator', path)).status, 200, path)
    assert.equal((await as(market, 'buyer', path.replace(escrowId, 'none'))).status, 404, path)
  }
  assert.equal((await as(market, 'seller', '/payments/ap2/release', { escrowId })).status, 403)
  const withKey = { headers: { 'x-agent-api-key': market.agent.apiKey }, body: { escrowId } }
  assert.equal(
    (await service.http('POST', '/payments/ap2/release', withKey)).status,
    400,
    'the key of an agent releases nothing',
  )
  const confirmed = await must<{ status: string }>(market, 'buyer', '/payments/ap2/complete', {
    escrowId,
    status: 'FAILED',
  })
  assert.equal(confirmed.status, 'HELD', "the caller's word was taken")
})

test('a party never decides its own deal, though an admin', async () => {
  const admin = await must<{ user: { id: string } }>(market, 'operator', '/auth/login', {
    email: 'admin@example.com',
    password: 'correct horse battery staple',
  })
  const wallet = await service.http<{ id: string }>('GET', `/wallets/user/${admin.user.id}`, {
    token: market.admin,
  })
  const paid = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
    sourceWalletId: market.buyer.walletId,
    destinationWalletId: wallet.body.id,
    amount: 5,
  })
  await must(market, 'buyer', `/payments/escrow/${paid.escrowId}/dispute`, { reason: 'wrong person' })
  assert.equal(
    (
      await as(market, 'operator', `/payments/escrow/${paid.escrowId}/resolve`, {
        outcome: 'RELEASE',
        reason: 'mine',
      })
    ).status,
    403,
  )
})

test('a deal whose seller the buyer claims meanwhile is a self-deal from then on', async () => {
  const announced = await service.http<{ agent_id: string; api_key: string; claim_url: string }>(
    'POST',
    '/agents/announce',
    { token: market.outsider.token, body: { name: 'Without owner' } },
  )
  const agent = {
    id: announced.body.agent_id,
    apiKey: announced.body.api_key,
    slug: '',
    walletId: '',
    owner: market.outsider,
  }
  await service.http('POST', `/agents/${agent.id}/publish`, { token: market.outsider.token })
  const deal = await deliveredDeal({ ...market, agent })
  const claimed = await service.http('POST', `/agents/claim/${announced.body.claim_url.split('/').at(-1)}`, {
    token: market.buyer.token,
  })
  assert.equal(claimed.status, 200, claimed.text)
  assert.equal(
    (await must<{ selfDeal: boolean }>(market, 'buyer', `/ap2/negotiations/${deal.id}`)).selfDeal,
    true,
  )
  await release(deal.escrowId)
  assert.equal(
    (await service.http<{ stats: { completions: number } }>('GET', `/agents/${agent.id}`)).body.stats
      .completions,
    0,
  )
})

test('a deal of which a part was paid before any work is cancelled for the rest', async () => {
  const { id, escrowId } = await heldDeal(market)
  await release(escrowId, { amount: 10, acceptUnverified: true })
  await must(market, 'buyer', '/ap2/cancel', { negotiationId: id })
  const { status, released, refunded, held } = await readEscrow(market, escrowId)
  assert.deepEqual([status, released, refunded, held], ['SPLIT', '10.00', '90.00', '0.00'])
  assert.equal((await readDeal(market, id)).status, 'SPLIT')
})

test("the creator of an agent that a person claimed acts for it, but not with that person's money", async () => {
  const [creator, owner] = [await registerHuman(service), await registerHuman(service)]
  const made = await service.http<{ agent_id: string; claim_url: string }>('POST', '/agents/announce', {
    token: creator.token,
    body: { name: 'Claimed' },
  })
  const requesterAgentId = made.body.agent_id
  await service.http('POST', `/agents/${requesterAgentId}/publish`, { token: creator.token })
  await service.http('POST', `/agents/claim/${made.body.claim_url.split('/').at(-1)}`, { token: owner.token })
  const {
    body: { id: negotiationId },
  } = await service.http<{ id: string }>('POST', '/ap2/negotiate', {
    token: creator.token,
    body: { requesterAgentId, responderAgentId: market.agent.id, requestedService: 'x', budget: 1 },
  })
  await must(market, 'seller', '/ap2/respond', { negotiationId, status: 'ACCEPTED' })
  const fund = (token: string) =>
    service.http('POST', '/payments/ap2/initiate', { token, body: { negotiationId } })
  assert.deepEqual([(await fund(creator.token)).status, (await fund(owner.token)).status], [403, 400])
})
