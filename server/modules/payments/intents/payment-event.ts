import { Type } from '#platform/http/type'
import { schemaCheck } from '#platform/adapters/json-schema/schema-check'
import type { Tx } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import type { ProcessorHint } from '../ports.ts'
import { askOutcome, installationOf } from '../processor.ts'
import type { Outcome } from '../processors/port.ts'
import * as statements from '../sql.ts'
import type { Intent } from '../sql.ts'
import { suspend } from '../suspense/suspense.ts'
import { confirm, end } from './booking.ts'

const CONFIRMING = new Set([
  'payment_intent.succeeded',
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
])
const ENDING: Record<string, 'fail' | 'expire'> = {
  'payment_intent.payment_failed': 'fail',
  'payment_intent.canceled': 'expire',
  'checkout.session.async_payment_failed': 'fail',
  'checkout.session.expired': 'expire',
}

// Which payment an event is about: all that counts of it.
const hasMark = schemaCheck(
  Type.Object({
    metadata: Type.Object({ paymentId: Type.String(), installation: Type.Optional(Type.String()) }),
  }),
)

/**
 * Handles an event of a payment by card or on a hosted page: asks the processor what became of the payment, outside any
 * transaction, then books or ends it. An amount or a state in the event counts for nothing. NoAnswer.
 */
export async function handlePaymentEvent(
  services: Services,
  { type, object }: ProcessorHint,
): Promise<string> {
  if (!CONFIRMING.has(type) && !ENDING[type]) return 'recorded'
  const ours = await installationOf(services)
  const { paymentId = '', installation } = hasMark(object) ? object.metadata : {}
  if (installation !== undefined && installation !== ours) return 'unmatched'
  // Without our mark it may belong to another user of the same processor account.
  if (!isId(paymentId)) return installation === ours ? 'mismatch' : 'unmatched'
  const isKnown = await services.db.maybe(statements.intentById(paymentId))
  if (!isKnown && installation !== ours) return 'unmatched'
  const processorId = processorIdOf(object)
  const outcome = await askOutcome(services, paymentId, processorId)
  return services.db.transaction(tx => apply(tx, { paymentId, type, outcome }))
}

/** The payment at the processor that an event names; undefined for a hosted page that nobody has paid. */
function processorIdOf({ id, payment_intent: paid }: Record<string, unknown>): string | undefined {
  if (typeof id === 'string' && id.startsWith('pi_')) return id
  return typeof paid === 'string' ? paid : undefined
}

interface Report {
  paymentId: string
  type: string
  outcome: Outcome
}

async function apply(tx: Tx, { paymentId, type, outcome }: Report): Promise<string> {
  const intent = await tx.maybe(statements.lockIntent(paymentId))
  if (outcome.state === 'paid') {
    const { paid } = outcome
    // With our mark and unknown here, the payment was lost.
    return intent ? confirm(tx, intent, paid) : suspend(tx, { paymentId, paid, reason: 'UNKNOWN_PAYMENT' })
  }
  if (!intent) return 'unmatched'
  const event = ENDING[type]
  return event ? refuse(tx, intent, { event, type, outcome }) : 'recorded'
}

interface Refusal {
  event: 'fail' | 'expire'
  type: string
  outcome: Outcome
}

async function refuse(tx: Tx, intent: Intent, { event, type, outcome }: Refusal): Promise<string> {
  if (intent.status !== 'PENDING') return 'known'
  // On a hosted page another card can be tried.
  if (intent.rail === 'checkout' && type === 'payment_intent.payment_failed') return 'recorded'
  const { code, message } =
    outcome.state === 'declined' ? outcome : { code: type, message: 'The payment was not made' }
  await end(tx, intent, { event, by: 'processor', code, message })
  return 'ended'
}
