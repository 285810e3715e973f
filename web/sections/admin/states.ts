/** States that lists of operators filter by, in the order of the API. */
export const USER_STATES = ['ACTIVE', 'SUSPENDED', 'DELETED'] as const
export const ROLES = ['USER', 'ADMIN'] as const
export const AGENT_STATES = [
  'PENDING_REVIEW',
  'ACTIVE',
  'PAUSED',
  'REJECTED',
  'SUSPENDED',
  'DRAFT',
  'ARCHIVED',
] as const
export const ESCROW_STATES = [
  'DISPUTED',
  'FROZEN',
  'PENDING_FUNDING',
  'HELD',
  'RELEASED',
  'REFUNDED',
  'SPLIT',
  'CANCELLED',
] as const
export const APPROVAL_STATES = ['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'] as const
export const PAYOUT_STATES = [
  'REVIEW',
  'REQUESTED',
  'PENDING',
  'IN_TRANSIT',
  'PAID',
  'RETURNED',
  'FAILED',
  'CANCELED',
] as const
export const CHARGEBACK_STATES = ['NEEDS_RESPONSE', 'UNDER_REVIEW', 'WON', 'LOST'] as const
export const AFFILIATE_STATES = ['PENDING', 'ACTIVE', 'REJECTED', 'SUSPENDED'] as const
export const COMMISSION_STATES = [
  'FRAUD_HOLD',
  'EXPECTED',
  'PENDING',
  'AVAILABLE',
  'PAID',
  'CANCELLED',
  'CLAWED_BACK',
] as const
