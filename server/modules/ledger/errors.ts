import { ApiError, errorTable, type ConstraintError } from '#platform/kernel/errors'
import { textOf } from '#platform/kernel/unknown'

export const LEDGER = errorTable({
  INSUFFICIENT_BALANCE: [
    400,
    'Insufficient balance',
    'Less money is available than the amount. GET /wallets/{id} shows what is available, POST /wallets/{id}/fund adds money',
  ],
  ACCOUNT_FROZEN: [409, 'Account frozen'],
  LEDGER_ACCOUNT_NOT_FOUND: [404, 'Ledger account not found'],
  JOURNAL_NOT_FOUND: [404, 'Journal not found'],
  POSTING_KEY_REUSED: [409, 'Posting key was used for other legs'],
})

/** What a violated rule of the database means to a caller. */
export const ledgerConstraints: Record<string, ConstraintError> = {
  ledger_balance_not_negative: LEDGER.INSUFFICIENT_BALANCE,
  // Between two journals that are written together.
  ledger_entry_balance_not_negative: LEDGER.INSUFFICIENT_BALANCE,
  ledger_balance_frozen: {
    ...LEDGER.ACCOUNT_FROZEN,
    hint: 'A bank disputes a card payment whose money this wallet, balance or plan has got: it cannot leave until the bank decides',
  },
}

/** True if a posting was refused because an account is frozen. The error comes from the database or is an ApiError already. */
export function isFrozen(error: unknown): boolean {
  if (error instanceof ApiError) return error.row.code === LEDGER.ACCOUNT_FROZEN.code
  return textOf(error, 'constraint') === 'ledger_balance_frozen'
}

/** True if a posting was refused because of the balance. The error comes from the database or is an ApiError already. */
export function isInsufficientBalance(error: unknown): boolean {
  if (error instanceof ApiError) return error.row.code === LEDGER.INSUFFICIENT_BALANCE.code
  return ledgerConstraints[textOf(error, 'constraint') ?? ''] === LEDGER.INSUFFICIENT_BALANCE
}
