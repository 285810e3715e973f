/**
 * What the service asks of a card processor. Amounts are whole cents of US dollars: cards know nothing finer. Each call
 * may throw NoAnswer; asked again with the same `id` it does nothing twice.
 */
export interface Processor {
  /** Charges a payment method at once. Throws CardDeclined; an unknown payment method is fault 400. */
  charge(order: ChargeOrder): Promise<Charge>
  /** Opens a hosted page on which a person pays. */
  openCheckout(order: CheckoutOrder): Promise<Checkout>
  /** What became of the order of that id. Asking changes nothing. */
  outcomeOf(id: string): Promise<Outcome>
}

interface Order {
  /** Our payment's id: the idempotency key, and `metadata.paymentId` of every notification about it. */
  id: string
  /** Which installation asks, `metadata.installation` there: others may use the same processor account. */
  installation: string
  cents: number
  description: string
}
export interface ChargeOrder extends Order { paymentMethodId: string }
export interface CheckoutOrder extends Order { returnUrl: string | null }

/** What the processor says of a charge; what it took in says its signed notification, or its answer to a question. */
export interface Charge { processorId: string }
export interface Checkout { checkoutId: string; url: string }

/** Money that the processor took in. `cents` is in the smallest unit of the currency, null where it does not say. */
export interface Paid {
  /** Its own id of the payment; null where a notification does not name it. */
  processorId: string | null
  cents: number | null
  /** As ISO 4217 writes it, such as USD. */
  currency: string
  feeCents: number
}

export type Outcome =
  | { state: 'paid'; paid: Paid }
  | { state: 'declined'; code: string; message: string }
  /** It knows of no such order, or nobody has paid it yet. */
  | { state: 'none' }

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
  ['payout.', 'payout-updated'], ['transfer.', 'transfer-updated'], ['account.', 'account-updated'], ['checkout.', 'checkout-session'],
] as const
export const WEBHOOK_PREFIX = '/webhooks/payment-processor'
export const webhookOf = (type: string): string => `${WEBHOOK_PREFIX}/${WEBHOOKS.find(([start]) => type.startsWith(start))?.[1] ?? 'payment-intent'}`
