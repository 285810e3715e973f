import { SECOND } from '../clock.ts'

/** How long a request has its key to itself. */
export interface LeaseTimes {
  /** Longer than the command can run: after it the request counts as cut off, although its process lives. */
  longestMs: number
  /** For how long the lease outlives the process: 10 s by default. */
  leaseMs?: number
}

const DEFAULT_MS = 10 * SECOND

/** Until when the lease of a command lasts that began at `begun` and still runs at `now`. */
export const endOfLease = ({ longestMs, leaseMs = DEFAULT_MS }: LeaseTimes, now: Date, begun = now): Date =>
  new Date(Math.min(now.getTime() + leaseMs, begun.getTime() + longestMs))

/** How often a lease is renewed: one that fails is made up for before the lease ends. */
export const renewalMs = ({ leaseMs = DEFAULT_MS }: { leaseMs?: number }): number => leaseMs / 4

/** Runs `work`, and `renew` each `everyMs` as long as it runs. */
export async function renewing<T>(
  { everyMs, renew }: { everyMs: number; renew(): Promise<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => {
    renew().catch(() => undefined)
  }, everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
