import { after, DAY } from '#platform/kernel/clock'
import { isCharging } from './payment.ts'
import type { Invoice, Subscription } from './sql.ts'

/** When an unpaid renewal is tried again, in days after the end of the period. The last one ends the grace period. */
const RETRY_DAYS = [1, 3, 5] as const

/**
 * When a renewal of the month from `start` is tried again that has failed `failures` times before; undefined after the last
 * time. After an outage that day may be over: the owner then has the days between two retries from now on.
 */
export function nextRetry(start: Date, failures: number, now: Date): Date | undefined {
  const days = RETRY_DAYS[failures]
  if (days === undefined) return undefined
  const at = after(start, days * DAY)
  return at > now ? at : after(now, (days - (RETRY_DAYS[failures - 1] ?? 0)) * DAY)
}

/** When the plan ends unless its renewal is paid. Null outside of the grace period. */
export function graceEnd(
  { status, periodEnd, dueAt, failures }: Subscription,
  renewal: Invoice | undefined,
): Date | null {
  if (status !== 'PAST_DUE' || !periodEnd || !dueAt || !renewal) return null
  // A charge of the stored card is followed for a day.
  const isTrying = isCharging(renewal) && renewal.attemptedBy === 'timer'
  let end = isTrying ? after(dueAt, -DAY) : dueAt
  for (let failed = failures; ; failed++) {
    const next = nextRetry(periodEnd, failed, end)
    if (!next) return end
    end = next
  }
}
