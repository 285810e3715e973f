import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import {
  as,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  readDeal,
  readEscrow,
  startTestService,
  type Market,
  type TestService,
} from '#test'

const DAY = 86_400

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

interface Revoked {
  frozenEscrows: { escrowId: string; amount: string; counterpartyWalletId: string; originalStatus: string }[]
}
const revoke = (market: Market) =>
  service.http<Revoked>('POST', `/agents/${market.agent.id}/revoke-key`, {
    token: market.agent.owner.token,
  })
const newKey = async (market: Market) => {
  const { status, text, body } = await service.http<{ apiKey: string }>(
    'POST',
    `/agents/${market.agent.id}/keys`,
    {
      token: market.agent.owner.token,
    },
  )
  assert.equal(status, 201, text)
  market.agent.apiKey = body.apiKey
}

test('revoked keys freeze what the agent sells; a new key lets it go on, the release timer with what was left', async () => {
  const market = await openMarket(service)
  const { escrowId } = await deliveredDeal(market)
  const before = await readEscrow(market, escrowId)
  const revoked = await revoke(market)
  assert.deepEqual(revoked.body.frozenEscrows, [
    {
      escrowId,
      amount: '100.00',
      counterpartyWalletId: market.buyer.walletId,
      originalStatus: 'HELD',
    },
  ])
  const frozen = await readEscrow(market, escrowId)
  assert.deepEqual(
    [frozen.status, frozen.originalStatus, frozen.freezes, frozen.autoReleaseAt],
    ['FROZEN', 'HELD', [`agent_keys_revoked:${market.agent.id}`], null],
  )
  for (const [role, path] of [
    ['buyer', '/payments/ap2/release'],
    ['buyer', `/payments/escrow/${escrowId}/dispute`],
  ] as const) {
    const refused = await as<{ message: string }>(market, role, path, { escrowId, reason: 'wrong' })
    assert.deepEqual([refused.status, refused.body.message], [409, 'Escrow frozen'])
  }
  await service.advance(20 * DAY)
  assert.equal((await readEscrow(market, escrowId)).status, 'FROZEN', 'a timer ended a frozen escrow')
  await newKey(market)
  const unfrozen = await readEscrow(market, escrowId)
  assert.deepEqual([unfrozen.status, unfrozen.freezes], ['HELD', []])
  const moved = (Date.parse(unfrozen.autoReleaseAt ?? '') - Date.parse(before.autoReleaseAt ?? '')) / 1000
  assert.ok(Math.abs(moved - 20 * DAY) < 60, `the release timer moved by ${moved} s`)
  await service.advance(7 * DAY - 120)
  assert.equal((await readEscrow(market, escrowId)).status, 'HELD')
  await service.advance(240)
  assert.equal((await readEscrow(market, escrowId)).status, 'RELEASED')
})

test('a dispute that is frozen keeps its deadline too', async () => {
  const market = await openMarket(service)
  const { escrowId } = await heldDeal(market)
  await must(market, 'buyer', `/payments/escrow/${escrowId}/dispute`, { reason: 'nothing came' })
  assert.equal((await revoke(market)).body.frozenEscrows[0]?.originalStatus, 'DISPUTED')
  await service.advance(30 * DAY)
  await newKey(market)
  assert.equal((await readEscrow(market, escrowId)).status, 'DISPUTED')
  await service.advance(4 * DAY)
  assert.equal((await readEscrow(market, escrowId)).status, 'DISPUTED')
  await service.advance(2 * DAY)
  assert.equal((await readEscrow(market, escrowId)).status, 'REFUNDED')
})

test('money that becomes held while the keys are revoked starts frozen', async () => {
  const market = await openMarket(service)
  const { id } = await must(market, 'buyer', '/ap2/negotiate', {
    responderAgentId: market.agent.id,
    requestedService: 'x',
    budget: 10,
  })
  await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
  await revoke(market)
  const held = await must<{ status: string; escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
    negotiationId: id,
  })
  assert.equal(held.status, 'FROZEN')
  await newKey(market)
  assert.equal((await readEscrow(market, held.escrowId)).status, 'HELD')
})

test('an operator lifts a freeze, or decides the frozen escrow; a party never does', async () => {
  const market = await openMarket(service)
  const [first, second] = [await heldDeal(market), await heldDeal(market)]
  await revoke(market)
  assert.equal((await as(market, 'buyer', `/payments/escrow/${first.escrowId}/unfreeze`, {})).status, 403)
  const lifted = await must<{ status: string }>(
    market,
    'operator',
    `/payments/escrow/${first.escrowId}/unfreeze`,
    { reason: 'checked' },
  )
  assert.equal(lifted.status, 'HELD')
  const split = await must<{ status: string; netToSeller: string; fee: string }>(
    market,
    'operator',
    `/payments/escrow/${second.escrowId}/resolve`,
    { outcome: 'SPLIT', sellerBps: 2500, reason: 'part was there' },
  )
  assert.deepEqual([split.status, split.netToSeller, split.fee], ['SPLIT', '20.00', '5.00'])
  assert.equal((await readDeal(market, second.id)).status, 'SPLIT')
  const noted = await service.services.db.rows(
    sql<{
      action: string
    }>`select action from platform_audit where target_id = ${second.escrowId} order by at, id`,
  )
  assert.deepEqual(
    noted.map(row => row.action),
    ['escrow.frozen', 'escrow.resolved'],
  )
})

test('the ledger itself refuses to pay out of a frozen escrow', async () => {
  const market = await openMarket(service)
  const { escrowId } = await heldDeal(market)
  await revoke(market)
  const { post, accounts } = await import('#ledger')
  await assert.rejects(
    service.services.db.transaction(tx =>
      post(tx, {
        kind: 'test',
        key: `theft ${escrowId}`,
        legs: [
          {
            debit: accounts.escrow(escrowId),
            credit: accounts.wallet(market.agent.walletId),
            amount: 1n,
            asset: 'USD',
          },
        ],
      }),
    ),
    /frozen/,
  )
})
