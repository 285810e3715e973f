import type { Agent } from '#agents'

export type TrustTier = Agent['trustTier']

const TIERS: readonly TrustTier[] = ['UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED']

/** 3 completions: BASIC; 10 and a claim: VERIFIED. A tier once reached stays; TRUSTED is a reviewer's word alone. */
export function tierOf(agent: Pick<Agent, 'trustTier' | 'claimedById'>, completions: number): TrustTier {
  const earned =
    completions >= 10 && agent.claimedById ? 'VERIFIED' : completions >= 3 ? 'BASIC' : 'UNVERIFIED'
  return TIERS.indexOf(earned) > TIERS.indexOf(agent.trustTier) ? earned : agent.trustTier
}
