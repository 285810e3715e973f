import type { Period } from '../search.ts'

const DAY_MS = 86_400_000

/** Length of a period and of the steps in which its charts show it, in days. */
const SHAPES: Record<Period, { days: number; step: number }> = {
  '7d': { days: 7, step: 1 },
  '30d': { days: 30, step: 3 },
  '90d': { days: 90, step: 9 },
}

export interface Range {
  from: string
  to: string
}

/** The period up to the end of today (UTC): the same text all day, so that answers are found again. */
export function rangeOf(period: Period, now = Date.now()): Range {
  const end = (Math.floor(now / DAY_MS) + 1) * DAY_MS
  return { from: iso(end - SHAPES[period].days * DAY_MS), to: iso(end) }
}

/** The steps of a period, the oldest first. */
export function stepsOf(period: Period, now = Date.now()): Range[] {
  const { days, step } = SHAPES[period]
  const begin = Date.parse(rangeOf(period, now).from)
  return Array.from({ length: days / step }, (_, at) => ({
    from: iso(begin + at * step * DAY_MS),
    to: iso(begin + (at + 1) * step * DAY_MS),
  }))
}

const iso = (time: number): string => new Date(time).toISOString()
