import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import { PROCESSOR } from '../errors.ts'
import { CardDeclined, type Charge, type ChargeOrder, type Outcome } from '../port.ts'
import { cardFingerprintOf, cardOfCharge, feeCents, type TestCard } from './cards.ts'
import { openDispute } from './disputes.ts'
import type { Payment, ProcessorObject } from './objects.ts'
import { insertObject, objectById, objectByKey } from './sql.ts'
import type { Emit, Wire } from './wire.ts'

export interface PaymentOrder {
  /** The idempotency key. */
  key: string
  cents: number
  description: string
  card: TestCard
  metadata: Payment['metadata']
}

export async function charge(
  wire: Wire,
  { id, cents, description, installation, paymentMethodId }: ChargeOrder,
): Promise<Charge> {
  const metadata = { paymentId: id, installation }
  const card = (): TestCard => cardOfCharge(paymentMethodId)
  const payment = await wire.change((tx, emit) =>
    pay(wire, tx, { order: { key: id, cents, description, card: card(), metadata }, emit }),
  )
  const declined = payment.last_payment_error
  if (declined) throw new CardDeclined(declined.code, declined.message, payment.id)
  return { processorId: payment.id }
}

/** One payment, its movement and its notification; repeated with the same key it returns the first and notifies of nothing. */
export async function pay(
  wire: Wire,
  tx: Tx,
  { order, emit }: { order: PaymentOrder; emit: Emit },
): Promise<Payment> {
  const { key, card, cents } = order
  const body = newPayment(order)
  const row = { id: body.id, kind: 'payment_intent' as const, key, status: body.status, body, at: tx.now }
  const written = await tx.maybe(insertObject(row))
  if (!written) return (await tx.one(objectByKey('payment_intent', key))).body
  if (card.declined) {
    await emit({ type: 'payment_intent.payment_failed', object: { ...body } })
    return body
  }
  await wire.move(tx, {
    kind: 'charge',
    sourceId: body.id,
    ourId: order.metadata.paymentId ?? null,
    cents,
    feeCents: feeCents(cents),
  })
  await emit({ type: 'payment_intent.succeeded', object: { ...body } })
  if (card.then === 'dispute') await openDispute(wire, tx, { payment: body, emit })
  return body
}

function newPayment({ cents, description, card, metadata }: PaymentOrder): Payment {
  const fee = feeCents(cents)
  return {
    id: `pi_${randomToken(18)}`,
    object: 'payment_intent',
    amount: cents,
    amount_received: card.declined ? 0 : cents,
    currency: 'usd',
    status: card.declined ? 'requires_payment_method' : 'succeeded',
    description,
    payment_method: card.id,
    latest_charge: `ch_${randomToken(18)}`,
    livemode: false,
    metadata,
    ...(card.declined
      ? { last_payment_error: card.declined }
      : { balance_transaction: { fee, net: cents - fee } }),
  }
}

export async function outcomeOf(wire: Wire, id: string, processorId?: string): Promise<Outcome> {
  const { db } = wire.context
  const found = processorId
    ? await db.maybe(objectById('payment_intent', processorId))
    : await db.maybe(objectByKey('payment_intent', id))
  return found && (!processorId || found.body.metadata.paymentId === id)
    ? outcomeOfPayment(found)
    : { state: 'none' }
}

function outcomeOfPayment({ body }: ProcessorObject<'payment_intent'>): Outcome {
  const {
    id,
    amount_received: cents,
    currency,
    balance_transaction: fees,
    last_payment_error: declined,
    payment_method: method,
  } = body
  if (declined) return { state: 'declined', ...declined }
  return {
    state: 'paid',
    paid: {
      processorId: id,
      cents: cents ?? null,
      currency: currency.toUpperCase(),
      feeCents: fees?.fee ?? 0,
      cardFingerprint: cardFingerprintOf(method),
    },
  }
}

/** A payment that brought money, for a change. ApiErrors: 404 for an unknown one, 400 for one that failed. */
export async function lockPayment(wire: Wire, tx: Tx, processorId: string): Promise<Payment> {
  const { body } = await wire.lock(tx, 'payment_intent', processorId)
  if (body.last_payment_error)
    throw apiError(PROCESSOR.PROCESSOR_REFUSED, { hint: `the payment ${processorId} brought no money` })
  return body
}
