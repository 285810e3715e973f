import assert from 'node:assert/strict'
import {
  acceptedDeal,
  ChargebackTrial,
  fundingBy,
  must,
  PayoutTrial,
  openDispute,
  openMarket,
  processorIdOf,
  registerHuman,
  type Market,
  type Person,
  type TestService,
} from '#test'
import type { Books } from './books.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Payments that banks take back. */
export async function driveChargebacks(service: TestService, books: Books): Promise<void> {
  const trial = await ChargebackTrial.of(service)
  const payer = await registerHuman(service)
  const payment = await fundingBy(service, payer, 50)
  const { dispute = '' } = await books.drive('chargebackOpened', async () => {
    const processorId = await processorIdOf(service, payment)
    return { payment, dispute: await openDispute(service, trial.admin, processorId) }
  })
  await books.drive(
    'chargebackWon',
    async () => {
      await trial.win(dispute)
      return { dispute }
    },
    [payer],
  )
  await driveTopUp(trial, books)
  const market = await openMarket(service, { amount: 1 })
  await driveLoss('escrowLost', trial, books, { market, escrow: await paidByCard(market) })
  const escrow = await paidByCard(market)
  await must(market, 'buyer', '/payments/ap2/release', { escrowId: escrow, acceptUnverified: true })
  await driveLoss('releasedLost', trial, books, { market, escrow })
}

async function driveTopUp(trial: ChargebackTrial, books: Books): Promise<void> {
  const { payer, disputeId: dispute, chargebackId: chargeback } = await trial.disputed(50, 30)
  const names = { dispute, chargeback, payer: payer.walletId, debtor: payer.id }
  await books.drive(
    'topUpLost',
    async () => {
      await trial.lose(dispute)
      return names
    },
    [payer],
  )
  await books.drive('writtenOff', async () => {
    await trial.writeOff(chargeback)
    return names
  })
}

/** Money that comes back to an account pays what it owes from a lost chargeback. */
export async function driveRecoveries(service: TestService, books: Books): Promise<void> {
  const trial = await ChargebackTrial.of(service)
  const lose = async (payment: string) =>
    trial.lose(await openDispute(service, trial.admin, await processorIdOf(service, payment)))
  const namesOf = ({ id, walletId }: Person) => ({ payer: walletId, debtor: id })
  await driveRefund(service, books, lose)
  const creator = await registerHuman(service)
  const topUp = await fundingBy(service, creator, 30)
  const { body } = await trial.post<{ id: string }>(
    '/wallet-vouchers',
    { walletId: creator.walletId, amount: 30 },
    creator,
  )
  await lose(topUp)
  await books.drive(
    'voucherRecovered',
    async () => {
      const { status, text } = await trial.post(`/wallet-vouchers/${body.id}/cancel`, {}, creator)
      assert.ok(status < 300, text)
      return { voucher: body.id, ...namesOf(creator) }
    },
    [creator],
  )
  const { person, ...paid } = await paidOut(service)
  await lose(paid.topUp)
  await books.drive(
    'payoutRecovered',
    async () => {
      await service.advance(2 * DAY)
      return { payout: paid.payout, ...namesOf(person) }
    },
    [person],
  )
}

async function driveRefund(
  service: TestService,
  books: Books,
  lose: (payment: string) => Promise<void>,
): Promise<void> {
  const market = await openMarket(service, { amount: 1 })
  const { buyer } = market
  const topUp = await fundingBy(service, buyer, 130)
  const { id: negotiationId } = await acceptedDeal(market)
  const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', {
    negotiationId,
  })
  await lose(topUp)
  await books.drive(
    'refundRecovered',
    async () => {
      await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
      return { escrow: escrowId, payer: buyer.walletId, debtor: buyer.id }
    },
    [buyer],
  )
}

/** A payout of all that a card brought, which has arrived at a bank that returns it. */
async function paidOut(service: TestService) {
  const person = await registerHuman(service)
  const payouts = new PayoutTrial(service, person)
  await payouts.ready(1, '000999999991')
  const topUp = await fundingBy(service, person, 24)
  const payout = await payouts.requested(25)
  await payouts.send(payout)
  await service.advance(HOUR + DAY)
  return { person, topUp, payout }
}

async function driveLoss(
  row: string,
  trial: ChargebackTrial,
  books: Books,
  { market, escrow }: { market: Market; escrow: string },
): Promise<void> {
  const processorId = await processorIdOf(market.service, escrow)
  const dispute = await openDispute(market.service, trial.admin, processorId)
  const { walletId, owner } = market.agent
  await books.drive(row, async () => {
    await trial.lose(dispute)
    return { dispute, escrow, seller: walletId, debtor: owner.id }
  }, [{ walletId, token: owner.token }])
}

async function paidByCard(market: Market): Promise<string> {
  const { id: negotiationId } = await acceptedDeal(market)
  const body = { negotiationId, rail: 'card', paymentMethodId: 'pm_card_visa' }
  return (await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', body)).escrowId
}
