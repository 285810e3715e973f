import assert from 'node:assert/strict'
import { fund, PayoutTrial, registerHuman, type Person, type TestService } from '#test'
import type { Books } from './books.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Payouts to bank accounts. */
export async function drivePayouts(service: TestService, books: Books): Promise<void> {
  const good = await trialOf(service)
  const { payout: paid = '' } = await request(good, books, 'payoutRequested')
  await good.send(paid)
  const ended = (trial: PayoutTrial, payout: string, days: number) => async () => {
    await service.advance(HOUR + days * DAY)
    return { payout, wallet: trial.person.walletId }
  }
  await books.drive('payoutPaid', ended(good, paid, 1), [good.person])
  // Large enough for a review: another one is sent at once, and cannot be canceled then.
  await fund(service, good.person, 2000)
  const canceled = await good.requested(1001)
  await books.drive(
    'payoutCanceled',
    async () => {
      const { status, text } = await good.cancel(canceled)
      assert.ok(status < 300, text)
      return { payout: canceled, wallet: good.person.walletId }
    },
    [good.person],
  )
  const failing = await trialOf(service, '000111111116')
  const failed = await failing.requested(25)
  await failing.send(failed)
  await books.drive('payoutFailed', ended(failing, failed, 1), [failing.person])
  const returning = await trialOf(service, '000999999991')
  const returned = await returning.requested(25)
  await returning.send(returned)
  await books.drive('payoutPaid', ended(returning, returned, 1), [returning.person])
  await books.drive('payoutReturned', ended(returning, returned, 2), [returning.person])
}

async function trialOf(service: TestService, accountNumber?: string): Promise<PayoutTrial> {
  const trial = new PayoutTrial(service, await registerHuman(service))
  await trial.ready(60, accountNumber)
  return trial
}

const request = (trial: PayoutTrial, books: Books, row: string) =>
  books.drive(row, async () => ({ payout: await trial.requested(25), wallet: trial.person.walletId }), [
    trial.person,
  ])

interface Subscription {
  id: string
  invoices: { id: string; periodStart: string; periodEnd: string }[]
}

/** Pro, from its payment to its end. */
export async function driveSubscriptions(service: TestService, books: Books): Promise<void> {
  const [byCard, byWallet] = [await registerHuman(service), await registerHuman(service)]
  const checkout = (person: Person, body: object) => async () => {
    const { token, walletId } = person
    const answer = await service.http<Subscription>('POST', '/subscriptions/checkout', { token, body })
    const invoice = answer.body.invoices[0]?.id ?? ''
    const { rows } = await service.services.db.pool.query<{ id: string | null }>(
      'select payment_id as id from subscriptions_invoice where id = $1',
      [invoice],
    )
    return { subscription: answer.body.id, invoice, wallet: walletId, payment: rows[0]?.id ?? '' }
  }
  await books.drive('proByCard', checkout(byCard, { rail: 'card', paymentMethodId: 'pm_card_visa' }))
  await fund(service, byWallet, 59)
  const names = await books.drive('proByWallet', checkout(byWallet, { rail: 'wallet' }), [byWallet])
  const { body } = await service.http<Subscription>('GET', '/subscriptions/me', { token: byWallet.token })
  const [{ periodStart, periodEnd } = { periodStart: '', periodEnd: '' }] = body.invoices
  const days = (Date.parse(periodEnd) - Date.parse(periodStart)) / (DAY * 1000)
  // What is earned after a number of days is rounded down; a day is the difference of two.
  const day = (count: number) => Math.floor((59_000_000 * count) / days)
  await books.drive('proDay', async () => {
    await service.advance(DAY + 60)
    return { ...names, day: String(day(1) / 1e6) }
  })
  // The day that is under way is earned; the rest goes back.
  await books.drive(
    ['proDay', 'proEnded'],
    async () => {
      const ending = { token: byWallet.token, body: { immediately: true } }
      await service.http('POST', '/subscriptions/cancel', ending)
      return {
        ...names,
        day: ((day(2) - day(1)) / 1e6).toFixed(6),
        rest: ((59_000_000 - day(2)) / 1e6).toFixed(6),
      }
    },
    [byWallet],
  )
}
