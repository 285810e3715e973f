import { errorTable } from '#platform/kernel/errors'

export const X402 = errorTable({
  AGENT_WALLET_MISSING: [400, 'Wallet not configured'],
  X402_NETWORK_UNKNOWN: [400, 'Unsupported network'],
  X402_ASSET_UNKNOWN: [400, 'Unsupported asset'],
  X402_HEADER_INVALID: [400, 'Invalid payment header'],
  X402_PRICE_MISSING: [400, 'Agent has no price'],
  X402_SIGNATURE_INVALID: [400, 'Invalid signature'],
  PAYMENT_REQUIRED: [402, 'Payment required'],
  X402_PAYMENT_NOT_FOUND: [404, 'Payment not found'],
  X402_PAYMENT_ENDED: [409, 'Payment has ended'],
  X402_PAYMENT_BUSY: [409, 'Payment is being settled'],
  X402_IDENTIFIER_USED: [409, 'Payment identifier was used'],
  TOO_MANY_X402_PAYMENTS: [409, 'Too many open payments'],
  CHAIN_TRANSFER_NOT_FOUND: [404, 'Chain transfer not found'],
  CHAIN_TRANSFER_SETTLED: [409, 'Chain transfer already settled'],
  CHAIN_TRANSFER_NOT_POSTED: [409, 'Chain transfer was not posted'],
  NO_LOCAL_CHAIN: [409, 'No local chain'],
  CHAIN_UNAVAILABLE: [503, 'Chain unavailable'],
  X402_SETTLEMENT_PENDING: [503, 'Payment not settled yet'],
})
