import { PLANS } from '#subscriptions'
import { share } from '#platform/kernel/money'

/** Marketplace fee in basis points, taken from the seller; fixed when the money is held. */
export const FEE_BPS = { FREE: PLANS.FREE.feeBps, PRO: PLANS.PRO.feeBps } as const

export interface FeeState {
  /** What was released so far, gross, in micro-units. */
  released: bigint
  /** The fees of those releases. */
  fees: bigint
  feeBps: number
}

/** The fee of releasing `amount` more: rounded on the sum of all releases, so that the parts add up to the whole. */
export const feeOfRelease = ({ released, fees, feeBps }: FeeState, amount: bigint): bigint =>
  share(released + amount, feeBps, 'floor') - fees
