import { defineEvent } from '#platform/kernel/events'

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
