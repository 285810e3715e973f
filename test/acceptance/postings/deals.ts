import assert from 'node:assert/strict'
import {
  acceptedDeal,
  as,
  ChargebackTrial,
  deliveredDeal,
  disputedFunding,
  fund,
  heldDeal,
  must,
  openMarket,
  readEscrow,
  type DealView,
  type Market,
  type TestService,
} from '#test'
import type { Books, Names } from './books.ts'

const namesOf = ({ buyer, agent }: Market, { id, escrowId }: Pick<DealView, 'id' | 'escrowId'>): Names => ({
  buyer: buyer.walletId,
  seller: agent.walletId,
  owner: agent.owner.id,
  deal: id,
  escrow: escrowId,
})
const partiesOf = ({ buyer, agent }: Market) => [
  buyer,
  { walletId: agent.walletId, token: agent.owner.token },
]
const release = (market: Market, deal: DealView, amount?: string) => async () => {
  await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId, amount })
  return namesOf(market, deal)
}
const refund = (market: Market, deal: DealView) => async () => {
  await must(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {})
  return namesOf(market, deal)
}
const hold = (market: Market) => async () => {
  const { id } = await acceptedDeal(market)
  const body = { negotiationId: id }
  const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', body)
  return namesOf(market, { id, escrowId })
}

/** Deals in real money. */
export async function driveDeals(service: TestService, books: Books): Promise<void> {
  const market = await openMarket(service, { amount: 1000, card: true })
  const parties = partiesOf(market)
  await books.drive('hold', hold(market), parties)
  const deal = await deliveredDeal(market)
  await books.drive('partRelease', release(market, deal, '33.34'), parties)
  await books.drive('release', release(market, deal), parties)
  await books.drive('refund', refund(market, await heldDeal(market)), parties)
  await driveSplit(books, market)
  await driveRecovery(service, books, market)
  const { owner } = market.agent
  await fund(service, owner, 59)
  const pro = { token: owner.token, body: { rail: 'wallet' } }
  const { status, text } = await service.http('POST', '/subscriptions/checkout', pro)
  assert.equal(status, 201, text)
  await books.drive('proRelease', release(market, await deliveredDeal(market)), parties)
}

async function driveSplit(books: Books, market: Market): Promise<void> {
  const deal = await heldDeal(market)
  const on = (path: string) => `/payments/escrow/${deal.escrowId}/${path}`
  await must(market, 'buyer', on('dispute'), { reason: 'half of it' })
  await books.drive(
    'split',
    async () => {
      await must(market, 'operator', on('resolve'), { outcome: 'SPLIT', sellerBps: 4000, reason: 'decided' })
      return namesOf(market, deal)
    },
    partiesOf(market),
  )
}

/** The seller owes what a lost chargeback could not take from its wallet. */
async function driveRecovery(service: TestService, books: Books, { admin, outsider }: Market): Promise<void> {
  const market = await openMarket(service, { amount: 100, card: true })
  const { owner: payer } = market.agent
  const trial = await ChargebackTrial.of(service)
  const before = async () => {
    assert.equal((await trial.pay(payer, outsider, 30)).status, 201)
  }
  const { disputeId } = await disputedFunding(service, { admin, payer, amount: 30, before })
  await trial.lose(disputeId)
  await books.drive('recovery', release(market, await deliveredDeal(market)), partiesOf(market))
}

/** Deals in test credit. */
export async function driveTestDeals(service: TestService, books: Books): Promise<void> {
  const market = await openMarket(service)
  const parties = partiesOf(market)
  await books.drive('testHold', hold(market), parties)
  await books.drive('testRelease', release(market, await deliveredDeal(market)), parties)
  await books.drive('testRefund', refund(market, await heldDeal(market)), parties)
  const deal = await heldDeal(market)
  const { id } = market.agent
  const keys = (path: string, status: string) => async () => {
    const { token } = market.agent.owner
    await service.http('POST', `/agents/${id}/${path}`, { token, body: {} })
    assert.equal((await readEscrow(market, deal.escrowId)).status, status)
    return namesOf(market, deal)
  }
  await books.drive('freeze', keys('revoke-key', 'FROZEN'), parties)
  const refused = await as(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
  assert.equal(refused.status, 409)
  await books.drive('unfreeze', keys('keys', 'HELD'), parties)
}
