import { escrowChecks } from '#ap2'
import type { LedgerCheck } from '#ledger'
import { paymentChecks } from '#payments'
import { walletChecks } from '#wallets'

/** Rules of upper modules that the ledger check applies too: in the service every ten minutes, and in `svc ledger check`. */
export const ledgerChecks: readonly LedgerCheck[] = [...walletChecks, ...paymentChecks, ...escrowChecks]
