import type { Asset } from '#platform/money'

interface EscrowFact {
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
}

declare module '#platform/reactions' {
  interface Facts {
    /** Money is held; `amount` gross in micro-units, `feeBps` what a release will cost the seller. */
    'escrow.held': EscrowFact & { amount: bigint; feeBps: number }
    /**
     * `amount` gross leaves to the seller, `fee` of it to the platform; `release` counts them from 1. `verified` is false where
     * the buyer took it unverified: no commission then. Followers may return legs for the same journal.
     */
    'escrow.released': EscrowFact & { amount: bigint; fee: bigint; release: number; last: boolean; verified: boolean }
    /** The escrow holds nothing any more. */
    'escrow.ended': EscrowFact & { status: 'RELEASED' | 'REFUNDED' | 'SPLIT'; released: bigint; refunded: bigint; fees: bigint }
  }
}
