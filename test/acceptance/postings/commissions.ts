import assert from 'node:assert/strict'
import {
  AffiliateTrial,
  ChargebackTrial,
  openDispute,
  processorIdOf,
  type Earner,
  type Market,
  type TestService,
} from '#test'
import type { Books, Names } from './books.ts'

const DAY = 86_400
const PLAN = { holdDays: 1 }

/** What affiliates earn, from the release to their wallet, and what is taken back. */
export async function driveCommissions(service: TestService, books: Books): Promise<void> {
  const drive = new Drive(service, books, await service.adminToken())
  await drive.monthBegins()
  const paid = await drive.earned()
  await books.drive('commissionAvailable', async () => {
    await service.advance(DAY)
    return paid.names
  })
  await books.drive('commissionPaid', async () => {
    assert.equal((await drive.trial.payOut(paid.earner)).status, 201)
    return paid.names
  })
  await drive.lose('clawedPaid', paid)
  await drive.lose('clawedHeld', await drive.earned())
  const available = await drive.earned()
  await service.advance(DAY)
  await drive.lose('clawedAvailable', available)
}

interface Earned {
  earner: Earner
  market: Market
  names: Names
}

class Drive {
  readonly service: TestService
  readonly books: Books
  readonly trial: AffiliateTrial

  constructor(service: TestService, books: Books, admin: string) {
    this.service = service
    this.books = books
    this.trial = new AffiliateTrial(service, admin)
  }

  /** The end of a month pays by itself: it must not fall into this test. */
  async monthBegins(): Promise<void> {
    const { body } = await this.service.http<{ now: string }>('GET', '/sandbox/clock')
    if (new Date(body.now).getUTCDate() > 24) await this.service.advance(8 * DAY)
  }

  /** A released deal, paid by card, whose buyer an affiliate brought. */
  async earned(): Promise<Earned> {
    const earner = await this.trial.affiliate(undefined, PLAN)
    const market = await this.trial.market(earner, 1)
    const { escrowId } = await this.trial.deliveredByCard(market)
    const names: Names = {
      escrow: escrowId,
      seller: market.agent.walletId,
      debtor: market.agent.owner.id,
      affiliate: earner.profileId,
      earner: earner.id,
      wallet: earner.walletId,
    }
    await this.books.drive('commissionEarned', async () => {
      await this.trial.release(market, { escrowId })
      return names
    })
    const [commission] = await this.trial.commissions(earner)
    return { earner, market, names: { ...names, commission: commission?.id ?? '' } }
  }

  /** The bank takes the payment back, and with it the commission. */
  async lose(row: string, { names }: Earned): Promise<void> {
    const trial = await ChargebackTrial.of(this.service)
    const dispute = await openDispute(
      this.service,
      trial.admin,
      await processorIdOf(this.service, names.escrow ?? ''),
    )
    await this.books.drive(['releasedLost', row], async () => {
      await trial.lose(dispute)
      return { ...names, dispute }
    })
  }
}
