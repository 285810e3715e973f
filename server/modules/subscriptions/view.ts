import type { Queryable } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import { graceEnd } from './grace.ts'
import { PLANS, type Plan } from './plans.ts'
import * as statements from './sql.ts'
import type { Invoice, Subscription } from './sql.ts'
import { PAID_STATES } from './subscription-machine.ts'

const INVOICES = 12

export const planView = ({ id, name, price, feeBps }: Plan) => ({
  id,
  name,
  price: formatMoney(price),
  currency: 'USD' as const,
  interval: 'month' as const,
  feeBps,
  feeRate: feeBps / 10_000,
})

/** The plan of an account, with its latest subscription and that one's newest invoices. */
export async function subscriptionView(q: Queryable, accountId: string) {
  const subscription = await q.maybe(statements.latestSubscription(accountId))
  const invoices = subscription ? await q.rows(statements.invoicesOf(subscription.id, INVOICES)) : []
  const plan = subscription && PAID_STATES.includes(subscription.status) ? PLANS.PRO : PLANS.FREE
  const period = invoices.find(({ status }) => status === 'PAID')
  return {
    plan: plan.id,
    feeBps: plan.feeBps,
    id: subscription?.id ?? null,
    status: subscription?.status ?? null,
    price: formatMoney(subscription?.price ?? PLANS.FREE.price),
    currency: 'USD' as const,
    currentPeriodStart: text(period?.periodStart),
    currentPeriodEnd: text(period?.periodEnd),
    cancelsAtPeriodEnd: subscription?.cancelsAtPeriodEnd ?? false,
    renewsFrom: subscription ? renewalSource(subscription) : null,
    walletId: subscription?.walletId ?? null,
    graceUntil: text(subscription && graceEnd(subscription, invoices[0])),
    endedAt: text(subscription?.endedAt),
    createdAt: text(subscription?.createdAt),
    invoices: invoices.map(invoiceView),
  }
}

const invoiceView = (invoice: Invoice) => ({
  id: invoice.id,
  number: invoice.number,
  status: invoice.status,
  amount: formatMoney(invoice.amount),
  currency: 'USD' as const,
  rail: invoice.rail,
  returned: formatMoney(invoice.returned),
  periodStart: text(invoice.periodStart),
  periodEnd: text(invoice.periodEnd),
  paidAt: text(invoice.paidAt),
  createdAt: invoice.createdAt.toISOString(),
})

function renewalSource({ endedAt, paymentMethodId }: Subscription): 'card' | 'wallet' | null {
  if (endedAt) return null
  return paymentMethodId ? 'card' : 'wallet'
}

const text = (moment: Date | null | undefined): string | null => moment?.toISOString() ?? null
