import { defineEvent } from '#platform/kernel/events'
import type { Asset } from '#platform/kernel/money'

/** The card was declined, or nobody paid in time. */
export const paymentFailed = defineEvent<{
  paymentId: string
  purpose: string
  reference: string
  reason: string
}>('payment.failed')

/** The money of a payment arrived and was posted. */
export const paymentConfirmed = defineEvent<{ paymentId: string; purpose: string; reference: string }>(
  'payment.confirmed',
)

/** A wallet holds less than a lost chargeback takes from it. What has not left for good returns first: then less is owed. */
export const walletFellShort = defineEvent<{ walletId: string; asset: Asset }>('wallet.fell_short')
