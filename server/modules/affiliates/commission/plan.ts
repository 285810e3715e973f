import { share } from '#platform/kernel/money'

/** Base and level 2 together never take more of the platform's fee (api.md). */
export const MOST_BPS = 3500

/** What an EXPECTED commission has counted so far. */
export interface Counted {
  rateBps: number
  amount: bigint
  countedFees: bigint
  countedCommission: bigint
}

/**
 * What a release with `fee` brings, in micro-units. It rounds down on the sum of all fees, so that the parts of a deal add
 * up to the share of the whole.
 */
export function planEarning(
  { rateBps, amount, countedFees, countedCommission }: Counted,
  fee: bigint,
): Counted & { earned: bigint } {
  const fees = countedFees + fee
  const commission = share(fees, rateBps, 'floor')
  const earned = commission - countedCommission
  const left = amount > earned ? amount - earned : 0n
  return { rateBps, earned, amount: left, countedFees: fees, countedCommission: commission }
}

/** The part of a commission that a lost payment takes back: its share of the release, rounded up, at most what is left. */
export function planClawback(
  { amount, clawedBack }: { amount: bigint; clawedBack: bigint },
  { lost, released }: { lost: bigint; released: bigint },
): bigint {
  const part = (amount * lost + released - 1n) / released
  const left = amount - clawedBack
  return part < left ? part : left
}

export type Tier = 'SCOUT' | 'BUILDER' | 'CAPTAIN' | 'ARCHITECT'

/** From how many active referrals a tier begins, its rate, and its rate on what referrals of referrals sell (api.md). */
export const TIERS: readonly { tier: Tier; from: number; rateBps: number; level2Bps: number }[] = [
  { tier: 'ARCHITECT', from: 21, rateBps: 3500, level2Bps: 0 },
  { tier: 'CAPTAIN', from: 8, rateBps: 3000, level2Bps: 500 },
  { tier: 'BUILDER', from: 3, rateBps: 2500, level2Bps: 500 },
  { tier: 'SCOUT', from: 0, rateBps: 2000, level2Bps: 0 },
]

/** The tier of a number of active referrals, with its rates. */
export function tierOf(referrals: number): { tier: Tier; rateBps: number; level2Bps: number } {
  const found = TIERS.find(({ from }) => referrals >= from)
  if (!found) throw new Error(`no tier for ${referrals} referrals`)
  const { tier, rateBps, level2Bps } = found
  return { tier, rateBps, level2Bps }
}

/** The rates of a tier, for profiles whose rates no admin set. */
export function ratesOfTier(tier: Tier): { rateBps: number; level2Bps: number } {
  const found = TIERS.find(each => each.tier === tier)
  if (!found) throw new Error(`no tier ${tier}`)
  const { rateBps, level2Bps } = found
  return { rateBps, level2Bps }
}

/** The first moment of the month after `now`, in UTC. */
export const nextMonth = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
