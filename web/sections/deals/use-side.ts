import { useMe } from '../../api/me.ts'
import { useOrganizations } from '../../api/organizations.ts'
import type { Deal, Side } from './deal-state.ts'

/** The side of the person: of the buyer, or of an organization that buys, else of the seller. Undefined until it is known. */
export function useSideOf(deals: readonly Deal[]): (deal: Deal) => Side | undefined {
  const me = useMe()
  const { data } = useOrganizations(deals.some(({ buyerOrganizationId }) => Boolean(buyerOrganizationId)))
  return ({ buyerId, buyerOrganizationId }) => {
    if (!me) return undefined
    if (!buyerOrganizationId) return buyerId === me.id ? 'buyer' : 'seller'
    if (!data) return undefined
    return data.items.some(({ id }) => id === buyerOrganizationId) ? 'buyer' : 'seller'
  }
}

export function useSide(deal: Deal | undefined): Side | undefined {
  const sideOf = useSideOf(deal ? [deal] : [])
  return deal && sideOf(deal)
}
