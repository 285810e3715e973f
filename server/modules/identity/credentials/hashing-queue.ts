import { availableParallelism } from 'node:os'
import { SECOND } from '#platform/kernel/clock'
import { FairQueue } from '#platform/kernel/collections/fair-queue'
import { networkOf } from '#platform/http/limits/limits'

/** For whom a password is hashed. */
export interface HashingSubject {
  /** The address that asks; absent where the service itself asks. */
  ip?: string
  /** The account by its id, or by what the caller says that it is. */
  account: string
}

// A hash fills a core: a storm of sign-ins waits here, while other operations go on.
const PLACES = Math.max(2, Math.min(3, availableParallelism() - 1))
/** A caller who has waited that long is refused with 503; a client would have given up. */
const WAIT_MS = 15 * SECOND

// Of the process and not of a service: what they share out is the cores.
const shared = new FairQueue({ places: PLACES, perKey: PLACES, waiting: 1000, waitMs: WAIT_MS })
const byAddress = new Map<string, FairQueue>()

const queueOf = (address: string): FairQueue => {
  const known =
    byAddress.get(address) ??
    new FairQueue({ places: PLACES, perKey: 1, waiting: 400, waitingPerKey: 250, waitMs: WAIT_MS })
  byAddress.set(address, known)
  return known
}

/**
 * Runs a task that hashes a password when it is its turn; 503 with `Retry-After` when too many wait. Places are shared
 * fairly between addresses, and the places of an address between the accounts that it asks for: no account delays the
 * sign-in of another one by more than a few hashes.
 */
export async function inHashingSlot<T>({ ip, account }: HashingSubject, task: () => Promise<T>): Promise<T> {
  const address = ip === undefined ? account : networkOf(ip)
  const queue = queueOf(address)
  try {
    return await queue.run(account, () => shared.run(address, task))
  } finally {
    if (queue.size === 0) byAddress.delete(address)
  }
}
