import { after, MINUTE } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import { formatMoney, toCents, type Asset } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { PAYMENTS } from '../errors.ts'
import type { PaymentPurpose } from '../ports.ts'
import { installationOf } from '../processor.ts'
import * as statements from '../sql.ts'
import type { RecurringCharge } from '../processors/port.ts'
import type { Intent } from '../sql.ts'
import { charge, openPage, PATIENCE_MS, waitForOutcome } from './charge.ts'
import { refreshPayment } from './outcome.ts'

const MIN_CARD = 500_000n
const MAX_CARD = 999_999_990_000n
const CENT = 10_000n

/** A payment by card, or on a hosted page, that one of the purposes needs. */
export interface CardPayment {
  /** Id of the payment: the idempotency key at the processor, and part of the posting key. */
  paymentId: string
  purpose: PaymentPurpose
  reference: string
  accountId: string
  /** In micro-units; `requireCardPayable` says which. */
  amount: bigint
  currency: Asset
  /** Null requests a hosted page. */
  paymentMethodId: string | null
  returnUrl?: string | null
  cancelUrl?: string | null
  /** What is paid for: shown on the hosted page, and stored at the processor. */
  description: string
  /** Who sells it: shown on the hosted page. */
  seller?: string
  /** Until when the payment can be made. */
  expiresAt: Date
  /** Of a charge that recurs. */
  recurring?: RecurringCharge
  /** Whether the payer wants receipts by mail. */
  receipt?: boolean
}

export interface StartedPayment {
  payment: Intent
  checkout?: { id: string; url: string }
}

/**
 * Stores a payment, then calls the processor outside any transaction: charges the card, or opens a hosted page. Returns
 * when a charge was booked, or after 5 s with the payment still PENDING, also where the processor gave no answer. Called
 * again with the same `paymentId` it continues that payment and charges nothing twice. ApiErrors: 400 for a declined
 * card, 503 if no page could be opened.
 */
export async function startCardPayment(services: Services, order: CardPayment): Promise<StartedPayment> {
  return proceed(services, order, await insertOrLoadIntent(services.db, order, services.clock.now()))
}

/**
 * The same for a payment that somebody may have given up meanwhile. `isAwaited` runs in the transaction that stores the
 * payment, and locks what the payment is for. Null if nobody awaits it: then nothing is stored and nobody is charged.
 */
export async function startAwaitedCardPayment(
  services: Services,
  order: CardPayment,
  isAwaited: (tx: Tx) => Promise<boolean>,
): Promise<StartedPayment | null> {
  const stored = await services.db.transaction(async tx =>
    (await isAwaited(tx)) ? insertOrLoadIntent(tx, order, tx.now) : null,
  )
  return stored && proceed(services, order, stored)
}

async function proceed(
  services: Services,
  order: CardPayment,
  { payment, isContinued }: StoredPayment,
): Promise<StartedPayment> {
  const installation = await installationOf(services)
  const { description, seller, recurring } = order
  const request = { id: payment.id, installation, cents: toCents(payment.amount), description, seller }
  if (payment.paymentMethod === null) {
    const { returnUrl, cancelUrl, expiresAt } = payment
    return { payment, checkout: await openPage(services, { ...request, returnUrl, cancelUrl, expiresAt }) }
  }
  const patienceMs = await charge(services, { ...request, paymentMethodId: payment.paymentMethod, recurring })
  // An earlier request was cut off: the processor may have charged the card then, and its notification may be lost.
  if (isContinued && patienceMs) await refreshPayment(services, payment.id)
  const waited = await waitForOutcome(services, payment, patienceMs)
  if (waited.status !== 'PENDING' || patienceMs < PATIENCE_MS.answered) return { payment: waited }
  // The charge is done at the processor, and its notification is missing.
  await refreshPayment(services, payment.id)
  return { payment: await waitForOutcome(services, payment, 0) }
}

/** 400 for an amount or a currency that no card takes: before anything is stored. */
export function requireCardPayable({ amount, currency }: { amount: bigint; currency: Asset }): void {
  if (currency !== 'USD')
    throw apiError(PAYMENTS.CARD_CURRENCY, { hint: `A card pays in USD, this payment is in ${currency}` })
  if (amount < MIN_CARD || amount > MAX_CARD || amount % CENT !== 0n)
    throw apiError(PAYMENTS.CARD_AMOUNT, {
      hint: `A card pays whole cents, from ${formatMoney(MIN_CARD)} to ${formatMoney(MAX_CARD)} USD`,
    })
}

/** The payment method of a charge, which the sandbox has by default. 400 without one. */
export function chargedMethod({ config }: Services, paymentMethodId: string | undefined): string {
  if (paymentMethodId) return paymentMethodId
  if (config.sandbox) return 'pm_card_visa'
  throw invalid('paymentMethodId is required')
}

/** An address that the hosted page links to. 400 unless it is an http or https URL. */
export function pageLink(field: string, url: string | undefined): string | null {
  if (url === undefined) return null
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw invalid(`${field} must be an http or https URL`)
  return url
}

interface StoredPayment {
  payment: Intent
  isContinued: boolean
}

async function insertOrLoadIntent(q: Queryable, order: CardPayment, now: Date): Promise<StoredPayment> {
  const { purpose, reference, accountId, amount, currency, paymentMethodId: paymentMethod, expiresAt } = order
  const isHosted = paymentMethod === null
  const row: statements.NewIntent = {
    id: order.paymentId,
    purpose,
    reference,
    accountId,
    amount,
    currency,
    paymentMethod,
    returnUrl: order.returnUrl ?? null,
    cancelUrl: order.cancelUrl ?? null,
    receipt: order.receipt ?? false,
    rail: isHosted ? 'checkout' : 'card',
    // A person takes longer over a page than a processor over a charge.
    askAt: after(now, isHosted ? 5 * MINUTE : MINUTE),
    expiresAt,
    createdAt: now,
  }
  const payment = await q.maybe(statements.insertIntent(row))
  if (payment) return { payment, isContinued: false }
  return { payment: await q.one(statements.intentById(order.paymentId)), isContinued: true }
}
