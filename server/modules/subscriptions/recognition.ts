import assert from 'node:assert/strict'
import { updateReturned } from '#budgets'
import { accounts, lockBalances, post } from '#ledger'
import { after, DAY } from '#platform/kernel/clock'
import type { Timer } from '#platform/kernel/background/timers'
import type { Tx } from '#platform/kernel/db'
import { sql } from '#platform/kernel/sql'
import { sweepIfDeleted } from '#wallets'
import { ASSET, lockBilling, type Billing } from './payment.ts'
import { daysPassed, earnedAfter, nextDayEnd, type Period } from './period.ts'
import { ownWalletOf } from './source.ts'
import * as statements from './sql.ts'
import type { Invoice } from './sql.ts'

/** The end of a day of a paid period: its part of the price becomes revenue. */
export const recognitionTimer: Timer = {
  name: 'subscription revenue',
  table: 'subscriptions_invoice',
  column: 'recognize_at',
  where: statements.WAITS_FOR_DAY,
  async run(tx, id) {
    const billing = await lockBilling(tx, id)
    const { recognizeAt } = billing.invoice
    if (!recognizeAt || recognizeAt > tx.now) return
    // While a payment is disputed nothing is earned; afterwards the days that have passed are earned together.
    if (await isFrozen(tx, billing))
      return void (await tx.run(statements.postponeDay(id, after(tx.now, DAY))))
    await recognize(tx, billing, daysPassed(paidPeriod(billing.invoice), tx.now))
  },
}

/** What is not earned yet is never empty while a day is due: an empty account is a frozen one. */
async function isFrozen(tx: Tx, { subscription }: Billing): Promise<boolean> {
  const account = accounts.deferredSubscription(subscription.id)
  const balances = await lockBalances(tx, [account], ASSET, { frozenAsZero: true })
  return balances.get(account) === 0n
}

/** Ends a period at once: the day that is under way is earned, the rest goes back to the wallet that paid. */
export async function returnRest(tx: Tx, billing: Billing): Promise<void> {
  const { subscription, invoice } = billing
  const days = daysPassed(paidPeriod(invoice), tx.now, { started: true })
  const amount = invoice.amount - (await recognize(tx, billing, days))
  await tx.run(statements.setReturned(invoice.id, amount))
  if (!amount) return
  const walletId = await refundedWallet(tx, billing)
  await post(tx, {
    kind: 'subscription_returned',
    key: `invoice/${invoice.id}/returned`,
    reference: { subscriptionId: subscription.id, invoiceId: invoice.id },
    legs: [
      {
        debit: accounts.deferredSubscription(subscription.id),
        credit: accounts.wallet(walletId),
        amount,
        asset: ASSET,
      },
    ],
  })
  // An organization may have been closed since it paid.
  await sweepIfDeleted(tx, walletId)
  // Nothing happens unless an organization's budget was charged for this invoice.
  tx.write(sql`${updateReturned(invoice.id, amount)}`)
}

/** Not where the next month is paid from: money of an organization would end in the wallet of a member. */
async function refundedWallet(tx: Tx, { subscription, invoice }: Billing): Promise<string> {
  if (invoice.walletId) return invoice.walletId
  // A process of the version before, beside this one, does not store what paid.
  return invoice.rail === 'wallet' ? subscription.walletId : ownWalletOf(tx, subscription)
}

/** Posts what is earned after `days` days and was not posted before; returns what is earned in all. */
async function recognize(tx: Tx, { subscription, invoice }: Billing, days: number): Promise<bigint> {
  const period = paidPeriod(invoice)
  const earned = earnedAfter(invoice.amount, period, days)
  const amount = earned - invoice.recognized
  await tx.run(statements.setRecognized(invoice.id, earned, nextDayEnd(period, days)))
  if (!amount) return earned
  await post(tx, {
    kind: 'subscription_earned',
    key: `invoice/${invoice.id}/day/${days}`,
    reference: { subscriptionId: subscription.id, invoiceId: invoice.id },
    legs: [
      {
        debit: accounts.deferredSubscription(subscription.id),
        credit: accounts.subscription,
        amount,
        asset: ASSET,
      },
    ],
  })
  return earned
}

function paidPeriod({ id, periodStart: start, periodEnd: end }: Invoice): Period {
  assert(start && end, `invoice ${id} has no period`)
  return { start, end }
}
