import { faultTable, type FaultRow } from '#platform/fault'

export const WALLETS = faultTable({
  WALLET_NOT_FOUND: [404, 'Wallet not found'],
  USER_NOT_FOUND: [404, 'User not found'],
  AGENT_NOT_FOUND: [404, 'Agent not found'],
  ORGANIZATION_NOT_FOUND: [404, 'Organization not found'],
  WALLET_EXISTS: [409, 'Wallet already exists'],
  ADDRESS_INVALID: [400, 'Invalid wallet address'],
  SELF_TRANSFER: [400, 'Cannot transfer to the same wallet'],
  CURRENCY_MISMATCH: [400, 'Currency mismatch'],
  TOO_MANY_WALLETS: [409, 'Too many wallets'],
  WALLET_NOT_EMPTY: [409, 'Wallet not empty'],
  TEST_CREDIT_LIMIT: [400, 'Test credit limit reached'],
  NOTHING_UNCLAIMED: [409, 'No unclaimed funds'],
  SANDBOX_ONLY: [403, 'Sandbox mode only'],
})

export const walletsConstraints: Record<string, FaultRow> = {
  wallets_wallet_one_default: WALLETS.WALLET_EXISTS,
}
