import { COMMON, apiError, errorTable, type ApiError, type ErrorRow } from '#platform/kernel/errors'

export const AP2 = errorTable({
  NEGOTIATION_NOT_FOUND: [400, 'Negotiation not found'],
  ESCROW_NOT_FOUND: [404, 'Escrow not found'],
  TERMS_NOT_FOUND: [404, 'Terms not found'],
  DELIVERY_NOT_FOUND: [404, 'Delivery not found'],
  MILESTONE_NOT_FOUND: [400, 'Milestone not found'],
  INSUFFICIENT_TRUST_TIER: [400, 'Insufficient trust tier'],
  PRICE_ABOVE_BUDGET: [400, 'Price above the budget'],
  PRICE_CHANGED: [409, 'The price has changed'],
  ROUND_STALE: [409, 'The round has changed'],
  ROUNDS_EXHAUSTED: [409, 'Too many rounds'],
  NOT_YOUR_TURN: [409, 'Not your turn'],
  FEE_CHANGED: [409, 'The fee has changed'],
  HELD_CHANGED: [409, 'The held amount has changed'],
  ESCROW_RELEASED: [409, 'Escrow already released'],
  ESCROW_FROZEN: [409, 'Escrow frozen'],
  ESCROW_NOT_VERIFIED: [409, 'Escrow not verified'],
  RELEASES_EXHAUSTED: [409, 'Too many releases'],
  ESCROW_EXISTS: [409, 'Escrow already exists'],
  CHANGES_EXHAUSTED: [409, 'Too many changes requested'],
  DISPUTE_ANSWERED: [409, 'Dispute already answered'],
  WITHDRAWALS_EXHAUSTED: [409, 'Dispute cannot be withdrawn again'],
  VERIFICATION_FAILED: [400, 'Verification failed'],
  DELIVERY_UNDER_WAY: [409, 'Cannot deliver while VERIFYING'],
  ATTEMPTS_EXHAUSTED: [409, 'Too many deliveries'],
  TRANSFER_OF_OTHER: [409, 'Transfer pays another seller'],
  DEAL_CHARGED_BACK: [409, 'Payment was charged back'],
  LIVE_ESCROW: [409, 'Agent has live escrows'],
})

export const ap2Constraints: Record<string, ErrorRow> = {
  ap2_escrow_one_per_negotiation: AP2.ESCROW_EXISTS,
  ap2_delivery_one_under_way: AP2.DELIVERY_UNDER_WAY,
}

/** 409 `Cannot <action> while <STATUS>`: a move that the state does not allow. */
export const cannot = (action: string, status: string, hint?: string): ApiError =>
  apiError(
    { ...COMMON.STATE_CONFLICT, message: `Cannot ${action} while ${status}` },
    { hint, details: { status } },
  )

/** 409 for an escrow whose money is not HELD, with what has to happen first. */
export const notHeld = (action: string, { status, fundBy }: AwaitedEscrow): ApiError =>
  cannot(
    action,
    status,
    status === 'PENDING_FUNDING' && fundBy
      ? `The payment is awaited until ${fundBy.toISOString()}. The deal goes on when it has arrived. POST /payments/ap2/initiate with another rail pays in another way, POST /ap2/cancel ends the deal`
      : HINTS_HELD[status],
  )

interface AwaitedEscrow {
  status: string
  fundBy: Date | null
}

const HINTS_HELD: Record<string, string> = {
  DISPUTED:
    'The dispute has to end first. Its opener can withdraw it: POST /payments/escrow/{id}/dispute/withdraw',
}
