import assert from 'node:assert/strict'
import { setPlan } from '#identity'
import { accounts, lockBalances, post } from '#ledger'
import { cardPayments, type ConfirmedPayment, type Destination } from '#payments'
import { audit, SYSTEM } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { requireWallet } from '#wallets'
import { requestMail } from './mail.ts'
import { monthsAfter, nextDayEnd, type Period } from './period.ts'
import type { PlanId } from './plans.ts'
import { ownWalletOf, stillControls } from './source.ts'
import * as statements from './sql.ts'
import type { Invoice, Rail, Subscription } from './sql.ts'
import { PAID_STATES, subscriptionMachine, type SubscriptionTrigger } from './subscription-machine.ts'

export const ASSET = 'USD'

/** A subscription and one of its invoices; the subscription is locked. */
export interface Billing {
  subscription: Subscription
  invoice: Invoice
}

/** A hosted page does not count: a renewal does not wait until its owner pays on it. */
export const isCharging = ({ rail, paymentId }: Invoice): boolean => rail === 'card' && paymentId !== null

/** Locks the subscription of an invoice. */
export async function lockBilling(tx: Tx, invoiceId: string): Promise<Billing> {
  const { subscriptionId } = await tx.one(statements.invoiceById(invoiceId))
  const subscription = await tx.one(statements.lockSubscription(subscriptionId))
  return { subscription, invoice: await tx.one(statements.invoiceById(invoiceId)) }
}

interface Paid {
  by: SubscriptionTrigger
  rail: Rail
  /** The payment, or of a wallet the request that pays; null for a renewal from a wallet. */
  paymentId: string | null
  actorId?: string
  /** What pays the renewals from now on, if that changes. */
  source?: Pick<Subscription, 'walletId' | 'paymentMethodId'>
}

/** Pays an open invoice from the wallet of the subscription. The ledger refuses what the wallet does not hold. */
export async function payFromWallet(
  tx: Tx,
  billing: Billing,
  paid: Omit<Paid, 'rail'>,
): Promise<Subscription> {
  const { subscription, invoice } = billing
  await post(tx, {
    kind: 'subscription_paid',
    key: `invoice/${invoice.id}/paid`,
    reference: { subscriptionId: subscription.id, invoiceId: invoice.id },
    legs: [
      {
        debit: accounts.wallet(subscription.walletId),
        credit: accounts.deferredSubscription(subscription.id),
        amount: invoice.amount,
        asset: ASSET,
      },
    ],
  })
  return applyPayment(tx, billing, { ...paid, rail: 'wallet' })
}

/**
 * Whether the wallet of a subscription can pay: not a frozen one, nor one that the account does not control any more. It
 * stays locked until the transaction ends.
 */
export async function canPayFromWallet(
  tx: Tx,
  { accountId, walletId, price }: Subscription,
): Promise<boolean> {
  const account = accounts.wallet(walletId)
  const balances = await lockBalances(tx, [account], ASSET, { frozenAsZero: true })
  if ((balances.get(account) ?? 0n) < price) return false
  // After the balances, as every payment takes its locks.
  return stillControls(tx, accountId, await requireWallet(tx, walletId))
}

/** The destination of a payment for SUBSCRIPTION. Money for an invoice that is not open any more goes to a wallet of the account. */
export const subscriptionDestination =
  ({ jobs }: Services) =>
  async (tx: Tx, { paymentId, reference, amount, asset, source }: ConfirmedPayment): Promise<Destination> => {
    const billing = await lockBilling(tx, reference)
    const { subscription, invoice } = billing
    assert(amount === invoice.amount && asset === ASSET, `payment ${paymentId} is not what its invoice says`)
    const isOpen = invoice.status === 'OPEN' && subscription.endedAt === null
    if (isOpen) await applyPayment(tx, billing, await paidByCard(tx, subscription, paymentId))
    else await requestMail(tx, jobs, { invoiceId: invoice.id, kind: 'late_payment' })
    const walletId = isOpen ? undefined : await ownWalletOf(tx, subscription)
    const credit =
      walletId === undefined ? accounts.deferredSubscription(subscription.id) : accounts.wallet(walletId)
    return {
      legs: [{ debit: source, credit, amount, asset }],
      reference: {
        subscriptionId: subscription.id,
        invoiceId: invoice.id,
        ...(walletId !== undefined && { walletId }),
      },
    }
  }

/**
 * The card that has paid pays the renewals too; a hosted page leaves none. An organization stops paying them: its wallet pays
 * for no card.
 */
async function paidByCard(tx: Tx, subscription: Subscription, paymentId: string): Promise<Paid> {
  const paymentMethodId = (await cardPayments.paymentById(tx, paymentId))?.paymentMethod ?? null
  const source = { walletId: await ownWalletOf(tx, subscription), paymentMethodId }
  return { by: 'processor', rail: paymentMethodId === null ? 'checkout' : 'card', paymentId, source }
}

/** Begins the period that an invoice pays for, and with the first one the plan. */
async function applyPayment(
  tx: Tx,
  { subscription, invoice }: Billing,
  { by, rail, paymentId, actorId, source }: Paid,
): Promise<Subscription> {
  const anchorAt = subscription.anchorAt ?? tx.now
  const period = periodOf(anchorAt, invoice.number)
  await tx.run(
    statements.setPaid(invoice.id, {
      rail,
      walletId: rail === 'wallet' ? subscription.walletId : null,
      paymentId,
      periodStart: period.start,
      periodEnd: period.end,
      recognizeAt: nextDayEnd(period, 0),
      paidAt: tx.now,
    }),
  )
  if (!PAID_STATES.includes(subscription.status)) await changePlan(tx, subscription, 'PRO')
  return transition(tx, subscriptionMachine, subscription, {
    event: subscription.status === 'ACTIVE' ? 'renew' : 'pay',
    by,
    actorId,
    details: { invoiceId: invoice.id },
    set: { ...source, anchorAt, periodEnd: period.end, dueAt: period.end, failures: 0 },
  })
}

/** The period of an invoice by its number, which counts from 1. */
export const periodOf = (anchor: Date, number: number): Period => ({
  start: monthsAfter(anchor, number - 1),
  end: monthsAfter(anchor, number),
})

interface Ending {
  event: 'cancel' | 'expire'
  by: SubscriptionTrigger
  actorId?: string
}

/** Ends a subscription with its open invoice, and the plan with it. */
export async function endSubscription(
  tx: Tx,
  subscription: Subscription,
  ending: Ending,
): Promise<Subscription> {
  await tx.run(statements.voidOpenInvoice(subscription.id))
  if (PAID_STATES.includes(subscription.status)) await changePlan(tx, subscription, 'FREE')
  return transition(tx, subscriptionMachine, subscription, {
    ...ending,
    set: { endedAt: tx.now, dueAt: null },
  })
}

async function changePlan(tx: Tx, { id, accountId }: Subscription, plan: PlanId): Promise<void> {
  await setPlan(tx, accountId, plan)
  await audit(tx, SYSTEM, 'account.plan_changed', {
    target: ['account', accountId],
    details: { plan, subscriptionId: id },
  })
}
