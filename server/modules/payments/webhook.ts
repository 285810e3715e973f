import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import { isId } from '#platform/id'
import { toCents } from '#platform/money'
import { signatureFault } from '#platform/processor/signature'
import type { Services } from '#platform/services'
import { book, end } from './booking.ts'
import { PAYMENTS } from './faults.ts'
import { webhookSecret } from './processor.ts'
import * as statements from './sql.ts'
import type { Intent } from './sql.ts'

export const ProcessorEvent = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255, examples: ['evt_1'] }),
  type: Type.String({ minLength: 1, maxLength: 255, examples: ['payment_intent.succeeded'] }),
  data: Type.Object({ object: Type.Object({}, { additionalProperties: true }) }, { additionalProperties: true }),
}, { description: 'An event of the card processor' })
type ProcessorEvent = Static<typeof ProcessorEvent>

// The parts of a payment or checkout that count here; anything else is not ours.
const Cents = Type.Integer({ minimum: 0 })
const Settled = Type.Object({
  metadata: Type.Object({ paymentId: Type.String() }),
  currency: Type.String(),
  id: Type.String(),
  amount_received: Type.Optional(Cents),
  amount_total: Type.Optional(Cents),
  payment_status: Type.Optional(Type.String()),
  payment_intent: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  balance_transaction: Type.Optional(Type.Object({ fee: Cents })),
  last_payment_error: Type.Optional(Type.Union([Type.Null(), Type.Object({ code: Type.Optional(Type.String()), message: Type.Optional(Type.String()) })])),
})
type Settled = Static<typeof Settled>

export interface Notification { signature: string | undefined; raw: Buffer | null; event: ProcessorEvent; endpoint: string }

/**
 * Takes one notification of the processor: checks its signature over the bytes as they came, keeps it once by its id,
 * and does what it says in the same transaction. A copy, and a type that means nothing here, change nothing.
 * Fault 400 for a bad signature.
 */
export async function receive(services: Services, { signature, raw, event, endpoint }: Notification): Promise<{ received: true; outcome: string }> {
  const { db, clock, log } = services
  const reason = signatureFault(signature, raw ?? Buffer.alloc(0), await webhookSecret(services), clock.real())
  if (reason) throw fault(PAYMENTS.SIGNATURE_INVALID, { hint: reason })
  const outcome = await db.transaction(async tx => {
    const isNew = await tx.run(statements.insertEvent({ ...event, endpoint, body: event, at: tx.clock.real() }))
    if (!isNew) return 'duplicate'
    const outcome = await apply(tx, event)
    await tx.run(statements.setOutcome(event.id, outcome))
    return outcome
  })
  if (outcome === 'mismatch') log.error({ event: event.id, type: event.type }, 'processor: the amount is not that of the payment, nothing was booked')
  return { received: true, outcome }
}

const CONFIRMING = new Set(['payment_intent.succeeded', 'checkout.session.completed', 'checkout.session.async_payment_succeeded'])
const ENDING: Record<string, 'fail' | 'expire'> = {
  'payment_intent.payment_failed': 'fail', 'payment_intent.canceled': 'expire',
  'checkout.session.async_payment_failed': 'fail', 'checkout.session.expired': 'expire',
}

async function apply(tx: Tx, { type, data: { object } }: ProcessorEvent): Promise<string> {
  const event = ENDING[type]
  if (!CONFIRMING.has(type) && !event) return 'recorded'
  if (!Value.Check(Settled, object) || !isId(object.metadata.paymentId)) return 'unmatched'
  const intent = await tx.maybe(statements.lockIntent(object.metadata.paymentId))
  if (!intent) return 'unmatched'
  if (event) return refuse(tx, intent, { event, type, object })
  return confirm(tx, intent, object)
}

async function confirm(tx: Tx, intent: Intent, object: Settled): Promise<string> {
  if (intent.status === 'SUCCEEDED') return 'known'
  if (object.payment_status === 'unpaid') return 'recorded'
  const cents = object.amount_received ?? object.amount_total
  if (cents !== toCents(intent.amount) || object.currency.toUpperCase() !== intent.currency) return 'mismatch'
  const processorId = object.id.startsWith('pi_') ? object.id : object.payment_intent ?? null
  await book(tx, intent, { feeCents: object.balance_transaction?.fee ?? 0, processorId })
  return 'booked'
}

async function refuse(tx: Tx, intent: Intent, { event, type, object }: { event: 'fail' | 'expire'; type: string; object: Settled }): Promise<string> {
  if (intent.status !== 'PENDING') return 'known'
  // On a hosted page another card can be tried.
  if (intent.rail === 'checkout' && type === 'payment_intent.payment_failed') return 'recorded'
  const { code = type, message = 'The payment was not made' } = object.last_payment_error ?? {}
  await end(tx, intent, { event, by: 'processor', code, message })
  return 'ended'
}
