import type { AgentSummary } from '#agents'
import { apiError } from '#platform/kernel/errors'
import { formatMoney, MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { sealSecret } from '../criteria/checker.ts'
import { AP2 } from '../errors.ts'

/** The operator's rules that deals are held to. `tierLimit` in micro-units. */
export interface Rules {
  tierLimit: bigint
  /** Seals the secret of a checker. */
  seal: (secret: string) => string
}

export const rulesOf = (services: Services): Rules => ({
  tierLimit: BigInt(services.config.BASIC_TIER_LIMIT_USD) * MICRO,
  seal: sealSecret(services),
})

/** 400 `Insufficient trust tier` where a seller without a tier would sell above the operator's limit. */
export function requireTier(
  { tierLimit }: Pick<Rules, 'tierLimit'>,
  seller: AgentSummary | null,
  price: bigint,
): void {
  // A person has no tier and could never earn one: the rule is about agents.
  if (!seller || price <= tierLimit || seller.trustTier !== 'UNVERIFIED') return
  throw apiError(AP2.INSUFFICIENT_TRUST_TIER, {
    hint: `Above ${formatMoney(tierLimit)} the seller needs tier BASIC, which requires 3 completed deals`,
    details: { tier: seller.trustTier, limit: formatMoney(tierLimit) },
  })
}
