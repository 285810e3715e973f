import { apiError, type ApiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { networkOf } from '../chain/network.ts'
import { X402 } from '../errors.ts'
import { requirementsV1, requirementsV2, type Terms } from './requirements.ts'

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/**
 * The 402 of a resource that costs something, in both protocol versions: version 2 reads the header `PAYMENT-REQUIRED`,
 * version 1 the fields `x402Version` and `accepts` of the body.
 */
export function paymentRequired({ config }: Services, terms: Terms, reason: string | null): ApiError {
  const network = networkOf(config)
  const { url, description } = terms
  const header = {
    x402Version: 2,
    error: reason ?? 'PAYMENT-SIGNATURE header is required',
    resource: { url, description, mimeType: 'application/json' },
    accepts: [requirementsV2(network, terms)],
  }
  return apiError(X402.PAYMENT_REQUIRED, {
    hint:
      reason === null
        ? 'Send the request with an x402 client, which pays it and repeats it'
        : `The payment was refused (${reason}): ${adviceFor(reason)}`,
    details: { reason },
    fields: { x402Version: 1, accepts: [requirementsV1(network, terms)] },
    headers: { 'PAYMENT-REQUIRED': encoded(header), 'Cache-Control': 'no-store' },
  })
}

function adviceFor(reason: string): string {
  // It is correctly signed: nearly always the payer has too little of the token.
  if (reason.endsWith('simulation_failed')) return 'the payer must have the amount in USDC'
  // The facilitator deploys no wallets with its own gas.
  if (reason === 'eip6492_factory_not_allowed')
    return 'the smart wallet is not deployed yet: send a transaction from it first, or pay from another one'
  return 'sign a new one for these requirements'
}

/** The header of the response to a payment, named as its protocol version does. */
export function paymentResponse(
  version: 1 | 2,
  { txHash, network, payer }: { txHash: string | null; network: string; payer: string },
): Record<string, string> {
  const settled = { success: true, transaction: txHash ?? '', network, payer }
  return { [version === 1 ? 'X-PAYMENT-RESPONSE' : 'PAYMENT-RESPONSE']: encoded(settled) }
}
