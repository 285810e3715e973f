import { errorTable } from '#platform/kernel/errors'

export const PAYMENTS = errorTable({
  CARD_DECLINED: [400, 'Card declined'],
  CARD_AMOUNT: [400, 'Invalid amount'],
  CARD_CURRENCY: [400, 'Currency mismatch'],
  PAYMENT_MISMATCH: [400, 'Payment amount does not match'],
  PAYMENT_EXPIRED: [400, 'Payment expired'],
  PAYMENT_NOT_FOUND: [404, 'Payment not found'],
  PROCESSING_FAILED: [500, 'Payment processing failed'],
  NOT_PAID_BY_CARD: [409, 'Escrow was not paid by card'],
  TRANSFER_NOT_FOUND: [404, 'Transfer not found'],
  RAIL_UNAVAILABLE: [400, 'Payment rail not available'],
  SUSPENSE_NOT_FOUND: [404, 'Suspense item not found'],
  SUSPENSE_SETTLED: [409, 'Suspense item already settled'],
  SUSPENSE_NOT_POSTED: [409, 'Suspense item was not posted'],
  CHARGEBACK_NOT_FOUND: [404, 'Chargeback not found'],
  EVIDENCE_SUBMITTED: [409, 'Evidence cannot be submitted'],
  NOTHING_OWED: [409, 'Nothing is owed'],
  SIGNATURE_INVALID: [400, 'Invalid signature'],
  PROCESSOR_UNAVAILABLE: [503, 'Card processor unavailable'],
})
