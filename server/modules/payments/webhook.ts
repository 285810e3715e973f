import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import { isId } from '#platform/id'
import type { Paid } from '#platform/processor/processor'
import { signatureFault } from '#platform/processor/signature'
import type { Services } from '#platform/services'
import { COMPLAINTS, confirm, end } from './booking.ts'
import { PAYMENTS } from './faults.ts'
import { forgetIfDeleted } from './forget.ts'
import { installationOf, webhookSecret } from './processor.ts'
import * as statements from './sql.ts'
import type { Intent } from './sql.ts'
import { suspend } from './suspense.ts'

export const ProcessorEvent = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255, examples: ['evt_1'] }),
  type: Type.String({ minLength: 1, maxLength: 255, examples: ['payment_intent.succeeded'] }),
  data: Type.Object({ object: Type.Object({}, { additionalProperties: true }) }, { additionalProperties: true }),
}, { description: 'An event of the card processor' })
type ProcessorEvent = Static<typeof ProcessorEvent>

// The parts of a payment or checkout that count here; anything else is not ours.
const Cents = Type.Integer({ minimum: 0, maximum: 1e12 })
const Settled = Type.Object({
  metadata: Type.Object({ paymentId: Type.String(), installation: Type.Optional(Type.String()) }),
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
  const installation = await installationOf(services)
  const outcome = await db.transaction(async tx => {
    const isNew = await tx.run(statements.insertEvent({ ...event, endpoint, body: event, at: tx.clock.real() }))
    if (!isNew) return 'duplicate'
    const outcome = await apply(tx, event, installation)
    await tx.run(statements.setOutcome(event.id, outcome))
    await forgetIfDeleted(tx, event.data.object)
    return outcome
  })
  const complaint = COMPLAINTS[outcome]
  if (complaint) log.error({ event: event.id, type: event.type }, `processor: ${complaint}`)
  return { received: true, outcome }
}

const CONFIRMING = new Set(['payment_intent.succeeded', 'checkout.session.completed', 'checkout.session.async_payment_succeeded'])
const ENDING: Record<string, 'fail' | 'expire'> = {
  'payment_intent.payment_failed': 'fail', 'payment_intent.canceled': 'expire',
  'checkout.session.async_payment_failed': 'fail', 'checkout.session.expired': 'expire',
}

async function apply(tx: Tx, { type, data: { object } }: ProcessorEvent, ours: string): Promise<string> {
  const event = ENDING[type]
  if (!CONFIRMING.has(type) && !event) return 'recorded'
  if (!Value.Check(Settled, object) || !isId(object.metadata.paymentId)) return 'unmatched'
  const { paymentId, installation } = object.metadata
  if (installation !== undefined && installation !== ours) return 'unmatched'
  const intent = await tx.maybe(statements.lockIntent(paymentId))
  if (event) return intent ? refuse(tx, intent, { event, type, object }) : 'unmatched'
  if (object.payment_status === 'unpaid') return 'recorded'
  if (intent) return confirm(tx, intent, paidOf(object))
  // Without our mark it may be anybody's on the same processor account; with it, it is ours and lost its payment.
  return installation === ours ? suspend(tx, { paymentId, paid: paidOf(object), reason: 'UNKNOWN_PAYMENT' }) : 'unmatched'
}

const paidOf = (object: Settled): Paid => ({
  processorId: object.id.startsWith('pi_') ? object.id : object.payment_intent ?? null,
  cents: object.amount_received ?? object.amount_total ?? null,
  currency: object.currency.toUpperCase(),
  feeCents: object.balance_transaction?.fee ?? 0,
})

async function refuse(tx: Tx, intent: Intent, { event, type, object }: { event: 'fail' | 'expire'; type: string; object: Settled }): Promise<string> {
  if (intent.status !== 'PENDING') return 'known'
  // On a hosted page another card can be tried.
  if (intent.rail === 'checkout' && type === 'payment_intent.payment_failed') return 'recorded'
  const { code = type, message = 'The payment was not made' } = object.last_payment_error ?? {}
  await end(tx, intent, { event, by: 'processor', code, message })
  return 'ended'
}
