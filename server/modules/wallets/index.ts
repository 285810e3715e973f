export * as cryptoWallets from './crypto.ts'
export { WALLETS } from './errors.ts'
export * as walletErasure from './close.ts'
export { sweepIfDeleted } from './close.ts'
export { Transaction, WalletRecord } from './schema.ts'
export { lockPayment } from './payment.ts'
export type { Wallet } from './sql.ts'
export * as walletHistory from './history.ts'
export * as walletPorts from './ports.ts'
export {
  subAccounts,
  createWallet,
  creditAccount,
  debitAccountOf,
  requireOwnWallet,
  requireReceivingWallet,
  requireWallet,
  lockToCredit,
  setWalletController,
} from './wallet.ts'
