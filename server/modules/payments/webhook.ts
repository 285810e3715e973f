import { Type, type Static, type TSchema } from 'typebox'
import { named } from '#platform/http/schema'
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

export const ProcessorEvent = named('ProcessorEvent', Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255, examples: ['evt_1'] }),
  type: Type.String({ minLength: 1, maxLength: 255, examples: ['payment_intent.succeeded'] }),
  data: Type.Object({ object: Type.Object({}, { additionalProperties: true }) }, { additionalProperties: true }),
}, { description: 'An event of the card processor' }))
type ProcessorEvent = Static<typeof ProcessorEvent>

// Which payment an object is about, whatever else it holds.
const Mark = Type.Object({ metadata: Type.Object({ paymentId: Type.String(), installation: Type.Optional(Type.String()) }) })

// The parts of a payment or checkout that count here. Whatever the processor may leave out may also be null.
const nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Cents = Type.Integer({ minimum: 0, maximum: 1e12 })
const Settled = Type.Object({
  metadata: Mark.properties.metadata,
  currency: Type.String(),
  id: Type.String(),
  amount_received: nullable(Cents),
  amount_total: nullable(Cents),
  payment_status: nullable(Type.String()),
  payment_intent: nullable(Type.String()),
  // An id where the processor was not asked to expand it.
  balance_transaction: nullable(Type.Union([Type.String(), Type.Object({ fee: Cents })])),
  last_payment_error: nullable(Type.Object({ code: nullable(Type.String()), message: nullable(Type.String()) })),
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
  if (complaint) log.error({ event: event.id, type: event.type, outcome }, `processor: ${complaint}`)
  return { received: true, outcome }
}

const CONFIRMING = new Set(['payment_intent.succeeded', 'checkout.session.completed', 'checkout.session.async_payment_succeeded'])
const ENDING: Record<string, 'fail' | 'expire'> = {
  'payment_intent.payment_failed': 'fail', 'payment_intent.canceled': 'expire',
  'checkout.session.async_payment_failed': 'fail', 'checkout.session.expired': 'expire',
}
// Money that leaves the processor's account; nothing is posted for it yet.
const TAKING = [['charge.dispute.', 'dispute'], ['charge.refunded', 'refund']] as const

async function apply(tx: Tx, { type, data: { object } }: ProcessorEvent, ours: string): Promise<string> {
  const event = ENDING[type]
  const taken = TAKING.find(([start]) => type.startsWith(start))?.[1]
  if (!CONFIRMING.has(type) && !event && !taken) return 'recorded'
  const { paymentId = null, installation } = Value.Check(Mark, object) ? object.metadata : {}
  if (installation !== undefined && installation !== ours) return 'unmatched'
  // A dispute does not repeat the metadata of its charge, so it counts as ours.
  if (taken) return taken
  const intent = paymentId !== null && isId(paymentId) ? await tx.maybe(statements.lockIntent(paymentId)) : undefined
  if (!intent && installation !== ours) return 'unmatched'
  if (!Value.Check(Settled, object)) return misread(tx, intent)
  if (event) return intent ? refuse(tx, intent, { event, type, object }) : 'unmatched'
  if (object.payment_status === 'unpaid') return 'recorded'
  if (intent) return confirm(tx, intent, paidOf(object))
  // Without our mark it may belong to another user of the same processor account; with it, the payment was lost here.
  return isId(object.metadata.paymentId) ? suspend(tx, { paymentId: object.metadata.paymentId, paid: paidOf(object), reason: 'UNKNOWN_PAYMENT' }) : 'mismatch'
}

/** The event names a payment of ours and cannot be read: the processor is asked for its outcome instead. */
async function misread(tx: Tx, intent: Intent | undefined): Promise<'mismatch'> {
  if (intent) await tx.run(statements.askNow(intent.id, tx.now))
  return 'mismatch'
}

const paidOf = (object: Settled): Paid => ({
  processorId: object.id.startsWith('pi_') ? object.id : object.payment_intent ?? null,
  cents: object.amount_received ?? object.amount_total ?? null,
  currency: object.currency.toUpperCase(),
  feeCents: typeof object.balance_transaction === 'object' ? object.balance_transaction?.fee ?? 0 : 0,
})

async function refuse(tx: Tx, intent: Intent, { event, type, object }: { event: 'fail' | 'expire'; type: string; object: Settled }): Promise<string> {
  if (intent.status !== 'PENDING') return 'known'
  // On a hosted page another card can be tried.
  if (intent.rail === 'checkout' && type === 'payment_intent.payment_failed') return 'recorded'
  const { code, message } = object.last_payment_error ?? {}
  await end(tx, intent, { event, by: 'processor', code: code ?? type, message: message ?? 'The payment was not made' })
  return 'ended'
}
