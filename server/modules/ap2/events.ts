import { defineEvent } from '#platform/kernel/events'
import type { Asset } from '#platform/kernel/money'

interface EscrowEvent {
  escrowId: string
  negotiationId: string
  sellerAgentId: string | null
  sellerAccountId: string
  buyerAgentId: string | null
  buyerAccountId: string
  asset: Asset
  test: boolean
  /** Both sides have one owner: counts for nothing. */
  selfDeal: boolean
  /** The deal of a run. */
  isRun: boolean
}

/** Money is held; `amount` gross in micro-units, `feeBps` what a release will cost the seller. */
export const escrowHeld = defineEvent<EscrowEvent & { amount: bigint; feeBps: number }>('escrow.held')

/**
 * `amount` gross leaves to the seller, `fee` of it to the platform; `release` counts them from 1. `verified` is false where
 * the buyer took it unverified: no commission then.
 */
export interface EscrowReleased extends EscrowEvent {
  amount: bigint
  fee: bigint
  release: number
  last: boolean
  verified: boolean
}
export const escrowReleased = defineEvent<EscrowReleased>('escrow.released')

/** The escrow holds nothing any more. */
export const escrowEnded = defineEvent<
  EscrowEvent & {
    status: 'RELEASED' | 'REFUNDED' | 'SPLIT'
    released: bigint
    refunded: bigint
    fees: bigint
  }
>('escrow.ended')

/**
 * The payment that funded an escrow was lost after `released` had left to the seller; `lost` of that is taken back. It `annuls`
 * the deal if more than a tenth of its amount is gone.
 */
export const escrowChargedBack = defineEvent<{
  escrowId: string
  negotiationId: string
  chargebackId: string
  lost: bigint
  released: bigint
  annuls: boolean
}>('escrow.charged_back')
