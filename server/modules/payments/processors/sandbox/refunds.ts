import { HOUR } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import { PROCESSOR } from '../errors.ts'
import type { Refund, RefundOrder } from '../port.ts'
import { testCards } from './cards.ts'
import type { Payment, RefundBody } from './objects.ts'
import { lockPayment } from './payments.ts'
import { insertObject, objectByKey, updateObject } from './sql.ts'
import type { Emit, Wire } from './wire.ts'

export const refund = (wire: Wire, order: RefundOrder): Promise<Refund> =>
  wire.change(async (tx, emit) => {
    const payment = await lockPayment(wire, tx, order.processorId)
    const made = await tx.maybe(objectByKey('refund', order.id))
    return refundOfBody(made?.body ?? (await make(wire, tx, { order, payment, emit })))
  })

interface Making {
  order: RefundOrder
  payment: Payment
  emit: Emit
}

async function make(wire: Wire, tx: Tx, { order, payment, emit }: Making): Promise<RefundBody> {
  const { id: key, cents, installation } = order
  const refunded = requireRefundable(payment, cents)
  const kind = testCards.find(({ id }) => id === payment.payment_method)?.then
  const body: RefundBody = {
    id: `re_${randomToken(18)}`,
    object: 'refund',
    amount: cents,
    currency: 'usd',
    payment_intent: payment.id,
    charge: payment.latest_charge,
    status: kind === 'refund is pending' ? 'pending' : 'succeeded',
    metadata: { refundId: key, installation },
  }
  await tx.run(insertObject({ id: body.id, kind: 'refund', key, status: body.status, body, at: tx.now }))
  await tx.run(updateObject('payment_intent', payment.id, { body: { amount_refunded: refunded } }))
  await wire.move(tx, { kind: 'refund', sourceId: body.id, ourId: key, cents: -cents, feeCents: 0 })
  if (kind?.startsWith('refund')) await wire.schedule(tx, body.id, { kind: 'refund ends', ms: HOUR })
  await emit({ type: 'refund.created', object: { ...body } })
  await emit({ type: 'charge.refunded', object: chargeObject(payment, refunded) })
  return body
}

function requireRefundable(payment: Payment, cents: number): number {
  const refunded = (payment.amount_refunded ?? 0) + cents
  if (refunded > payment.amount_received)
    throw apiError(PROCESSOR.PROCESSOR_REFUSED, {
      hint: `only ${payment.amount_received - (payment.amount_refunded ?? 0)} cents of the payment are not refunded`,
    })
  if (payment.disputed)
    throw apiError(PROCESSOR.PROCESSOR_REFUSED, { hint: 'the payment is disputed: its bank decides' })
  return refunded
}

const chargeObject = (payment: Payment, refunded: number) => ({
  id: payment.latest_charge,
  object: 'charge',
  amount: payment.amount,
  amount_refunded: refunded,
  refunded: refunded === payment.amount_received,
  currency: payment.currency,
  payment_intent: payment.id,
  metadata: payment.metadata,
})

/** Task: a pending refund succeeds, one of the card that fails comes back. */
export async function endRefund(wire: Wire, tx: Tx, refundId: string): Promise<void> {
  const { body } = await wire.lock(tx, 'refund', refundId)
  const status = body.status === 'pending' ? ('succeeded' as const) : ('failed' as const)
  const failure = status === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {}
  const { body: ended } = await tx.one(
    updateObject('refund', refundId, { status, body: { status, ...failure } }),
  )
  const emit = wire.emitter(tx)
  if (status === 'failed') {
    const payment = await lockPayment(wire, tx, body.payment_intent)
    const refunded = (payment.amount_refunded ?? 0) - body.amount
    await tx.run(updateObject('payment_intent', payment.id, { body: { amount_refunded: refunded } }))
    const ourId = body.metadata.refundId ?? null
    await wire.move(tx, { kind: 'refund', sourceId: refundId, ourId, cents: body.amount, feeCents: 0 })
    await emit({ type: 'refund.failed', object: { ...ended } })
  }
  await emit({ type: 'refund.updated', object: { ...ended } })
}

export async function refundOf(wire: Wire, id: string): Promise<Refund | null> {
  const found = await wire.context.db.maybe(objectByKey('refund', id))
  return found ? refundOfBody(found.body) : null
}

const refundOfBody = ({ id, status, failure_reason }: RefundBody): Refund => ({
  refundId: id,
  state: status,
  failure: failure_reason ?? null,
})
