import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { hotAddress } from './chain/keys.ts'
import { knownAddresses } from './watch/sql.ts'

/** Which of the addresses this module holds the keys of: those of deposits, and the one that pays the gas and payouts. */
export const heldByX402 =
  (services: Services) =>
  async (q: Queryable, { addresses }: { addresses: readonly string[] }): Promise<string[]> => {
    const hot = await hotAddress(services)
    const ofPayments = await q.rows(knownAddresses(addresses))
    return [
      ...addresses.filter(address => address === hot),
      ...ofPayments.filter(({ holder }) => holder !== 'PROVIDED').map(({ address }) => address),
    ]
  }
