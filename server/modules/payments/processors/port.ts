import type { Disputes } from './dispute-port.ts'
import type { ConnectedAccounts, Payouts } from './payout-port.ts'
import type { Movement } from './statement-port.ts'

/**
 * What the service asks of a card processor. Amounts are whole cents of US dollars: cards know nothing finer. Each call
 * may throw NoAnswer, or an ApiError with a status below 500 if the processor refuses; repeated with the same `id` it
 * does nothing twice.
 */
export interface Processor {
  /** Charges a payment method at once. Throws CardDeclined; an unknown payment method is ApiError 400. */
  charge(order: ChargeOrder): Promise<Charge>
  /** Opens a hosted page on which a person pays. */
  openCheckout(order: CheckoutOrder): Promise<Checkout>
  /**
   * What became of the order of that id. Asking changes nothing. With `processorId`, only that payment counts: a hosted
   * page may have more than one. `none` if that payment belongs to another order.
   */
  outcomeOf(id: string, processorId?: string): Promise<Outcome>
  /** Closes a hosted page that nobody has paid: null. If somebody has, the id of that payment. */
  expireCheckout(checkoutId: string): Promise<string | null>
  /** Sends money of a payment back to its card. */
  refund(order: RefundOrder): Promise<Refund>
  /** The refund of that id, null if the processor has none; `processorId` is the payment that it belongs to. */
  refundOf(id: string, processorId: string): Promise<Refund | null>
  readonly accounts: ConnectedAccounts
  readonly payouts: Payouts
  readonly disputes: Disputes
  /** Everything that moved the balance at the processor in [from, to), oldest first, for the reconciliation. */
  movements(from: Date, to: Date): AsyncIterable<Movement>
}

interface Order {
  /** Our payment's id: the idempotency key, and `metadata.paymentId` of every notification about it. */
  id: string
  /** Which installation asks, `metadata.installation` there: others may use the same processor account. */
  installation: string
  cents: number
  /** What is paid for. */
  description: string
  /** Who sells it. */
  seller?: string
}
export interface ChargeOrder extends Order {
  paymentMethodId: string
  recurring?: RecurringCharge
}
/** A charge that recurs. Only the payer that a payment method was stored for can use it again. */
export interface RecurringCharge {
  /** The first charge stores the payment method with the consent of the payer, who is absent at a renewal. */
  kind: 'first' | 'renewal'
  payerId: string
}
export interface CheckoutOrder extends Order {
  /** Where the payer goes after the payment, and without one. */
  returnUrl: string | null
  cancelUrl: string | null
  /** When the page stops taking money. */
  expiresAt: Date
}

/** What the processor says of a charge; what it took in says its signed notification, or its answer to a question. */
export interface Charge {
  processorId: string
}
export interface Checkout {
  checkoutId: string
  url: string
}

/** Money that the processor took in. `cents` is in the smallest unit of the currency, null where it does not say. */
export interface Paid {
  /** Its own id of the payment; null where a notification does not name it. */
  processorId: string | null
  cents: number | null
  /** As ISO 4217 writes it, such as USD. */
  currency: string
  feeCents: number
  /** What the processor calls the card itself: the same for each payment with it. Null where it does not say. */
  cardFingerprint: string | null
}

export type Outcome =
  | { state: 'paid'; paid: Paid }
  | { state: 'declined'; code: string; message: string }
  /** It knows of no such order, or nobody has paid it yet. */
  | { state: 'none' }

export interface RefundOrder {
  /** Our refund's id: the idempotency key, and `metadata.refundId`. */
  id: string
  installation: string
  /** The payment at the processor (`pi_...`). */
  processorId: string
  cents: number
}
export interface Refund {
  refundId: string
  /** A refund that has succeeded may still fail later: the money is back on the balance at the processor then. */
  state: 'pending' | 'succeeded' | 'failed'
  failure: string | null
}

/** Why a charge without the card holder fails whose bank wants a confirmation: only a hosted page can ask for it. */
export const CONFIRMATION_REQUIRED = {
  code: 'authentication_required',
  message: 'Your bank wants you to confirm this payment: pay on the hosted page.',
}

/** The card was refused; the message is the processor's, fit for its holder. */
export class CardDeclined extends Error {
  readonly code: string
  readonly processorId: string
  constructor(code: string, message: string, processorId: string) {
    super(message)
    this.code = code
    this.processorId = processorId
  }
}

/** Not reached, no answer in time, or a failure of its own: whether the processor did what was asked is unknown. */
export class NoAnswer extends Error {}

/** Which of our webhooks hears of an event, by the beginning of its type. */
const WEBHOOKS = [
  ['payout.', 'payout-updated'],
  ['transfer.', 'transfer-updated'],
  ['account.', 'account-updated'],
  ['checkout.', 'checkout-session'],
] as const
export const WEBHOOK_PREFIX = '/webhooks/payment-processor'
export const webhookOf = (type: string): string =>
  `${WEBHOOK_PREFIX}/${WEBHOOKS.find(([start]) => type.startsWith(start))?.[1] ?? 'payment-intent'}`
