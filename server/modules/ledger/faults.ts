import { Fault, faultTable, type FaultRow } from '#platform/fault'

export const LEDGER = faultTable({
  INSUFFICIENT_BALANCE: [400, 'Insufficient balance'],
  ACCOUNT_FROZEN: [409, 'Account frozen'],
  POSTING_KEY_REUSED: [409, 'Posting key was used for other legs'],
})

/** What a violated rule of the database means to a caller. */
export const ledgerConstraints: Record<string, FaultRow> = {
  ledger_balance_not_negative: LEDGER.INSUFFICIENT_BALANCE,
  ledger_balance_frozen: LEDGER.ACCOUNT_FROZEN,
}

/** Whether a refused posting was refused for want of money; the error comes from the database or is a fault already. */
export function isInsufficientBalance(error: unknown): boolean {
  if (error instanceof Fault) return error.row.code === LEDGER.INSUFFICIENT_BALANCE.code
  return error instanceof Error && (error as { constraint?: string }).constraint === 'ledger_balance_not_negative'
}
