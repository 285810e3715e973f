import { after, MINUTE } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import { NoAnswer, type Outcome } from '../processors/port.ts'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { Timer } from '#platform/kernel/background/timers'
import {
  OPERATOR_ALERTS,
  confirm,
  end,
  EXPIRED,
  AMOUNT_MISMATCH,
  type Booked,
  type Ending,
} from './booking.ts'
import { askOutcome } from '../processor.ts'
import { CLOSE_PAGE_JOB, closePage } from './page.ts'
import * as statements from '../sql.ts'
import type { Intent } from '../sql.ts'

const ASK_JOB = 'payments.ask-outcome'
const TIMED_OUT = { ...EXPIRED, event: 'expire', by: 'timer' } as const

export const paymentTimers = ({ jobs }: Services): Timer[] => [
  {
    name: 'hosted page expiry',
    table: 'payments_intent',
    column: 'expires_at',
    where: part`status = 'PENDING' and rail = 'checkout'`,
    async run(tx, id) {
      const intent = await tx.one(statements.lockIntent(id))
      // Still asked about, until the processor says that nobody paid.
      if (intent.status !== 'PENDING' || intent.expiresAt > tx.now) return
      await end(tx, intent, { ...TIMED_OUT, askAt: intent.askAt })
      await jobs.enqueue(tx, CLOSE_PAGE_JOB, { paymentId: id })
    },
  },
  {
    name: 'payment without an outcome',
    table: 'payments_intent',
    column: 'ask_at',
    where: part`ask_at is not null`,
    async run(tx, id) {
      const intent = await tx.one(statements.lockIntent(id))
      if (!intent.askAt || intent.askAt > tx.now) return
      await tx.run(statements.postponeAsk(id, nextAsk(intent, tx.now)))
      await jobs.enqueue(tx, ASK_JOB, { paymentId: id })
    },
  },
]

// After 1, 2, 4, ... minutes until the processor answers, and once when the time to pay ends.
function nextAsk({ asks, expiresAt }: Intent, now: Date): Date {
  const next = after(now, MINUTE * 2 ** Math.min(asks, 10))
  return now < expiresAt && expiresAt < next ? expiresAt : next
}

export const paymentJobs = (services: Services): JobDefinition[] => [
  {
    name: ASK_JOB,
    handle: async ({ paymentId }) => {
      await refreshPayment(services, String(paymentId))
    },
  },
  {
    name: CLOSE_PAGE_JOB,
    handle: async ({ paymentId }) => {
      report(services, String(paymentId), await closePage(services, String(paymentId)))
    },
  },
]

/**
 * Asks the processor what became of a payment that waits for its outcome, and books or ends the payment. Without an
 * answer nothing changes.
 */
export async function refreshPayment(services: Services, paymentId: string): Promise<void> {
  const { db, log, jobs } = services
  const intent = await db.maybe(statements.intentById(paymentId))
  if (!intent?.askAt) return
  // By its id at the processor where that is known: Stripe's search does not know a payment of this minute.
  const outcome = await askOutcome(services, paymentId, intent.processorId ?? undefined).catch(
    (err: unknown) => {
      if (!(err instanceof NoAnswer)) throw err
      log.warn(
        { err, payment: paymentId, asks: intent.asks },
        'processor: no answer about a payment, it will be asked again',
      )
    },
  )
  if (!outcome) return
  report(services, paymentId, await db.transaction(tx => settle(tx, jobs, intent, outcome)))
}

function report({ log }: Services, paymentId: string, booked: Booked | null): void {
  const alert = booked && OPERATOR_ALERTS[booked]
  if (alert) log.error({ payment: paymentId }, `processor: ${alert}`)
}

async function settle(
  tx: Tx,
  jobs: Services['jobs'],
  { id, askAt }: Intent,
  outcome: Outcome,
): Promise<Booked | null> {
  const intent = await tx.one(statements.lockIntent(id))
  if (!intent.askAt) return null
  if (outcome.state === 'none') {
    // Until it expires the request may be sent again, and one that was sent meanwhile has moved the time of asking.
    const isUnderWay = intent.askAt.getTime() !== askAt?.getTime()
    if (isUnderWay || intent.expiresAt > tx.now) return null
    // The answer may come before the timer of the expiry, which then finds nothing to do: the page is closed here too.
    if (intent.status === 'PENDING' && intent.rail === 'checkout')
      await jobs.enqueue(tx, CLOSE_PAGE_JOB, { paymentId: id })
    await stopAsking(tx, intent, TIMED_OUT)
    return null
  }
  const booked = outcome.state === 'paid' ? await confirm(tx, intent, outcome.paid) : null
  const { code, message } = outcome.state === 'paid' ? AMOUNT_MISMATCH : outcome
  if (booked !== 'booked') await stopAsking(tx, intent, { event: 'fail', by: 'processor', code, message })
  return booked
}

/** Ends a payment that waits for its outcome; one that has ended is not asked about any more. */
async function stopAsking(tx: Tx, intent: Intent, how: Ending): Promise<void> {
  if (intent.status === 'PENDING') await end(tx, intent, how)
  else await tx.run(statements.stopAsking(intent.id))
}
