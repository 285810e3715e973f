import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  acceptedDeal,
  must,
  openMarket,
  readEscrow,
  reservedDeal,
  startTestService,
  type Market,
  type Role,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await startTestService()
  market = await openMarket(service, { amount: 1 })
})
after(() => service.close())

interface Listed {
  items: { held?: string; escrow?: { held: string } }[]
}
async function heldInList(role: Role, path: string): Promise<string | undefined> {
  const [first] = (await must<Listed>(market, role, path)).items
  return first?.held ?? first?.escrow?.held
}

test('an escrow holds nothing until its funds are confirmed, in every view', async () => {
  const { escrowId, escrow } = await reservedDeal(market)
  assert.deepEqual([escrow.status, escrow.held], ['PENDING_FUNDING', '0.00'])
  assert.equal((await readEscrow(market, escrowId)).held, '0.00')
  for (const [role, path] of [
    ['buyer', '/agents/my-purchases'],
    ['buyer', '/payments/escrow'],
    ['operator', `/admin/escrows?id=${escrowId}`],
  ] as const)
    assert.equal(await heldInList(role, path), '0.00', path)
})

test('an escrow whose payment was declined holds nothing', async () => {
  const { id } = await acceptedDeal(market)
  const { body } = await service.http<{ details: { paymentId: string } }>('POST', '/payments/ap2/initiate', {
    token: market.buyer.token,
    body: { negotiationId: id, rail: 'card', paymentMethodId: 'pm_card_chargeDeclined' },
  })
  const { status, held } = await readEscrow(market, body.details.paymentId)
  assert.deepEqual([status, held], ['CANCELLED', '0.00'])
})
