import type { Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { answered, processorOf } from '../processor.ts'
import * as statements from '../sql.ts'
import type { Booked } from './booking.ts'
import { intentMachine } from './machine.ts'
import { rereadPayment } from './reread.ts'

/** The job that closes the hosted page of a payment which has ended. */
export const CLOSE_PAGE_JOB = 'payments.close-page'

/**
 * Ends a payment that nobody shall make any more. One on a hosted page is expired by its timer, which closes the page; a charge
 * that was never sent ends at once. One that is being booked at this moment is left to its booking, so that no lock is waited
 * for. True also if no payment was stored: the caller has locked what `startAwaitedCardPayment` locks, and publishes what the
 * end means. False for one that is under way, or has ended.
 */
export async function abandonPayment(tx: Tx, paymentId: string): Promise<boolean> {
  if ((await tx.run(statements.expireNow(paymentId, tx.now))) > 0) return true
  const unsent = await tx.maybe(statements.lockUnsentCharge(paymentId))
  if (!unsent) return (await tx.maybe(statements.intentById(paymentId))) === undefined
  await transition(tx, intentMachine, unsent, {
    event: 'expire',
    by: 'payer',
    details: { code: GIVEN_UP.code },
    set: { askAt: null, failureCode: GIVEN_UP.code, failureMessage: GIVEN_UP.message },
  })
  return true
}

const GIVEN_UP = { code: 'given_up', message: 'The payment was given up before the card was charged' }

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
