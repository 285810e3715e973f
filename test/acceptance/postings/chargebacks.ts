import {
  acceptedDeal,
  ChargebackTrial,
  fundingBy,
  must,
  openDispute,
  openMarket,
  processorIdOf,
  registerHuman,
  type Market,
  type TestService,
} from '#test'
import type { Books } from './books.ts'

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
