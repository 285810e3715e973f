import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { askOutcome } from '../processor.ts'
import { lockIntent } from '../sql.ts'
import { confirm, type Booked } from './booking.ts'

/**
 * Books a payment that the processor lists as paid and whose notification is missing, in whatever state it is here. Null if
 * the processor or this service does not know it so. NoAnswer changes nothing.
 */
export async function rereadPayment(
  services: Services,
  { paymentId, processorId }: { paymentId: string; processorId: string },
): Promise<Booked | null> {
  if (!isId(paymentId)) return null
  const outcome = await askOutcome(services, paymentId, processorId)
  if (outcome.state !== 'paid') return null
  return services.db.transaction(async tx => {
    const intent = await tx.maybe(lockIntent(paymentId))
    return intent ? confirm(tx, intent, outcome.paid) : null
  })
}
