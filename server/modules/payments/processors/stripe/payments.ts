import type { Stripe } from 'stripe'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import { PROCESSOR } from '../errors.ts'
import {
  CardDeclined,
  CONFIRMATION_REQUIRED,
  NoAnswer,
  type Charge,
  type ChargeOrder,
  type Checkout,
  type CheckoutOrder,
  type Outcome,
  type Refund,
  type RefundOrder,
} from '../port.ts'
import { declineCode, idOf, items, object, type StripeClient } from './client.ts'
import { recurringFields } from './recurring.ts'

const CURRENCY = 'usd'
/** With the fee of the payment. */
const WITH_FEE = ['latest_charge.balance_transaction']
/** A charge that was declined is over; on a hosted page another card can be tried. */
const CHARGE = 'charge'

export const charge = (client: StripeClient, order: ChargeOrder): Promise<Charge> =>
  client.ask(async stripe => {
    const { id, installation, cents, description, paymentMethodId } = order
    const payment = object(
      await stripe.paymentIntents.create(
        {
          amount: cents,
          currency: CURRENCY,
          confirm: true,
          payment_method: paymentMethodId,
          // Nobody is there who could follow a redirect.
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          // The fee is known with the response.
          capture_method: 'automatic',
          description,
          metadata: { paymentId: id, installation, flow: CHARGE },
          ...(await recurringFields(stripe, order)),
        },
        { idempotencyKey: id },
      ),
    )
    if (payment.status === 'requires_action' || payment.status === 'requires_payment_method')
      throw new CardDeclined(CONFIRMATION_REQUIRED.code, CONFIRMATION_REQUIRED.message, payment.id)
    return { processorId: payment.id }
  })

export const openCheckout = (
  client: StripeClient,
  { id, installation, cents, description, seller, ...order }: CheckoutOrder,
): Promise<Checkout> =>
  client.ask(async stripe => {
    const metadata = { paymentId: id, installation }
    const session = object(
      await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: id,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: CURRENCY,
                unit_amount: cents,
                product_data: { name: description, ...(seller ? { description: `Sold by ${seller}` } : {}) },
              },
            },
          ],
          success_url: order.returnUrl ?? client.settings.publicUrl,
          ...(order.cancelUrl ? { cancel_url: order.cancelUrl } : {}),
          ...expiryOf(id, order.expiresAt),
          metadata,
          payment_intent_data: { description, metadata },
        },
        { idempotencyKey: id },
      ),
    )
    if (!session.url)
      throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, { hint: 'the hosted page has expired' })
    return { checkoutId: session.id, url: session.url }
  })

/**
 * Stripe allows 30 minutes to 24 hours from the request; outside of them the page ends after 24 hours, or with
 * `expireCheckout`. It counts from the time in the payment's id, so that a repeated request is the same to Stripe, and a
 * page of less than an hour gets none, so that a first request which comes late is not refused.
 */
function expiryOf(id: string, expiresAt: Date): { expires_at?: number } {
  const payableMs = expiresAt.getTime() - createdAtMs(id)
  return payableMs >= HOUR && payableMs < DAY - MINUTE
    ? { expires_at: Math.floor(expiresAt.getTime() / SECOND) }
    : {}
}

/** When a UUIDv7 was made, in real time as Stripe counts it; the sandbox moves the times of a payment ahead. */
const createdAtMs = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

export async function expireCheckout(client: StripeClient, checkoutId: string): Promise<string | null> {
  const read = () => client.ask(async stripe => object(await stripe.checkout.sessions.retrieve(checkoutId)))
  if ((await read()).status === 'open') {
    const expired = await client
      .ask(async stripe => object(await stripe.checkout.sessions.expire(checkoutId)))
      .catch(() => null)
    if (expired) return null
  }
  const { status, payment_intent: payment } = await read()
  if (status === 'open') throw new NoAnswer('the page is not closed')
  return status === 'complete' ? idOf(payment) : null
}

/** Without the payment's id there, Stripe's search answers, which knows a payment within a minute. */
export async function outcomeOf(client: StripeClient, id: string, processorId?: string): Promise<Outcome> {
  if (processorId) {
    const found = await client.find(stripe =>
      stripe.paymentIntents.retrieve(processorId, { expand: WITH_FEE }),
    )
    return found?.metadata.paymentId === id ? outcomeOfPayment(found) : { state: 'none' }
  }
  const found = await client.ask(async stripe =>
    items(
      await stripe.paymentIntents.search({
        query: `metadata['paymentId']:'${id}'`,
        expand: WITH_FEE.map(field => `data.${field}`),
        limit: 100,
      }),
    ),
  )
  const outcomes = found.map(outcomeOfPayment)
  return (
    outcomes.find(({ state }) => state === 'paid') ??
    outcomes.find(({ state }) => state === 'declined') ?? { state: 'none' }
  )
}

function outcomeOfPayment(payment: Stripe.PaymentIntent): Outcome {
  const { id, status, amount_received: cents, currency, last_payment_error: error } = payment
  if (status === 'succeeded')
    return {
      state: 'paid',
      paid: {
        processorId: id,
        cents,
        currency: currency.toUpperCase(),
        feeCents: feeOf(payment),
        cardFingerprint: chargeOf(payment)?.payment_method_details?.card?.fingerprint ?? null,
      },
    }
  if (payment.metadata.flow !== CHARGE) return { state: 'none' }
  if (status === 'requires_action') return { state: 'declined', ...CONFIRMATION_REQUIRED }
  if (error)
    return {
      state: 'declined',
      code: declineCode(error),
      message: error.message ?? 'Your card was declined.',
    }
  return { state: 'none' }
}

const chargeOf = ({ latest_charge: charged }: Stripe.PaymentIntent): Stripe.Charge | null =>
  typeof charged === 'object' ? charged : null

function feeOf(payment: Stripe.PaymentIntent): number {
  const balance = chargeOf(payment)?.balance_transaction
  return typeof balance === 'object' ? (balance?.fee ?? 0) : 0
}

export const refund = (
  client: StripeClient,
  { id, installation, processorId, cents }: RefundOrder,
): Promise<Refund> =>
  client.ask(async stripe =>
    refundView(
      object(
        await stripe.refunds.create(
          { payment_intent: processorId, amount: cents, metadata: { refundId: id, installation } },
          { idempotencyKey: id },
        ),
      ),
    ),
  )

export const refundOf = (client: StripeClient, id: string, processorId: string): Promise<Refund | null> =>
  client.ask(async stripe => {
    const refunds = stripe.refunds.list({ payment_intent: processorId, limit: 100 })
    for await (const each of refunds) if (object(each).metadata?.refundId === id) return refundView(each)
    return null
  })

const STATES: Record<string, Refund['state']> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
}

const refundView = ({ id, status, failure_reason }: Stripe.Refund): Refund => ({
  refundId: id,
  state: STATES[status ?? ''] ?? 'pending',
  failure: failure_reason ?? (status === 'canceled' ? 'canceled' : null),
})

/** Our id of a payment at Stripe. */
export const paymentOf = async (client: StripeClient, processorId: string | null): Promise<string | null> => {
  if (!processorId) return null
  const found = await client.find(stripe => stripe.paymentIntents.retrieve(processorId))
  return found?.metadata.paymentId ?? null
}
