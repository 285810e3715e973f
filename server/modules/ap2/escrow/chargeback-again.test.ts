import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  acceptedDeal,
  ChargebackTrial,
  must,
  openDispute,
  openMarket,
  processorIdOf,
  readDeal,
  sharedService,
  type TestService,
} from '#test'
import { chargeBackEscrow } from './chargeback.ts'

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await sharedService()
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

test('two disputes of one payment take from the seller together what was released, and not more', async () => {
  const market = await openMarket(service, { amount: 1 })
  const { id: negotiationId } = await acceptedDeal(market)
  await must(market, 'buyer', '/payments/ap2/initiate', {
    negotiationId,
    rail: 'card',
    paymentMethodId: 'pm_card_visa',
  })
  const { escrowId } = await readDeal(market, negotiationId)
  await must(market, 'buyer', '/payments/ap2/release', { escrowId, amount: 50, acceptUnverified: true })
  await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
  const processorId = await processorIdOf(service, escrowId)
  await trial.breakProcessor('not_reached')
  const disputeId = await openDispute(service, trial.admin, processorId)
  await trial.dropEvents(disputeId)
  await trial.change(disputeId, { amount: 3000 })
  await trial.emit('charge.dispute.created', { id: disputeId })
  await trial.lose(disputeId)
  const [stored] = await trial.query<{ account: string; amount: string }>(
    `select part->>'account' as account, part->>'amount' as amount
     from payments_chargeback, jsonb_array_elements(lost_parts) part where dispute_id = $1`,
    [disputeId],
  )
  assert.ok(stored)
  assert.deepEqual([stored.account.startsWith(accounts.wallet('')), stored.amount], [true, '30000000'])
  // The sandbox processor has one dispute for each payment, as cards mostly do; another is what the port is asked then.
  const { parts } = await service.services.db.transaction(tx =>
    chargeBackEscrow(tx, {
      event: 'lost',
      chargebackId: newId(),
      paymentId: escrowId,
      payerId: market.buyer.id,
      disputeId: 'du_second',
      reference: escrowId,
      amount: 70_000_000n,
      asset: 'USD',
      lostBefore: new Map([[stored.account, BigInt(stored.amount)]]),
    }),
  )
  assert.deepEqual(
    parts?.map(({ amount }) => amount),
    [0n, 20_000_000n, 50_000_000n],
  )
})
