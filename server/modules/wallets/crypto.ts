export { isChecksummed, MANAGED_PATH, providedAddress, walletSeed } from './addresses.ts'
export { managedAddresses, managedAddressesAt } from './sql.ts'
export { openWallet } from './wallet.ts'
