import { errorTable } from '#platform/kernel/errors'

export const PAYOUTS = errorTable({
  WALLET_NOT_CONFIGURED: [400, 'Wallet not configured'],
  PAYOUT_ACCOUNT_NOT_READY: [400, 'Payout account not ready'],
  PAYOUT_ACCOUNT_REJECTED: [409, 'Payout account rejected'],
  PAYOUT_AMOUNT: [400, 'Invalid amount'],
  PAYOUT_RAIL_UNAVAILABLE: [400, 'Payout rail not available'],
  PAYOUT_NOT_FOUND: [404, 'Payout not found'],
  PAYOUT_OWNER_SUSPENDED: [409, 'Account suspended'],
  PAYOUT_WALLET_FROZEN: [409, 'Wallet frozen'],
  PROCESSOR_SILENT: [503, 'Card processor unavailable'],
})
