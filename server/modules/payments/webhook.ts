import { Type, type Static } from '#platform/http/type'
import { named } from '#platform/http/schema'
import { schemaCheck } from '#platform/adapters/json-schema/schema-check'
import { apiError } from '#platform/kernel/errors'
import { NoAnswer } from './processors/port.ts'
import { signatureError } from './processors/signature.ts'
import type { Services } from '#platform/kernel/services'
import { OPERATOR_ALERTS } from './intents/booking.ts'
import { handlePaymentEvent } from './intents/payment-event.ts'
import { PAYMENTS } from './errors.ts'
import { eraseIfPayerDeleted } from './erase.ts'
import { processorEvent, type ProcessorEventFamily } from './ports.ts'
import { installationOf, webhookSecrets } from './processor.ts'
import * as statements from './sql.ts'

export const ProcessorEvent = named(
  'ProcessorEvent',
  Type.Object(
    {
      id: Type.String({
        minLength: 1,
        maxLength: 255,
        examples: ['evt_1'],
        description: 'Id of the event at the processor',
      }),
      type: Type.String({
        minLength: 1,
        maxLength: 255,
        examples: ['payment_intent.succeeded'],
        description: 'Type of the event in the terms of the processor',
      }),
      created: Type.Optional(Type.Integer({ description: 'When it happened, in seconds since 1970' })),
      account: Type.Optional(
        Type.String({ maxLength: 255, description: 'The connected account that it happened on' }),
      ),
      data: Type.Object(
        {
          object: Type.Object(
            {},
            { additionalProperties: true, description: 'The object of the event, as the processor shows it' },
          ),
        },
        { additionalProperties: true, description: 'What it is about' },
      ),
    },
    { description: 'Event of the card processor' },
  ),
)
type ProcessorEvent = Static<typeof ProcessorEvent>

const hasInstallation = schemaCheck(Type.Object({ metadata: Type.Object({ installation: Type.String() }) }))

export interface Notification {
  signature: string | undefined
  raw: Buffer | null
  event: ProcessorEvent
  endpoint: string
}

/**
 * Takes one notification of the processor: checks its signature over the bytes as they came, stores it once by its id,
 * and lets its owner read the state that it is about. A copy, and a type that means nothing here, change nothing.
 * ApiErrors: 400 for a bad signature, 503 if the processor did not answer.
 */
export async function receive(
  services: Services,
  { signature, raw, event, endpoint }: Notification,
): Promise<{ received: true; outcome: string }> {
  const { clock, log } = services
  const reason = signatureError(
    signature,
    raw ?? Buffer.alloc(0),
    await webhookSecrets(services),
    clock.real(),
  )
  if (reason) throw apiError(PAYMENTS.SIGNATURE_INVALID, { hint: reason })
  const outcome = await handle(services, { event, endpoint })
  const alert = OPERATOR_ALERTS[outcome]
  if (alert) log.error({ event: event.id, type: event.type, outcome }, `processor: ${alert}`)
  return { received: true, outcome }
}

type Given = Pick<Notification, 'event' | 'endpoint'>

/**
 * Stores an event as `received`, gives it to its owner outside any transaction, then marks it with the outcome. One that
 * was received and has no outcome is given to the owner again. ApiError 503 if the processor gave the owner no answer, so
 * that it repeats the event.
 */
async function handle(services: Services, { event, endpoint }: Given): Promise<string> {
  const { db } = services
  const family = familyOf(event.type)
  const isHandled = await db.transaction(async tx => {
    const body = family === 'account' || family === 'dispute' ? subjectOf(event) : event
    const row = { ...event, endpoint, body, at: tx.clock.real() }
    if (await tx.run(statements.insertEvent(row, 'received'))) return false
    await tx.run(statements.countDelivery(event.id))
    return (await tx.one(statements.outcomeOfEvent(event.id))).outcome !== 'received'
  })
  if (isHandled) return 'duplicate'
  const outcome = await outcomeByOwner(services, family, event)
  await db.transaction(async tx => {
    await tx.run(statements.setOutcome(event.id, outcome))
    await eraseIfPayerDeleted(tx, event.data.object)
  })
  return outcome
}

/**
 * An event of a connected account may contain its holder's name, address and bank, and one of a dispute the customer and
 * the evidence: only its subject is stored.
 */
const subjectOf = ({ id, type, data: { object } }: ProcessorEvent) => ({
  id,
  type,
  data: { object: { id: 'id' in object ? object.id : null } },
})

async function outcomeByOwner(
  services: Services,
  family: ProcessorEventFamily | undefined,
  { id: eventId, type, account, data: { object } }: ProcessorEvent,
): Promise<string> {
  const { installation } = hasInstallation(object) ? object.metadata : {}
  if (installation !== undefined && installation !== (await installationOf(services))) return 'unmatched'
  const hint = { eventId, type, object: { ...object }, accountId: account ?? null }
  try {
    return family
      ? await processorEvent.call(services.db, family, hint)
      : await handlePaymentEvent(services, hint)
  } catch (cause) {
    if (!(cause instanceof NoAnswer)) throw cause
    throw apiError(PAYMENTS.PROCESSOR_UNAVAILABLE, { hint: 'Send the event again', cause })
  }
}

const FAMILIES: readonly (readonly [start: string, ProcessorEventFamily])[] = [
  ['account.', 'account'],
  ['transfer.', 'transfer'],
  ['payout.', 'payout'],
  ['charge.dispute.', 'dispute'],
  ['charge.refund', 'refund'],
  ['refund.', 'refund'],
]
const familyOf = (type: string): ProcessorEventFamily | undefined =>
  FAMILIES.find(([start]) => type.startsWith(start))?.[1]
