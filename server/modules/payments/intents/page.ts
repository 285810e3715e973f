import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { answered, processorOf } from '../processor.ts'
import * as statements from '../sql.ts'
import type { Booked } from './booking.ts'
import { rereadPayment } from './reread.ts'

/** The job that closes the hosted page of a payment which has ended. */
export const CLOSE_PAGE_JOB = 'payments.close-page'

/**
 * Ends a payment on a hosted page that nobody shall make any more: its timer expires it now, and closes the page. One that
 * is being booked at this moment is left to its booking, so that no lock is waited for. True also if no payment was stored:
 * the caller has locked what `startAwaitedCardPayment` locks. False for one that is under way, or has ended.
 */
export async function abandonPayment(tx: Tx, paymentId: string): Promise<boolean> {
  if ((await tx.run(statements.expireNow(paymentId, tx.now))) > 0) return true
  return (await tx.maybe(statements.intentById(paymentId))) === undefined
}

/**
 * Closes a page at the processor, so that nobody can pay there, and books what somebody has paid meanwhile: nobody asks for
 * the outcome of a payment that has ended. NoAnswer repeats the job.
 */
export async function closePage(services: Services, paymentId: string): Promise<Booked | null> {
  const { checkoutId } = await services.db.one(statements.intentById(paymentId))
  if (checkoutId === null) return null
  const processorId = await answered(processorOf(services).expireCheckout(checkoutId))
  return processorId === null ? null : rereadPayment(services, { paymentId, processorId })
}
