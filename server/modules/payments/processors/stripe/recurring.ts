import type { Stripe } from 'stripe'
import type { ChargeOrder } from '../port.ts'
import { object } from './client.ts'

type Fields = Pick<Stripe.PaymentIntentCreateParams, 'customer' | 'setup_future_usage' | 'off_session'>

/**
 * What Stripe needs to charge a card again: a customer that the payment method belongs to. The first charge creates it, or
 * the first renewal of a card that was chosen without a payment; later ones find it through the payment method. A payment
 * method of another payer gets no customer, so Stripe refuses it.
 */
export async function recurringFields(
  stripe: Stripe,
  { id, installation, paymentMethodId, recurring }: ChargeOrder,
): Promise<Fields> {
  if (!recurring) return {}
  const { kind, payerId } = recurring
  const usage: Fields = kind === 'renewal' ? { off_session: true } : { setup_future_usage: 'off_session' }
  const { customer: owner } = object(
    await stripe.paymentMethods.retrieve(paymentMethodId, { expand: ['customer'] }),
  )
  if (owner) {
    const isOwn = typeof owner === 'object' && owner.metadata?.payerId === payerId
    return isOwn ? { customer: owner.id, ...usage } : usage
  }
  const { id: customer } = object(
    await stripe.customers.create(
      { metadata: { payerId, installation } },
      { idempotencyKey: `${id}/customer` },
    ),
  )
  // A charge without its payer attaches nothing, and Stripe lets a card without a customer pay only once.
  if (kind === 'renewal')
    object(
      await stripe.paymentMethods.attach(paymentMethodId, { customer }, { idempotencyKey: `${id}/attach` }),
    )
  return { customer, ...usage }
}
