export { accounts } from './accounts.ts'
export * as ledgerErrors from './errors.ts'
export { checkLedger } from './check.ts'
export {
  freezeAccount,
  lockBalances,
  lockBalancesAmong,
  openAccounts,
  post,
  unfreezeAccount,
  writeJournal,
  writeJournals,
  type Journal,
} from './ledger.ts'
export * as ledgerOwners from './owners.ts'
export { sealLedger, verifyLedgerChain } from './sealing.ts'
export { balanceOf, balancesOf, entriesOf, entriesOfJournal, journalsOf } from './statement.ts'
