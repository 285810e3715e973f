import type { Queryable } from '#platform/kernel/db'
import { definePort } from '#platform/kernel/ports'

/** What waits for an operator. Each kind is counted by the module that owns it. */
export const OPEN_WORK = [
  'agentReviews',
  'approvals',
  'disputes',
  'frozenEscrows',
  'suspense',
  'chargebacks',
  'transfers',
  'unclaimed',
  'payouts',
  'affiliateReviews',
  'fraudHolds',
  'differences',
] as const
export type OpenWork = (typeof OPEN_WORK)[number]

/** How many items of one kind wait. */
export const openWork = definePort<null, number, OpenWork, Queryable>(
  'overview.open-work',
  'by-key',
  OPEN_WORK,
)

/** Figures by day: deals and sign-ups are counts, volume and fees micro-units of a dollar. */
export type Figure = 'deals' | 'volume' | 'fees' | 'signUps'
export interface DayFigure {
  /** UTC, `2026-01-12`. */
  day: string
  figure: Figure
  value: bigint
}

/** Each contribution has the days since `from` on which something happened. */
export const dayFigures = definePort<{ from: Date }, DayFigure[], Queryable>(
  'overview.day-figures',
  'collect',
)
