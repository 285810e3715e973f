import type { Static } from '#platform/http/type'
import { chargeBudget } from '#budgets'
import { accounts, openAccounts } from '#ledger'
import { cardPayments } from '#payments'
import { requireOwnWallet, type Wallet, WALLETS } from '#wallets'
import { after, DAY, HOUR } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import type { RequestContext } from '#platform/http/principal'
import { SUBSCRIPTIONS } from './errors.ts'
import { ASSET, isCharging, payFromWallet, type Billing } from './payment.ts'
import { PLANS } from './plans.ts'
import type { CheckoutBody } from './schema.ts'
import { lockDefaultWallet, lockWallet } from './source.ts'
import * as statements from './sql.ts'
import type { Invoice, Rail, Subscription } from './sql.ts'
import { subscriptionView } from './view.ts'

type Request = Static<typeof CheckoutBody> & {
  /** Id of the payment: the same for a repeated request. */
  paymentId: string
}

/** How long a payment may take: a charge and a hosted page. */
const PAYABLE_MS = { card: HOUR, checkout: DAY }

/**
 * Subscribes the caller to Pro, or pays a renewal that is due. A wallet pays at once; a card is charged, or a hosted page
 * opened, after the first transaction. A subscription that is to be cancelled continues without a payment, from the source
 * that it has unless the request names one. ApiErrors: 400 for a declined card or `Insufficient balance`, 409 if the caller
 * has Pro, or while a card is being charged.
 */
export async function subscribe(services: Services, ctx: RequestContext, request: Request) {
  const { accountId } = ctx.principal
  const order = orderOf(services, request)
  const open = await services.db.transaction(tx => begin(tx, ctx, request, order))
  const started = open && (await startPayment(services, { accountId, request, order, open }))
  const view = await services.db.snapshot(q => subscriptionView(q, accountId))
  return { ...view, checkout: started?.checkout }
}

/** Whether a repeated request has nothing left to do: the plan is paid, or there is a page to pay on. */
export const isFinal = ({ status, checkout }: { status: string | null; checkout?: unknown }): boolean =>
  checkout !== undefined || status === 'ACTIVE'

interface Order {
  rail: Rail
  paymentMethodId: string | null
  returnUrl: string | null
  cancelUrl: string | null
}

function orderOf(services: Services, request: Request): Order {
  const { walletId, paymentMethodId, returnUrl, cancelUrl } = request
  const rail = request.rail ?? (paymentMethodId ? 'card' : walletId ? 'wallet' : 'checkout')
  return {
    rail,
    paymentMethodId: rail === 'card' ? cardPayments.chargedMethod(services, paymentMethodId) : null,
    returnUrl: cardPayments.pageLink('returnUrl', returnUrl),
    cancelUrl: cardPayments.pageLink('cancelUrl', cancelUrl),
  }
}

/** Returns the open invoice that a card is to pay, or undefined if nothing is left to pay. */
async function begin(
  tx: Tx,
  ctx: RequestContext,
  request: Request,
  order: Order,
): Promise<Invoice | undefined> {
  const { accountId } = ctx.principal
  await tx.run(statements.lockAccount(accountId))
  const known = await tx.maybe(statements.invoiceOfPayment(request.paymentId))
  if (known) return known.status === 'OPEN' ? known : undefined
  // It has ended since an earlier request began it, or its invoice: that is another payment's now, paid or void.
  const earlier = await cardPayments.startedPayment(tx, request.paymentId)
  if (earlier && (await tx.one(statements.invoiceById(earlier.reference))).status !== 'OPEN') return undefined
  const live = await tx.maybe(statements.lockLiveSubscription(accountId))
  if (live?.status === 'ACTIVE' && !live.cancelsAtPeriodEnd)
    throw apiError(SUBSCRIPTIONS.ALREADY_SUBSCRIBED, { hint: 'GET /subscriptions/me shows the period' })
  if (live?.status === 'ACTIVE' && !namesSource(request)) {
    await tx.run(statements.setCancelsAtPeriodEnd(live.id, false))
    return undefined
  }
  if (order.rail !== 'wallet') cardPayments.requireCardPayable({ amount: PLANS.PRO.price, currency: ASSET })
  const wallet = await payingWallet(tx, ctx, request.walletId)
  if (wallet.ownerType === 'ORGANIZATION') requireBudgeted(wallet, order, live)
  const source = { walletId: wallet.id, paymentMethodId: order.paymentMethodId }
  if (live?.status === 'ACTIVE') {
    await tx.run(statements.setPaymentSource(live.id, source))
    return undefined
  }
  const billing = live
    ? await reopen(tx, live, { source, request, order })
    : await open(tx, accountId, source)
  if (order.rail === 'wallet') {
    const { id: reference, amount } = billing.invoice
    await chargeBudget(tx, ctx, wallet, { reference, amount })
    await payFromWallet(tx, billing, { by: 'owner', paymentId: request.paymentId, actorId: accountId })
    return undefined
  }
  const { rail } = order
  return tx.one(
    statements.setAttempt(billing.invoice.id, {
      rail,
      paymentId: request.paymentId,
      attemptedAt: tx.clock.real(),
      attemptedBy: 'owner',
    }),
  )
}

const namesSource = ({ rail, walletId, paymentMethodId }: Request): boolean =>
  [rail, walletId, paymentMethodId].some(named => named !== undefined)

/**
 * 403 unless the wallet of an organization pays now, or has paid the month that continues. Renewals charge no budget, so it
 * becomes their source only by a payment that its policy and the budget of the member allow.
 */
function requireBudgeted(wallet: Wallet, { rail }: Order, live: Subscription | undefined): void {
  if (rail !== 'wallet')
    throw apiError(COMMON.FORBIDDEN, { hint: 'The wallet of an organization pays no renewals of a card' })
  if (live?.status === 'ACTIVE' && (live.walletId !== wallet.id || live.paymentMethodId !== null))
    throw apiError(COMMON.FORBIDDEN, {
      hint: 'The wallet of an organization can pay once the paid month has ended: subscribe again then',
    })
}

/** The wallet of the caller that pays: the given one, or the default one. */
async function payingWallet(tx: Tx, ctx: RequestContext, walletId: string | undefined): Promise<Wallet> {
  const found =
    walletId === undefined
      ? await lockDefaultWallet(tx, ctx.principal.accountId)
      : await lockWallet(tx, { walletId })
  const wallet = await requireOwnWallet(tx, ctx, found ?? walletId ?? '')
  if (wallet.currency !== ASSET)
    throw apiError(WALLETS.CURRENCY_MISMATCH, {
      hint: `Plans are paid in ${ASSET}, this wallet holds ${wallet.currency}`,
    })
  return wallet
}

type Source = Pick<Subscription, 'walletId' | 'paymentMethodId'>

async function open(tx: Tx, accountId: string, source: Source): Promise<Billing> {
  const { price } = PLANS.PRO
  const subscription = await tx.one(
    statements.insertSubscription({
      ...source,
      id: newId(),
      accountId,
      price,
      // A payment ends within a day; the timer looks for one that was never started.
      dueAt: after(tx.now, DAY + HOUR),
      createdAt: tx.now,
    }),
  )
  await openAccounts(tx, [{ account: accounts.deferredSubscription(subscription.id), asset: ASSET }])
  const draft = {
    id: newId(),
    subscriptionId: subscription.id,
    number: 1,
    amount: price,
    rail: 'wallet',
  } as const
  const invoice = await tx.one(
    statements.insertInvoice({ ...draft, periodStart: null, periodEnd: null, createdAt: tx.now }),
  )
  return { subscription, invoice }
}

interface Chosen {
  source: Source
  request: Request
  order: Order
}

/**
 * The unpaid invoice of a subscription, for another payment. A card or page that may pay a renewal becomes its source when it
 * has paid. 409 while a card is being charged for it.
 */
async function reopen(tx: Tx, live: Subscription, { source, request, order }: Chosen): Promise<Billing> {
  const invoice = await tx.one(statements.lastInvoice(live.id))
  if (isCharging(invoice))
    throw apiError(SUBSCRIPTIONS.SUBSCRIPTION_PAYMENT_PENDING, { hint: 'Try again when it has an outcome' })
  const isTried = live.status === 'PAST_DUE' && order.rail !== 'wallet'
  const retained = {
    walletId: request.walletId === undefined ? live.walletId : source.walletId,
    paymentMethodId: live.paymentMethodId,
  }
  const chosen = statements.setPaymentSource(live.id, isTried ? retained : source)
  return { subscription: await tx.one(chosen), invoice }
}

interface Start {
  accountId: string
  request: Request
  order: Order
  open: Invoice
}

const startPayment = (services: Services, { accountId, request, order, open }: Start) =>
  cardPayments.startCardPayment(services, {
    paymentId: request.paymentId,
    purpose: 'SUBSCRIPTION',
    reference: open.id,
    accountId,
    amount: open.amount,
    currency: ASSET,
    paymentMethodId: order.paymentMethodId,
    returnUrl: order.returnUrl,
    cancelUrl: order.cancelUrl,
    description: 'Pro, one month',
    recurring: { kind: 'first', payerId: accountId },
    expiresAt: after(services.clock.now(), PAYABLE_MS[order.rail === 'card' ? 'card' : 'checkout']),
    receipt: request.receipt,
  })
