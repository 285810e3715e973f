import { SECOND } from '#platform/kernel/clock'

/** Times of leases and flushes in milliseconds. */
export interface Timing {
  /** How long a lease lasts after its last renewal. */
  leaseMs: number
  /** An instance reserves nothing on a lease with less left than this. */
  marginMs: number
  /** A lease, or a block of a budget, without use for this long is returned. */
  idleMs: number
  /** Longest wait of a usage row for its flush. */
  flushMs: number
  /** How many usage rows are flushed at once without a wait. */
  flushRows: number
  /** Longest wait for what other instances return. */
  recallMs: number
  /** How often leases are renewed and returned. */
  tidyMs: number
  /** How often expired leases are closed. */
  sweepMs: number
  /** Longest wait for the database at the stop. */
  stopMs: number
}

export const TIMING: Timing = {
  leaseMs: 30 * SECOND,
  marginMs: 5 * SECOND,
  idleMs: 10 * SECOND,
  flushMs: 250,
  flushRows: 1000,
  recallMs: 200,
  tidyMs: SECOND,
  sweepMs: 5 * SECOND,
  stopMs: 10 * SECOND,
}
