import type { Asset } from '#platform/money'

declare module '#platform/reactions' {
  interface Facts {
    /** Money for something else than a wallet has arrived; the followers' legs take it from the processor's account. */
    'payment.confirmed': { paymentId: string; purpose: string; reference: string; amount: bigint; asset: Asset; test: false }
    /** The card was refused, or nobody paid in time. */
    'payment.failed': { paymentId: string; purpose: string; reference: string; reason: string }
  }
}

/** The one purpose that payments itself books; its reference is the wallet's id. */
export const WALLET_FUNDING = 'WALLET_FUNDING'
