export { walletChecks } from './check.ts'
export { isChecksummed } from './addresses.ts'
export { onAccountCreated, onAccountDeleted, onOrganizationClosed, onOrganizationCreated, requireNoMoneyOf, sweepIfDeleted } from './follow.ts'
export { addressesOf } from './forget.ts'
export { walletsModule } from './module.ts'
export { Transaction, WalletRecord } from './schema.ts'
export { onApproved } from './transfer.ts'
export { assignApprovedUnclaimed } from './unclaimed.ts'
export type { OwnerType, Wallet, WalletType } from './sql.ts'
export { transactionOfJournal } from './statement.ts'
export { addReservation, walletView, type Reservations } from './view.ts'
export {
  chooseDebit, createWallet, creditAccount, defaultWallet, demandOwnWallet, demandReceivingWallet, demandWallet, lockToCredit, setWalletController, walletById, type NewWallet,
} from './wallet.ts'
