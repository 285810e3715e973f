import { errorTable, type ErrorRow } from '#platform/kernel/errors'

export const WALLETS = errorTable({
  WALLET_NOT_FOUND: [404, 'Wallet not found'],
  WALLET_EXISTS: [409, 'Wallet already exists'],
  ADDRESS_INVALID: [400, 'Invalid wallet address'],
  SELF_TRANSFER: [400, 'Cannot transfer to the same wallet'],
  CURRENCY_MISMATCH: [400, 'Currency mismatch'],
  TOO_MANY_WALLETS: [409, 'Too many wallets'],
  WALLET_NOT_EMPTY: [409, 'Wallet not empty'],
  TEST_CREDIT_LIMIT: [400, 'Test credit limit reached'],
  NOTHING_UNCLAIMED: [409, 'No unclaimed funds'],
  VOUCHER_NOT_FOUND: [404, 'Voucher not found'],
  VOUCHER_REDEEMED: [409, 'Voucher already redeemed'],
  VOUCHER_CANCELLED: [409, 'Voucher cancelled'],
  VOUCHER_EXPIRED: [409, 'Voucher expired'],
  SANDBOX_ONLY: [403, 'Sandbox mode only'],
})

export const walletsConstraints: Record<string, ErrorRow> = {
  wallets_wallet_one_default: WALLETS.WALLET_EXISTS,
}
