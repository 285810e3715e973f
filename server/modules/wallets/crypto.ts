export {
  heldAmong,
  isChecksummed,
  MANAGED_PATH,
  outsideAddress,
  providedAddress,
  walletSeed,
} from './addresses.ts'
export { managedAddresses, managedAddressesAt } from './sql.ts'
export { openWallet } from './wallet.ts'
