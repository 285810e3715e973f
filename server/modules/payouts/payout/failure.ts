import type { Payout } from './sql.ts'

/** What a bank or its processor says of a payout that failed or came back: the codes of Stripe, in capitals. */
const OF_BANK = [
  'ACCOUNT_CLOSED',
  'ACCOUNT_FROZEN',
  'BANK_ACCOUNT_RESTRICTED',
  'BANK_OWNERSHIP_CHANGED',
  'COULD_NOT_PROCESS',
  'DEBIT_NOT_AUTHORIZED',
  'DECLINED',
  'INCORRECT_ACCOUNT_HOLDER_ADDRESS',
  'INCORRECT_ACCOUNT_HOLDER_NAME',
  'INCORRECT_ACCOUNT_HOLDER_TAX_ID',
  'INSUFFICIENT_FUNDS',
  'INVALID_ACCOUNT_NUMBER',
  'INVALID_CURRENCY',
  'NO_ACCOUNT',
  'UNSUPPORTED_CARD',
] as const

export const FAILURE_CODES = [
  ...OF_BANK,
  'REFUSED',
  'NOT_SENT',
  'WALLET_FROZEN',
  'REVIEW_REJECTED',
  'REVIEW_EXPIRED',
  'AGENT_CLAIMED',
  'CHARGED_BACK',
  'OTHER',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** By the code that is stored, which is that of the rail or of this module. */
const CODES = new Map<string, FailureCode>([
  ...OF_BANK.map(code => [code.toLowerCase(), code] as const),
  ['balance_insufficient', 'INSUFFICIENT_FUNDS'],
  ['payout_refused', 'REFUSED'],
  ['payouts_not_allowed', 'REFUSED'],
  ['processor_refused', 'REFUSED'],
  ['processor_object_not_found', 'REFUSED'],
  ['processor_state_conflict', 'REFUSED'],
  ['refused', 'REFUSED'],
  ['not_sent', 'NOT_SENT'],
  ['wallet_frozen', 'WALLET_FROZEN'],
  ['rejected', 'REVIEW_REJECTED'],
  ['agent_claimed', 'AGENT_CLAIMED'],
  ['charged_back', 'CHARGED_BACK'],
])

/** Null for a payout that did not fail, and for one that its owner canceled. */
export function failureCodeOf({
  status,
  failureCode,
  failureMessage,
}: Pick<Payout, 'status' | 'failureCode' | 'failureMessage'>): FailureCode | null {
  // A review that nobody made in time, and a transfer on the chain that was not sent in time.
  if (failureCode === 'expired') return status === 'CANCELED' ? 'REVIEW_EXPIRED' : 'NOT_SENT'
  if (failureCode !== null) return CODES.get(failureCode) ?? 'OTHER'
  return status === 'FAILED' || status === 'RETURNED' || failureMessage !== null ? 'OTHER' : null
}
