import { faultTable } from '#platform/fault'

export const PAYMENTS = faultTable({
  CARD_DECLINED: [400, 'Card declined'],
  CARD_AMOUNT: [400, 'Invalid amount'],
  CARD_CURRENCY: [400, 'Currency mismatch'],
  PAYMENT_MISMATCH: [400, 'Payment does not fit'],
  PAYMENT_EXPIRED: [400, 'Payment expired'],
  RAIL_UNAVAILABLE: [400, 'Payment rail not available'],
  SUSPENSE_NOT_FOUND: [404, 'Suspense item not found'],
  SUSPENSE_SETTLED: [409, 'Suspense item already settled'],
  SUSPENSE_NOT_POSTED: [409, 'Suspense item was not posted'],
  SIGNATURE_INVALID: [400, 'Invalid signature'],
  PROCESSOR_UNAVAILABLE: [503, 'Card processor unavailable'],
})
