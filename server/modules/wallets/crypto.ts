export {
  heldAmong,
  isChecksummed,
  MANAGED_PATH,
  outsideAddress,
  providedAddress,
  walletSeed,
} from './addresses.ts'
export { otherHeldAddresses } from './ports.ts'
export { managedAddresses, managedAddressesAt } from './sql.ts'
export { openWallet } from './wallet.ts'
