import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accounts } from '#ledger'
import { newDeal, type FundedDeal } from '../deal/deal.ts'
import { DealDraft } from '../deal/plan.ts'
import { newNegotiation } from '../negotiation/negotiation-plan.ts'
import { planDelivery } from '../delivery/deliver.ts'
import { planHold, type Funding } from './hold-plan.ts'
import { planSettlement, spread } from './settlement-plan.ts'

const NOW = new Date('2026-11-22T10:00:00Z')
const LATER = new Date('2026-11-23T10:00:00Z')
const USD = 1_000_000n

const agent = (id: string) => ({
  id,
  slug: id,
  name: id,
  status: 'ACTIVE' as const,
  creatorId: 'owner',
  ownerId: 'owner',
  ownerSuspended: false,
  creatorDetachedAt: null,
  walletId: 'seller-wallet',
  trustTier: 'UNVERIFIED' as const,
  outputSchema: null,
})

const wallet = (id: string) => ({
  id,
  ownerType: 'USER' as const,
  ownerId: id,
  accountId: id,
  currency: 'USD' as const,
  isDefault: true,
  status: 'ACTIVE' as const,
  walletType: 'MANAGED' as const,
  cryptoAddress: null,
  cryptoNetwork: null,
  createdAt: NOW,
})

const funding: Funding = {
  source: wallet('buyer-wallet'),
  destination: wallet('seller-wallet'),
  debit: { account: accounts.wallet('buyer-wallet'), test: false },
  feeBps: 2000,
  isSelfDeal: false,
  text: {},
  actorId: 'buyer',
  serviceAccountId: null,
}

/** A deal of 100 USD whose money is HELD, in one piece or in milestones of 60 and 40. */
function heldDeal({ milestones = false } = {}): FundedDeal {
  const negotiation = {
    ...newNegotiation(
      {
        status: 'PENDING',
        buyerAccountId: 'buyer',
        buyerAgentId: null,
        buyerOrganizationId: null,
        sellerAccountId: 'owner',
        sellerAgentId: 'seller',
        selfDeal: false,
        requestedService: 'Notes',
        currency: 'USD',
        price: 100n * USD,
        milestones: milestones
          ? [
              { key: 'first', title: 'First', amount: String(60n * USD) },
              { key: 'second', title: 'Second', amount: String(40n * USD) },
            ]
          : null,
      },
      NOW,
    ),
    status: 'ACCEPTED' as const,
  }
  return planHold(newDeal(negotiation, { buyerAgent: null, sellerAgent: agent('seller') }), funding, NOW).deal
}

function deliver(deal: FundedDeal, milestoneKey?: string): FundedDeal {
  const input = { negotiationId: deal.negotiation.id, result: 'done', milestoneKey }
  return planDelivery(deal, input, { id: 'delivery', actorId: 'seller', now: NOW }).draft.fundedDeal
}

const release = (deal: FundedDeal, toSeller: bigint, parts = spread(deal.milestones, toSeller)) =>
  planSettlement(deal, { event: 'release', by: 'buyer', actorId: 'buyer', toSeller, parts }, LATER)

describe('the plan of a payment into escrow', () => {
  it('moves the price into the escrow and the negotiation to ESCROWED', () => {
    const deal = heldDeal()
    const { escrow, negotiation, milestones, history } = deal
    assert.deepEqual([escrow.status, escrow.amount, escrow.feeBps], ['HELD', 100n * USD, 2000])
    assert.deepEqual([negotiation.status, negotiation.fundBy], ['ESCROWED', null])
    assert.deepEqual(
      milestones.map(each => [each.key, each.amount, each.deliveryStatus]),
      [['all', 100n * USD, 'NONE']],
    )
    assert.deepEqual(
      history.map(line => [line.subject, line.event, line.toStatus]),
      [
        ['escrow', 'hold', 'HELD'],
        ['negotiation', 'fund', 'ESCROWED'],
      ],
    )
  })
})

describe('the plan of a delivery', () => {
  it('verifies what needs no look outside, and starts work that was not started', () => {
    const deal = deliver(heldDeal())
    assert.equal(deal.negotiation.status, 'DELIVERED')
    assert.equal(deal.deliveries[0]?.status, 'VERIFIED')
    assert.equal(deal.milestones[0]?.autoReleaseAt?.toISOString(), '2026-11-29T10:00:00.000Z')
    assert.deepEqual(
      deal.history.slice(2).map(line => [line.subject, line.event]),
      [
        ['negotiation', 'start'],
        ['delivery', 'verify'],
        ['delivery', 'pass'],
        ['negotiation', 'deliver'],
      ],
    )
  })

  it('leaves a delivery with a URL to the verifier', () => {
    const deal = heldDeal()
    const input = { negotiationId: deal.negotiation.id, deliverableUrl: 'https://example.com/' }
    const { delivery, draft } = planDelivery(deal, input, { id: 'd', actorId: 'seller', now: NOW })
    assert.equal(delivery.status, 'VERIFYING')
    assert.equal(draft.deal.milestones[0]?.deliveryStatus, 'VERIFYING')
  })

  it('writes each row once, whatever happens to it', () => {
    const deal = heldDeal()
    const input = { negotiationId: deal.negotiation.id, result: 'done' }
    const { draft } = planDelivery(deal, input, { id: 'd', actorId: 'seller', now: NOW })
    assert.deepEqual(
      draft.rows.map(({ table, isNew }) => [table, isNew]),
      [
        ['ap2_negotiation', false],
        ['ap2_delivery', true],
        ['ap2_milestone', false],
      ],
    )
  })
})

describe('the plan of a settlement', () => {
  it('pays the seller all but the fee, and completes the deal', () => {
    const plan = release(deliver(heldDeal()), 100n * USD)
    const { escrow, negotiation } = plan.deal
    assert.deepEqual(
      [escrow.status, escrow.released, escrow.fees, escrow.endedAt],
      ['RELEASED', 100n * USD, 20n * USD, LATER],
    )
    assert.deepEqual([negotiation.status, negotiation.endedAt], ['COMPLETED', LATER])
    assert.deepEqual([plan.kind, plan.key], ['ap2.release', `${escrow.id}:1`])
    assert.deepEqual(
      plan.legs.map(leg => [leg.debit, leg.credit, leg.amount]),
      [
        [accounts.escrow(escrow.id), accounts.wallet('seller-wallet'), 80n * USD],
        [accounts.escrow(escrow.id), accounts.marketplaceFee, 20n * USD],
      ],
    )
    assert.deepEqual([plan.trust?.outcome, plan.trust?.end.onTime], ['COMPLETED', true])
  })

  it('keeps the escrow HELD after a part, and the fees of the parts sum to that of the whole', () => {
    const first = release(deliver(heldDeal()), 33_333_333n)
    assert.deepEqual([first.deal.escrow.status, first.deal.negotiation.status], ['HELD', 'DELIVERED'])
    assert.equal(first.trust, null)
    const second = release(first.deal, 100n * USD - 33_333_333n)
    assert.equal(first.fee + second.fee, 20n * USD)
    assert.equal(second.key, `${second.deal.escrow.id}:2`)
  })

  it('sends the deal back to work while a milestone is undelivered', () => {
    const deal = deliver(heldDeal({ milestones: true }), 'first')
    const plan = release(deal, 60n * USD)
    assert.deepEqual([plan.deal.escrow.status, plan.deal.negotiation.status], ['HELD', 'IN_PROGRESS'])
    assert.deepEqual(
      plan.deal.milestones.map(each => each.released),
      [60n * USD, 0n],
    )
  })

  it('counts no completion for a payment without a verified delivery', () => {
    const plan = release(heldDeal(), 100n * USD)
    assert.deepEqual([plan.isVerified, plan.trust], [false, null])
    assert.equal(plan.deal.escrow.unverified, true)
  })

  it('refunds without a fee; a seller that failed after accepting is a failure', () => {
    const deal = heldDeal()
    const accepted = {
      ...deal,
      rounds: [{ action: 'ACCEPTED', side: 'seller' } as FundedDeal['rounds'][number]],
    }
    const order = { event: 'refund', by: 'timer', toBuyer: 100n * USD, sellerFailed: true } as const
    const plan = planSettlement(accepted, order, LATER)
    assert.deepEqual(
      [plan.deal.escrow.status, plan.fee, plan.deal.negotiation.status],
      ['REFUNDED', 0n, 'REFUNDED'],
    )
    assert.deepEqual(
      plan.legs.map(leg => [leg.credit, leg.amount]),
      [[accounts.wallet('buyer-wallet'), 100n * USD]],
    )
    assert.equal(plan.trust?.outcome, 'FAILED')
    assert.equal(planSettlement(deal, order, LATER).trust, null)
  })

  it('splits a dispute in one journal under the id of the dispute, and keeps earlier changes of the command', () => {
    const held = heldDeal()
    const opened = new DealDraft(held, NOW)
    opened.moveEscrow({
      event: 'dispute',
      by: 'buyer',
      set: { disputedAt: NOW, lapsesAt: LATER, answerBy: LATER },
    })
    const deal = opened.fundedDeal
    const draft = new DealDraft(deal, LATER)
    draft.setDispute('dispute', { endedAt: LATER, outcome: 'SPLIT' })
    const plan = planSettlement(
      deal,
      {
        event: 'resolve',
        by: 'operator',
        toSeller: 50n * USD,
        toBuyer: 50n * USD,
        disputeId: 'dispute',
      },
      LATER,
      draft,
    )
    assert.deepEqual([plan.kind, plan.key, plan.deal.escrow.status], ['ap2.split', 'dispute', 'SPLIT'])
    assert.equal(plan.legs.length, 3)
    assert.deepEqual(plan.rows[0], {
      table: 'ap2_dispute',
      id: 'dispute',
      isNew: false,
      fields: { endedAt: LATER, outcome: 'SPLIT' },
    })
  })

  it('refuses a release of an escrow that has ended, and changes nothing of the given deal', () => {
    const deal = deliver(heldDeal())
    const before = structuredClone(deal)
    const { deal: ended } = release(deal, 100n * USD)
    assert.deepEqual(deal, before)
    assert.throws(() => release(ended, 1n), /Cannot release while RELEASED/)
  })
})
