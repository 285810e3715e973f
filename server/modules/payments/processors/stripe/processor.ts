import type {
  Charge,
  ChargeOrder,
  Checkout,
  CheckoutOrder,
  Outcome,
  Processor,
  Refund,
  RefundOrder,
} from '../port.ts'
import type { Movement } from '../statement-port.ts'
import { StripeClient, type StripeSettings } from './client.ts'
import { stripeDisputes } from './disputes.ts'
import { movements } from './movements.ts'
import { charge, expireCheckout, openCheckout, outcomeOf, refund, refundOf } from './payments.ts'
import { stripeAccounts, stripePayouts } from './payouts.ts'

/** Stripe through its own SDK. Our ids are its idempotency keys, and in the metadata of its objects. */
export class StripeProcessor implements Processor {
  readonly accounts
  readonly payouts
  readonly disputes
  readonly client: StripeClient

  constructor(settings: StripeSettings) {
    this.client = new StripeClient(settings)
    this.accounts = stripeAccounts(this.client)
    this.payouts = stripePayouts(this.client)
    this.disputes = stripeDisputes(this.client)
  }

  charge(order: ChargeOrder): Promise<Charge> {
    return charge(this.client, order)
  }

  openCheckout(order: CheckoutOrder): Promise<Checkout> {
    return openCheckout(this.client, order)
  }

  outcomeOf(id: string, processorId?: string): Promise<Outcome> {
    return outcomeOf(this.client, id, processorId)
  }

  expireCheckout(checkoutId: string): Promise<string | null> {
    return expireCheckout(this.client, checkoutId)
  }

  refund(order: RefundOrder): Promise<Refund> {
    return refund(this.client, order)
  }

  refundOf(id: string, processorId: string): Promise<Refund | null> {
    return refundOf(this.client, id, processorId)
  }

  movements(from: Date, to: Date): AsyncIterable<Movement> {
    return movements(this.client, from, to)
  }
}
