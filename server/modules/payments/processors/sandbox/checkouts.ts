import { SECOND } from '#platform/kernel/clock'
import { apiError, errorTable } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import type { Checkout, CheckoutOrder } from '../port.ts'
import { cardOf } from './cards.ts'
import type { Payment, ProcessorObject, Session } from './objects.ts'
import { pay } from './payments.ts'
import { endSession, insertObject, objectById, objectByKey } from './sql.ts'
import type { Wire } from './wire.ts'

const SANDBOX = errorTable({
  CHECKOUT_NOT_FOUND: [404, 'Checkout not found'],
  CHECKOUT_PAID: [409, 'Checkout already paid'],
  CHECKOUT_EXPIRED: [409, 'Checkout expired'],
  CARD_DECLINED: [400, 'Card declined'],
})

export interface CheckoutView {
  id: string
  status: string
  cents: number
  description: string
  seller: string | null
  returnUrl: string | null
  cancelUrl: string | null
}

export async function openCheckout(
  wire: Wire,
  { id, cents, description, seller, installation, returnUrl, cancelUrl, expiresAt }: CheckoutOrder,
): Promise<Checkout> {
  const body: Session = {
    amount_total: cents,
    description,
    seller,
    success_url: returnUrl,
    cancel_url: cancelUrl,
    expires_at: Math.floor(expiresAt.getTime() / SECOND),
    metadata: { paymentId: id, installation },
  }
  const { clock, publicUrl } = wire.context
  const opened = await wire.change(async tx => {
    const row = { id: `cs_test_${randomToken(18)}`, kind: 'checkout.session' as const, status: 'open', body }
    return (
      (await tx.maybe(insertObject({ ...row, key: id, at: clock.real() }))) ??
      tx.one(objectByKey('checkout.session', id))
    )
  })
  return { checkoutId: opened.id, url: `${publicUrl}/sandbox/checkout/${opened.id}` }
}

export const expireCheckout = (wire: Wire, checkoutId: string): Promise<string | null> =>
  wire.change(async (tx, emit) => {
    const { status, body } = await wire.lock(tx, 'checkout.session', checkoutId)
    if (status === 'complete')
      return (await tx.one(objectByKey('payment_intent', keyOf(checkoutId, body)))).id
    if (status !== 'open') return null
    const expired = await tx.one(endSession(checkoutId, 'expired'))
    await emit({ type: 'checkout.session.expired', object: sessionObject(expired) })
    return null
  })

/** The idempotency key of the payment that is made on a page. */
const keyOf = (checkoutId: string, { metadata }: Session): string => metadata.paymentId ?? checkoutId

/** The hosted page's data. ApiError 404. */
export async function readCheckout(wire: Wire, checkoutId: string): Promise<CheckoutView> {
  const session = await requireSession(wire, checkoutId)
  const { amount_total: cents, description, seller = null, success_url, cancel_url } = session.body
  return {
    id: checkoutId,
    status: isPast(wire, session) ? 'expired' : session.status,
    cents,
    description,
    seller,
    returnUrl: success_url ?? null,
    cancelUrl: cancel_url ?? null,
  }
}

/** Whether the time to pay an open page has passed, in business time like the deadlines of the service. */
const isPast = (wire: Wire, { status, body }: ProcessorObject<'checkout.session'>): boolean =>
  status === 'open' &&
  body.expires_at !== undefined &&
  body.expires_at * SECOND <= wire.context.clock.now().getTime()

/**
 * Pays a hosted page with a payment method or card number; returns when its notifications were sent once. ApiErrors: 400
 * for a declined card, 404, 409 for a page that was paid or has expired.
 */
export async function payCheckout(wire: Wire, checkoutId: string, method: string): Promise<void> {
  const card = cardOf(method)
  const session = await requireSession(wire, checkoutId)
  if (isPast(wire, session)) throw closedError('expired')
  const { metadata, description, amount_total: cents } = session.body
  const order = { key: keyOf(checkoutId, session.body), cents, description, card, metadata }
  await wire.changeAndSend(async (tx, emit) => {
    // A payment that was declined does not use the key up: another card may be tried.
    if (card.declined)
      return pay(wire, tx, { order: { ...order, key: `${order.key}/${randomToken(6)}` }, emit })
    const completed = await tx.maybe(endSession(checkoutId, 'complete'))
    if (!completed) throw closedError((await requireSession(wire, checkoutId)).status)
    const payment = await pay(wire, tx, { order, emit })
    await emit({ type: 'checkout.session.completed', object: sessionObject(completed, payment) })
    return payment
  })
  if (card.declined) throw apiError(SANDBOX.CARD_DECLINED, { hint: card.declined.message })
}

const closedError = (status: string) =>
  apiError(status === 'expired' ? SANDBOX.CHECKOUT_EXPIRED : SANDBOX.CHECKOUT_PAID, {
    hint: 'ask the shop for a new payment link if there is more to pay',
  })

async function requireSession(wire: Wire, checkoutId: string): Promise<ProcessorObject<'checkout.session'>> {
  const found = await wire.context.db.maybe(objectById('checkout.session', checkoutId))
  if (!found)
    throw apiError(SANDBOX.CHECKOUT_NOT_FOUND, {
      hint: 'use the address that the funding response contains',
    })
  return found
}

const sessionObject = ({ id, status, body }: ProcessorObject<'checkout.session'>, payment?: Payment) => ({
  id,
  object: 'checkout.session',
  status,
  payment_status: payment ? 'paid' : 'unpaid',
  payment_intent: payment?.id ?? null,
  currency: 'usd',
  ...body,
  ...(payment?.balance_transaction ? { balance_transaction: payment.balance_transaction } : {}),
})
