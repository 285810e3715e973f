import type { Stripe } from 'stripe'
import type { ChargeOrder } from '../port.ts'
import { object } from './client.ts'

type Fields = Pick<Stripe.PaymentIntentCreateParams, 'customer' | 'setup_future_usage' | 'off_session'>

/**
 * What Stripe needs to charge a card again: a customer that the payment method belongs to. The first charge creates it;
 * later ones find it through the payment method. A payment method of another payer gets no customer, so Stripe refuses it.
 */
export async function recurringFields(
  stripe: Stripe,
  { id, installation, paymentMethodId, recurring }: ChargeOrder,
): Promise<Fields> {
  if (!recurring) return {}
  const { kind, payerId } = recurring
  const { customer: owner } = object(
    await stripe.paymentMethods.retrieve(paymentMethodId, { expand: ['customer'] }),
  )
  const isOwn = typeof owner === 'object' && owner !== null && owner.metadata?.payerId === payerId
  const customer = isOwn ? { customer: owner.id } : {}
  if (kind === 'renewal') return { ...customer, off_session: true }
  if (owner) return { ...customer, setup_future_usage: 'off_session' }
  const created = object(
    await stripe.customers.create(
      { metadata: { payerId, installation } },
      { idempotencyKey: `${id}/customer` },
    ),
  )
  return { customer: created.id, setup_future_usage: 'off_session' }
}
