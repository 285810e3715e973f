import { escrowChecks } from '#ap2'
import type { LedgerCheck } from '#ledger'

/** Rules of upper modules that the check of the books asks too: in the service every ten minutes, and in `svc ledger check`. */
export const ledgerChecks: readonly LedgerCheck[] = [...escrowChecks]
