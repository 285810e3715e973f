import { part, sql } from '#platform/kernel/sql'
import type { SubscriptionStatus } from './subscription-machine.ts'

export interface Subscription {
  id: string
  status: SubscriptionStatus
  accountId: string
  /** Pays from here what no card pays. */
  walletId: string
  /** Renewals charge it; without one they are paid from the wallet. */
  paymentMethodId: string | null
  /** Micro-units of USD for each period. */
  price: bigint
  anchorAt: Date | null
  periodEnd: Date | null
  cancelsAtPeriodEnd: boolean
  /** Failed attempts to pay the current renewal. */
  failures: number
  dueAt: Date | null
  endedAt: Date | null
  createdAt: Date
}

export type Rail = 'wallet' | 'card' | 'checkout'

export interface Invoice {
  id: string
  subscriptionId: string
  number: number
  status: 'OPEN' | 'PAID' | 'VOID'
  amount: bigint
  rail: Rail
  /** The wallet that paid, which gets back what is returned; null while it is unpaid, and if a card paid. */
  walletId: string | null
  paymentId: string | null
  /** When the payment under way began, in real time, and who began it. */
  attemptedAt: Date | null
  attemptedBy: 'owner' | 'timer' | null
  /** Null until the first payment. */
  periodStart: Date | null
  periodEnd: Date | null
  recognized: bigint
  returned: bigint
  recognizeAt: Date | null
  paidAt: Date | null
  createdAt: Date
}

/** Subscriptions of one account begin and end one after the other. */
export const lockAccount = (accountId: string) => sql`
  select pg_advisory_xact_lock(hashtextextended(${`subscriptions ${accountId}`}, 0))`

export const insertSubscription = (
  row: Pick<
    Subscription,
    'id' | 'accountId' | 'walletId' | 'paymentMethodId' | 'price' | 'dueAt' | 'createdAt'
  >,
) => sql<Subscription>`
  insert into subscriptions_subscription (id, status, account_id, wallet_id, payment_method_id, price, due_at, created_at, updated_at)
  values (${row.id}, 'PENDING', ${row.accountId}, ${row.walletId}, ${row.paymentMethodId}, ${row.price}, ${row.dueAt},
    ${row.createdAt}, ${row.createdAt})
  returning *`

export const subscriptionById = (id: string) =>
  sql<Subscription>`select * from subscriptions_subscription where id = ${id}`
export const lockSubscription = (id: string) =>
  sql<Subscription>`select * from subscriptions_subscription where id = ${id} for update`
export const lockLiveSubscription = (accountId: string) =>
  sql<Subscription>`select * from subscriptions_subscription where account_id = ${accountId} and ended_at is null for update`
export const latestSubscription = (accountId: string) => sql<Subscription>`
  select * from subscriptions_subscription where account_id = ${accountId} order by created_at desc, id desc limit 1`

/** How renewals are paid from now on; the subscription is not to be cancelled. */
export const setPaymentSource = (
  id: string,
  { walletId, paymentMethodId }: Pick<Subscription, 'walletId' | 'paymentMethodId'>,
) => sql<Subscription>`
  update subscriptions_subscription set wallet_id = ${walletId}, payment_method_id = ${paymentMethodId}, cancels_at_period_end = false
  where id = ${id} returning *`
export const setDue = (id: string, dueAt: Date, failures: number) => sql<Subscription>`
  update subscriptions_subscription set due_at = ${dueAt}, failures = ${failures} where id = ${id} returning *`
export const setCancelsAtPeriodEnd = (id: string, cancels: boolean) => sql<Subscription>`
  update subscriptions_subscription set cancels_at_period_end = ${cancels} where id = ${id} returning *`
export const erasePaymentMethods = (accountId: string) => sql`
  update subscriptions_subscription set payment_method_id = null where account_id = ${accountId}`

export const insertInvoice = (
  row: Pick<
    Invoice,
    'id' | 'subscriptionId' | 'number' | 'amount' | 'rail' | 'periodStart' | 'periodEnd' | 'createdAt'
  >,
) => sql<Invoice>`
  insert into subscriptions_invoice (id, subscription_id, number, status, amount, rail, period_start, period_end, created_at)
  values (${row.id}, ${row.subscriptionId}, ${row.number}, 'OPEN', ${row.amount}, ${row.rail}, ${row.periodStart}, ${row.periodEnd}, ${row.createdAt})
  returning *`

export const invoiceById = (id: string) => sql<Invoice>`select * from subscriptions_invoice where id = ${id}`
export const invoiceOfPayment = (paymentId: string) =>
  sql<Invoice>`select * from subscriptions_invoice where payment_id = ${paymentId}`
export const lastInvoice = (subscriptionId: string) => sql<Invoice>`
  select * from subscriptions_invoice where subscription_id = ${subscriptionId} order by number desc limit 1`
export const invoicesOf = (subscriptionId: string, limit: number) => sql<Invoice>`
  select * from subscriptions_invoice where subscription_id = ${subscriptionId} order by number desc limit ${limit}`

/** A payment begins. */
export const setAttempt = (
  id: string,
  {
    rail,
    paymentId,
    attemptedAt,
    attemptedBy,
  }: Pick<Invoice, 'rail' | 'paymentId' | 'attemptedAt' | 'attemptedBy'>,
) => sql<Invoice>`
  update subscriptions_invoice set rail = ${rail}, payment_id = ${paymentId}, attempted_at = ${attemptedAt}, attempted_by = ${attemptedBy}
  where id = ${id} returning *`
/** A payment ended without money. */
export const clearAttempt = (id: string) => sql`
  update subscriptions_invoice set payment_id = null, attempted_at = null, attempted_by = null where id = ${id}`
export const setPaid = (
  id: string,
  paid: Pick<
    Invoice,
    'rail' | 'walletId' | 'paymentId' | 'periodStart' | 'periodEnd' | 'recognizeAt' | 'paidAt'
  >,
) => sql<Invoice>`
  update subscriptions_invoice set status = 'PAID', rail = ${paid.rail}, wallet_id = ${paid.walletId}, payment_id = ${paid.paymentId}, attempted_at = null, attempted_by = null,
    period_start = ${paid.periodStart}, period_end = ${paid.periodEnd}, recognize_at = ${paid.recognizeAt}, paid_at = ${paid.paidAt}
  where id = ${id} returning *`
export const voidOpenInvoice = (subscriptionId: string) => sql`
  update subscriptions_invoice set status = 'VOID', payment_id = null, attempted_at = null, attempted_by = null
  where subscription_id = ${subscriptionId} and status = 'OPEN'`
export const setRecognized = (id: string, recognized: bigint, recognizeAt: Date | null) => sql`
  update subscriptions_invoice set recognized = ${recognized}, recognize_at = ${recognizeAt} where id = ${id}`
/** The account of the invoice is frozen: its days are earned later. */
export const postponeDay = (id: string, at: Date) => sql`
  update subscriptions_invoice set recognize_at = ${at} where id = ${id} and recognize_at is not null`
/** Days that were postponed are earned now. */
export const recognizeNow = (subscriptionId: string, now: Date) => sql`
  update subscriptions_invoice set recognize_at = least(recognize_at, ${now}) where subscription_id = ${subscriptionId}
    and recognize_at is not null`
export const setReturned = (id: string, returned: bigint) => sql`
  update subscriptions_invoice set returned = ${returned}, recognize_at = null where id = ${id}`

/** Rows that wait for the timer of the end of a day. */
export const WAITS_FOR_DAY = part`recognize_at is not null`
/** Rows that wait for the timer of a subscription. */
export const IS_LIVE = part`ended_at is null`
