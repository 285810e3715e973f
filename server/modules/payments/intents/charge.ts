import { setTimeout as sleep } from 'node:timers/promises'
import { after, MINUTE } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { ApiError, apiError } from '#platform/kernel/errors'
import { CardDeclined, NoAnswer, type ChargeOrder, type CheckoutOrder } from '../processors/port.ts'
import type { Services } from '#platform/kernel/services'
import { end, AMOUNT_MISMATCH } from './booking.ts'
import { PAYMENTS } from '../errors.ts'
import { CLOSE_PAGE_JOB } from './page.ts'
import { answered, processorOf } from '../processor.ts'
import * as statements from '../sql.ts'
import type { Intent } from '../sql.ts'
import type { PaymentSummary } from './summary.ts'

/** How long a notification is waited for: after the processor's answer, and without one. */
export const PATIENCE_MS = { answered: 5000, silent: 1000 }

/**
 * Asks the processor for the money of a payment that waits for it; the payment's id is its key there, so that it may be
 * asked again. A refusal ends the payment; without an answer it stays PENDING and the outcome is asked for. An old
 * payment is not charged any more: a processor deletes keys after a day. Answers how many milliseconds a notification
 * is worth waiting for.
 */
export async function charge(services: Services, order: ChargeOrder): Promise<number> {
  const { db, clock, log } = services
  const now = clock.now()
  if (!(await db.run(statements.startCharge(order.id, now, after(now, MINUTE))))) return 0
  try {
    const { processorId } = await answered(processorOf(services).charge(order))
    await db.run(statements.setProcessorId(order.id, processorId))
    return PATIENCE_MS.answered
  } catch (error) {
    if (error instanceof NoAnswer) {
      log.warn(
        { err: error, payment: order.id },
        'processor: no answer to a charge, its outcome will be asked for',
      )
      return PATIENCE_MS.silent
    }
    if (isRefusal(error)) await refuse(services, order.id, error)
    if (error instanceof CardDeclined) return PATIENCE_MS.answered
    throw error
  }
}

const isRefusal = (error: unknown): error is CardDeclined | ApiError =>
  error instanceof CardDeclined || (error instanceof ApiError && error.row.status < 500)

async function refuse(
  { db, log }: Services,
  paymentId: string,
  error: CardDeclined | ApiError,
): Promise<void> {
  const code = error instanceof CardDeclined ? error.code : error.row.code
  log.info({ payment: paymentId, code }, 'card declined')
  await db.transaction(async tx => {
    const row = await tx.one(statements.lockIntent(paymentId))
    if (row.status === 'PENDING')
      await end(tx, row, { event: 'fail', by: 'processor', code, message: error.message })
  })
}

/**
 * The hosted page of a payment. ApiErrors: 503 without an answer, because nobody can pay on a page without an address, and 400
 * for a payment that has ended. If it ended while its page was opened, the page is closed.
 */
export async function openPage(
  services: Services,
  order: CheckoutOrder,
): Promise<{ id: string; url: string }> {
  const { db, clock, jobs } = services
  requireInTime(await db.one(statements.intentById(order.id)), clock.now())
  const { checkoutId, url } = await answered(processorOf(services).openCheckout(order)).catch(
    (cause: Error) => {
      if (!(cause instanceof NoAnswer)) throw cause
      throw apiError(PAYMENTS.PROCESSOR_UNAVAILABLE, { hint: 'Nothing was charged: try again', cause })
    },
  )
  const payment = await db.transaction(async tx => {
    await tx.run(statements.setCheckout(order.id, { checkoutId, url }))
    const stored = await tx.one(statements.lockIntent(order.id))
    // The end of the payment knew no page that it could close.
    if (stored.status === 'EXPIRED') await jobs.enqueue(tx, CLOSE_PAGE_JOB, { paymentId: order.id })
    return stored
  })
  requireInTime(payment, clock.now())
  return { id: checkoutId, url }
}

/**
 * The payment once its notification was booked, or as it is when the patience ends. ApiError 400 when the card was
 * declined, or when nobody was reached until it was too late.
 */
export async function waitForOutcome({ db }: Services, intent: Intent, patienceMs: number): Promise<Intent> {
  const deadline = performance.now() + patienceMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 200)) {
    const row = await db.one(statements.intentById(intent.id))
    if (row.status === 'FAILED') throw declined(row)
    if (row.status === 'SUCCEEDED') return row
    if (performance.now() >= deadline) return pending(row)
    await sleep(pause)
  }
}

/**
 * A payment that an earlier request started, if any. ApiError 400 for one that has ended without money, as a request that
 * waited for it would get.
 */
export async function startedPayment(q: Queryable, paymentId: string): Promise<PaymentSummary | undefined> {
  const row = await q.maybe(statements.intentById(paymentId))
  if (row?.status === 'FAILED') throw declined(row)
  return row && pending(row)
}

function requireInTime(payment: Intent, now: Date): void {
  const isOver = payment.status === 'PENDING' && payment.expiresAt <= now
  pending(isOver ? { ...payment, status: 'EXPIRED' } : payment)
}

function pending(row: Intent): Intent {
  if (row.status !== 'EXPIRED') return row
  const hint = 'it was not made in time and nothing was charged, pay again'
  throw apiError(PAYMENTS.PAYMENT_EXPIRED, { hint, details: { paymentId: row.id } })
}

const declined = ({ id, failureCode: declineCode, failureMessage: hint }: Intent): ApiError =>
  apiError(declineCode === AMOUNT_MISMATCH.code ? PAYMENTS.PAYMENT_MISMATCH : PAYMENTS.CARD_DECLINED, {
    hint: hint ?? undefined,
    details: { paymentId: id, declineCode },
  })
