import type { Agent } from '#agents'
import { fault } from '#platform/fault'
import { formatMoney } from '#platform/money'
import { AP2 } from './faults.ts'

/** The operator's rules that deals are held to. `tierLimit` in micro-units. */
export interface Rules { tierLimit: bigint }

/** 400 `Insufficient trust tier` where a seller without a tier would sell above the operator's limit. */
export function demandTier({ tierLimit }: Rules, seller: Agent | null, price: bigint): void {
  // A person has no tier and could never earn one: the rule is about agents.
  if (!seller || price <= tierLimit || seller.trustTier !== 'UNVERIFIED') return
  throw fault(AP2.INSUFFICIENT_TRUST_TIER, {
    hint: `Above ${formatMoney(tierLimit)} the seller needs tier BASIC, which requires 3 completed deals`,
    details: { tier: seller.trustTier, limit: formatMoney(tierLimit) },
  })
}
