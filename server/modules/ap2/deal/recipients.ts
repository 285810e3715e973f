import { accountById, type Account } from '#identity'
import type { Queryable } from '#platform/kernel/db'
import type { Deal } from './deal.ts'
import type { Side } from './rows.ts'

/** People with an address who speak for a party: its account, or those who run its organization; each once. */
export async function recipients(
  q: Queryable,
  { negotiation, staff }: Deal,
  sides: readonly Side[] = ['buyer', 'seller'],
): Promise<[Account, Side][]> {
  const peopleOf = (side: Side) => {
    const organizationId = negotiation[`${side}OrganizationId`]
    return organizationId ? [...(staff.get(organizationId) ?? [])] : [negotiation[`${side}AccountId`]]
  }
  const found = new Map<string, [Account, Side]>()
  for (const side of sides) {
    for (const id of peopleOf(side)) {
      const account = await accountById(q, id)
      const reachable = account?.userType === 'HUMAN' && account.status === 'ACTIVE' && account.email
      if (account && reachable && !found.has(id)) found.set(id, [account, side])
    }
  }
  return [...found.values()]
}
