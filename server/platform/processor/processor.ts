/** What the service asks of a card processor. Amounts are whole cents of US dollars: cards know nothing finer. */
export interface Processor {
  /** Charges a payment method at once. The same `id` never charges twice. Throws CardDeclined; an unknown payment method is fault 400. */
  charge(order: ChargeOrder): Promise<Charge>
  /** Opens a hosted page on which a person pays. The same `id` opens one page. */
  openCheckout(order: CheckoutOrder): Promise<Checkout>
}

interface Order {
  /** Our payment's id: the idempotency key, and `metadata.paymentId` of every notification about it. */
  id: string
  cents: number
  description: string
}
export interface ChargeOrder extends Order { paymentMethodId: string }
export interface CheckoutOrder extends Order { returnUrl: string | null }

/** What the processor says of a charge; only its signed notification moves money here. */
export interface Charge { processorId: string }
export interface Checkout { checkoutId: string; url: string }

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

/** Which of our webhooks hears of an event, by the beginning of its type. */
const WEBHOOKS = [
  ['payout.', 'payout-updated'], ['transfer.', 'transfer-updated'], ['account.', 'account-updated'], ['checkout.', 'checkout-session'],
] as const
export const WEBHOOK_PREFIX = '/webhooks/payment-processor'
export const webhookOf = (type: string): string => `${WEBHOOK_PREFIX}/${WEBHOOKS.find(([start]) => type.startsWith(start))?.[1] ?? 'payment-intent'}`
