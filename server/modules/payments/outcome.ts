import { after, MINUTE } from '#platform/clock'
import type { Tx } from '#platform/db'
import type { JobDefinition } from '#platform/jobs'
import { NoAnswer, type Outcome } from '#platform/processor/processor'
import type { Services } from '#platform/services'
import { part } from '#platform/sql'
import type { Timer } from '#platform/timers'
import { COMPLAINTS, confirm, end, EXPIRED, MISFIT, type Booked, type Ending } from './booking.ts'
import { answered, processorOf } from './processor.ts'
import * as statements from './sql.ts'
import type { Intent } from './sql.ts'

const ASK_JOB = 'payments.ask-outcome'

export const paymentTimers = ({ jobs }: Services): Timer[] => [
  {
    name: 'hosted page expiry', table: 'payments_intent', column: 'expires_at',
    where: part`status = 'PENDING' and rail = 'checkout'`,
    async act(tx, id) {
      const intent = await tx.one(statements.lockIntent(id))
      // Still asked about, until the processor says that nobody paid.
      if (intent.status === 'PENDING') await end(tx, intent, { ...EXPIRED, event: 'expire', by: 'timer', askAt: intent.ask_at })
    },
  },
  {
    name: 'payment without an outcome', table: 'payments_intent', column: 'ask_at',
    where: part`ask_at is not null`,
    async act(tx, id) {
      const intent = await tx.one(statements.lockIntent(id))
      if (!intent.ask_at || intent.ask_at > tx.now) return
      await tx.run(statements.postponeAsk(id, nextAsk(intent, tx.now)))
      await jobs.enqueue(tx, ASK_JOB, { paymentId: id })
    },
  },
]

// After 1, 2, 4, ... minutes until the processor answers, and once when the time to pay ends.
function nextAsk({ asks, expires_at: expiresAt }: Intent, now: Date): Date {
  const next = after(now, MINUTE * 2 ** Math.min(asks, 10))
  return now < expiresAt && expiresAt < next ? expiresAt : next
}

export const paymentJobs = (services: Services): JobDefinition[] => [
  { name: ASK_JOB, handle: async ({ paymentId }) => { await askOutcome(services, String(paymentId)) } },
]

/** Asks the processor what became of a payment whose notification is missing, and books or ends the payment. */
async function askOutcome(services: Services, paymentId: string): Promise<void> {
  const { db, log } = services
  const intent = await db.maybe(statements.intentById(paymentId))
  if (!intent?.ask_at) return
  const outcome = await answered(processorOf(services).outcomeOf(paymentId)).catch((err: unknown) => {
    if (!(err instanceof NoAnswer)) throw err
    log.warn({ err, payment: paymentId, asks: intent.asks }, 'processor: no answer about a payment, it will be asked again')
  })
  if (!outcome) return
  const result = await db.transaction(tx => settle(tx, intent, outcome))
  const complaint = result && COMPLAINTS[result]
  if (complaint) log.error({ payment: paymentId }, `processor: ${complaint}`)
}

async function settle(tx: Tx, { id, ask_at: askAt }: Intent, outcome: Outcome): Promise<Booked | undefined> {
  const intent = await tx.one(statements.lockIntent(id))
  if (!intent.ask_at) return undefined
  if (outcome.state === 'none') {
    // Until it expires the request may be sent again, and one that was sent meanwhile has moved the time of asking.
    const isUnderWay = intent.ask_at.getTime() !== askAt?.getTime()
    if (!isUnderWay && intent.expires_at <= tx.now) await stopAsking(tx, intent, { ...EXPIRED, event: 'expire', by: 'timer' })
    return undefined
  }
  const booked = outcome.state === 'paid' ? await confirm(tx, intent, outcome.paid) : undefined
  const { code, message } = outcome.state === 'paid' ? MISFIT : outcome
  if (booked !== 'booked') await stopAsking(tx, intent, { event: 'fail', by: 'processor', code, message })
  return booked
}

/** Ends a payment that waits for its outcome; one that has ended is not asked about any more. */
async function stopAsking(tx: Tx, intent: Intent, how: Ending): Promise<void> {
  if (intent.status === 'PENDING') await end(tx, intent, how)
  else await tx.run(statements.stopAsking(intent.id))
}
