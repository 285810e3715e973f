import type { Db } from '#platform/kernel/db'
import { definePort } from '#platform/kernel/ports'

export const DIFFERENCE_KINDS = [
  'MISSING_HERE',
  'MISSING_AT_PROCESSOR',
  'AMOUNT_DIFFERS',
  'STATE_DIFFERS',
  'DUPLICATE',
  'EVENT_LOST',
  'EVENT_DUPLICATED',
  'EVENT_REORDERED',
  'EVENT_ALTERED',
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

/** One thing that the books and an outside list say differently, or an event about it that went wrong. */
export interface Difference {
  kind: DifferenceKind
  /** What it is about, such as `payment` or `dispute`. */
  subject: string
  /** Its id at the processor or on the chain. */
  externalId: string | null
  ourId: string | null
  /** What the outside list says. */
  expected: string | null
  /** What the books say. */
  actual: string | null
  /** What was done about it, or what an operator has to do. */
  note: string
  /** Whether an operator has to do something. */
  isOpen: boolean
}

export interface ReconciliationOrder {
  /** Business time, from `from` until before `to`. */
  from: Date
  to: Date
  /** Whether the rail may ask for what it has missed, and book it. */
  repair: boolean
}

export interface RailReport {
  /** Such as `card`. */
  rail: string
  /** How many movements and records were compared. */
  compared: number
  differences: readonly Difference[]
}

/** Compares the books with the list of one processor or chain, outside of any transaction. */
export const railReconciliation = definePort<ReconciliationOrder, RailReport, Db>(
  'reconciliation.rails',
  'collect',
)
