import { accountById } from '#identity'
import { cardPayments } from '#payments'
import { after, DAY, HOUR, MINUTE } from '#platform/kernel/clock'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Timer } from '#platform/kernel/background/timers'
import type { Tx } from '#platform/kernel/db'
import { ApiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { nextRetry } from './grace.ts'
import { requestMail } from './mail.ts'
import {
  canPayFromWallet,
  endSubscription,
  isCharging,
  lockBilling,
  payFromWallet,
  periodOf,
  type Billing,
} from './payment.ts'
import * as statements from './sql.ts'
import type { Subscription } from './sql.ts'
import { subscriptionMachine } from './subscription-machine.ts'

const CHARGE_JOB = 'subscriptions.charge'
/** In real time: how long the job that charges a card may take to store the payment. */
const JOB_PATIENCE_MS = 10 * MINUTE

type Outbox = Pick<Services, 'jobs'>

/** The end of a period, a retry, or a payment that has had no outcome for a day. */
export const subscriptionTimer = (services: Outbox): Timer => ({
  name: 'subscription due',
  table: 'subscriptions_subscription',
  column: 'due_at',
  where: statements.IS_LIVE,
  async run(tx, id) {
    const subscription = await tx.one(statements.lockSubscription(id))
    if (!subscription.dueAt || subscription.dueAt > tx.now) return
    const billing = { subscription, invoice: await tx.one(statements.lastInvoice(id)) }
    if (subscription.status === 'ACTIVE') await renew(services, tx, billing)
    else if (subscription.status === 'PENDING' || isCharging(billing.invoice))
      await followPayment(services, tx, billing)
    else await retry(services, tx, billing)
  },
})

async function renew(services: Outbox, tx: Tx, { subscription, invoice: last }: Billing): Promise<void> {
  const { id, cancelsAtPeriodEnd, anchorAt, price } = subscription
  if (cancelsAtPeriodEnd || !(await canUsePlan(tx, subscription)) || !anchorAt) {
    await endSubscription(tx, subscription, { event: 'cancel', by: 'timer' })
    return
  }
  const number = last.number + 1
  const { start: periodStart, end: periodEnd } = periodOf(anchorAt, number)
  const draft = { id: newId(), subscriptionId: id, number, amount: price, rail: 'wallet' } as const
  const invoice = await tx.one(
    statements.insertInvoice({ ...draft, periodStart, periodEnd, createdAt: tx.now }),
  )
  await attempt(services, tx, { subscription, invoice })
}

/** A suspended account cannot use the plan, so it does not pay for it. */
const canUsePlan = async (tx: Tx, { accountId }: Subscription): Promise<boolean> =>
  (await accountById(tx, accountId))?.status === 'ACTIVE'

/** Tries an unpaid renewal again, unless the account was suspended in the grace period. */
async function retry(services: Outbox, tx: Tx, billing: Billing): Promise<void> {
  const { subscription } = billing
  if (await canUsePlan(tx, subscription)) await attempt(services, tx, billing)
  else await endSubscription(tx, subscription, { event: 'cancel', by: 'timer' })
}

/** Pays a renewal by the stored payment method, after the commit, or from the wallet. */
async function attempt(services: Outbox, tx: Tx, billing: Billing): Promise<void> {
  const { subscription, invoice } = billing
  if (!subscription.paymentMethodId) return attemptFromWallet(services, tx, billing)
  const paymentId = newId()
  const attemptedAt = tx.clock.real()
  await tx.run(
    statements.setAttempt(invoice.id, { rail: 'card', paymentId, attemptedAt, attemptedBy: 'timer' }),
  )
  await markPastDue(tx, subscription, { dueAt: after(tx.now, DAY), failures: subscription.failures })
  await services.jobs.enqueue(tx, CHARGE_JOB, { invoiceId: invoice.id, paymentId })
}

async function attemptFromWallet(services: Outbox, tx: Tx, billing: Billing): Promise<void> {
  if (await canPayFromWallet(tx, billing.subscription))
    await payFromWallet(tx, billing, { by: 'timer', paymentId: null })
  else await recordFailure(services, tx, billing)
}

/** Payments end by themselves; what never became a payment ends here. */
async function followPayment(services: Outbox, tx: Tx, billing: Billing): Promise<void> {
  const { subscription, invoice } = billing
  const payment = await cardPayments.paymentById(tx, invoice.paymentId ?? '')
  const waitedMs = tx.clock.real().getTime() - (invoice.attemptedAt?.getTime() ?? 0)
  const isUnderWay = payment ? payment.status === 'PENDING' : waitedMs < JOB_PATIENCE_MS
  if (isUnderWay) await tx.run(statements.setDue(subscription.id, after(tx.now, DAY), subscription.failures))
  else await failPayment(services, tx, billing)
}

/** Subscriber of `payment.failed`. */
export const retryFailedPayment =
  (services: Outbox) =>
  async (tx: Tx, event: { paymentId: string; purpose: string; reference: string }): Promise<void> => {
    if (event.purpose !== 'SUBSCRIPTION') return
    const billing = await lockBilling(tx, event.reference)
    const { subscription, invoice } = billing
    if (invoice.status !== 'OPEN' || invoice.paymentId !== event.paymentId) return
    // What the owner tries in the grace period does not count as a retry.
    if (subscription.status === 'PAST_DUE' && invoice.attemptedBy === 'owner')
      await tx.run(statements.clearAttempt(invoice.id))
    else await failPayment(services, tx, billing)
  }

/** A first payment that fails ends the subscription. A renewal is paid from the wallet if that can pay, or tried again. */
async function failPayment(services: Outbox, tx: Tx, billing: Billing): Promise<void> {
  const { subscription } = billing
  if (subscription.status === 'PENDING')
    await endSubscription(tx, subscription, { event: 'expire', by: 'processor' })
  else if (await canUsePlan(tx, subscription)) await attemptFromWallet(services, tx, billing)
  else await endSubscription(tx, subscription, { event: 'cancel', by: 'processor' })
}

async function recordFailure({ jobs }: Outbox, tx: Tx, { subscription, invoice }: Billing): Promise<void> {
  const dueAt = nextRetry(invoice.periodStart ?? tx.now, subscription.failures, tx.now)
  if (!dueAt) {
    await endSubscription(tx, subscription, { event: 'expire', by: 'timer' })
    return requestMail(tx, jobs, { invoiceId: invoice.id, kind: 'expired' })
  }
  await tx.run(statements.clearAttempt(invoice.id))
  await markPastDue(tx, subscription, { dueAt, failures: subscription.failures + 1 })
  await requestMail(tx, jobs, { invoiceId: invoice.id, kind: 'payment_failed' })
}

async function markPastDue(
  tx: Tx,
  subscription: Subscription,
  set: { dueAt: Date; failures: number },
): Promise<Subscription> {
  if (subscription.status !== 'ACTIVE')
    return tx.one(statements.setDue(subscription.id, set.dueAt, set.failures))
  return transition(tx, subscriptionMachine, subscription, { event: 'fall_due', by: 'timer', set })
}

/** The job that charges the stored payment method for a renewal. Run twice it continues the same payment. */
export const chargeJob = (services: Services): JobDefinition => ({
  name: CHARGE_JOB,
  handle: async ({ invoiceId, paymentId }) =>
    chargeRenewal(services, { invoiceId: String(invoiceId), paymentId: String(paymentId) }),
})

async function chargeRenewal(
  services: Services,
  { invoiceId, paymentId }: { invoiceId: string; paymentId: string },
): Promise<void> {
  const { db, clock } = services
  const { subscription, invoice } = await db.transaction(tx => lockBilling(tx, invoiceId))
  if (invoice.status !== 'OPEN' || invoice.paymentId !== paymentId || subscription.endedAt) return
  try {
    await cardPayments.startCardPayment(services, {
      paymentId,
      purpose: 'SUBSCRIPTION',
      reference: invoiceId,
      accountId: subscription.accountId,
      amount: invoice.amount,
      currency: 'USD',
      paymentMethodId: subscription.paymentMethodId,
      description: 'Pro, renewal',
      recurring: { kind: 'renewal', payerId: subscription.accountId },
      expiresAt: after(clock.now(), HOUR),
    })
  } catch (error) {
    // A declined card was published as `payment.failed`, which schedules the retry.
    if (!(error instanceof ApiError) || error.row.status >= 500) throw error
  }
}
