import { after, DAY } from '#platform/kernel/clock'

export interface Period {
  start: Date
  end: Date
}

/** The moment `months` calendar months after `anchor`, in UTC; a day that the month lacks becomes its last day. */
export function monthsAfter(anchor: Date, months: number): Date {
  const moment = new Date(anchor)
  moment.setUTCDate(1)
  moment.setUTCMonth(anchor.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate()
  moment.setUTCDate(Math.min(anchor.getUTCDate(), lastDay))
  return moment
}

/** The days of a period; calendar months in UTC consist of whole days. */
export const daysOf = ({ start, end }: Period): number => (end.getTime() - start.getTime()) / DAY

/** How many days of a period are over at `now`; with `started` the day that is under way counts. */
export function daysPassed(period: Period, now: Date, { started = false } = {}): number {
  const passed = (now.getTime() - period.start.getTime()) / DAY
  const days = started ? Math.floor(passed) + 1 : Math.floor(passed)
  return Math.min(Math.max(days, 0), daysOf(period))
}

/** What is earned of an amount after `days`: rounded on the sum of all days, so that the days add up to the amount. */
export const earnedAfter = (amount: bigint, period: Period, days: number): bigint =>
  (amount * BigInt(days)) / BigInt(daysOf(period))

/** When the day after `days` days is over; null at the end of the period. */
export const nextDayEnd = (period: Period, days: number): Date | null =>
  days < daysOf(period) ? after(period.start, (days + 1) * DAY) : null
