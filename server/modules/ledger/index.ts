export { accounts, chart, chartOf, isGuarded, type AccountKind, type ChartRow } from './accounts.ts'
export { checkLedger, type LedgerFigures, type LedgerReport } from './check.ts'
export type { LedgerCheck, Scope } from './rules.ts'
export { isInsufficientBalance, LEDGER, ledgerConstraints } from './faults.ts'
export { freezeAccount, lockBalance, lockBalances, openAccounts, post, unfreezeAccount, type Journal } from './ledger.ts'
export { forgetMemosBy, forgetMemosNaming } from './forget.ts'
export { ledgerModule } from './module.ts'
export type { Posting } from './posting.ts'
export { ledgerHead, sealLedger, verifyLedgerChain } from './sealing.ts'
export {
  balanceOf, balancesOf, entriesOf, entriesOfJournal, freezesOf, journalsOf, referencedSums, trialBalance, type Entry, type PostedLeg, type TrialRow,
} from './statement.ts'
