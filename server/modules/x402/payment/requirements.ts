import { networkOf, type Network } from '../chain/network.ts'
import type { Services } from '#platform/kernel/services'
import type { Payment } from './sql.ts'

/** How long an authorization is valid for which a client asks: long enough for a settlement and its repetitions. */
const AUTHORIZATION_SECONDS = 300
/** How long one may be valid at most, by a client whose clock is ahead: it is settled again and again until its end. */
export const LONGEST_SECONDS = BigInt(AUTHORIZATION_SECONDS) + 300n

/** What is to be paid for a resource. */
export interface Terms {
  payTo: string
  amount: bigint
  /** Address of the resource that the payment is sent to. */
  url: string
  description: string
}

/** Payment requirements as protocol version 1 writes them. */
export const requirementsV1 = (network: Network, { payTo, amount, url, description }: Terms) => ({
  scheme: 'exact' as const,
  network: network.legacyName,
  maxAmountRequired: amount.toString(),
  resource: url,
  description,
  mimeType: 'application/json',
  payTo,
  maxTimeoutSeconds: AUTHORIZATION_SECONDS,
  asset: network.token,
  extra: { name: network.tokenName, version: network.tokenVersion },
})

/** The same as protocol version 2 writes them. */
export const requirementsV2 = (network: Network, { payTo, amount }: Terms) => ({
  scheme: 'exact' as const,
  network: network.id,
  amount: amount.toString(),
  asset: network.token,
  payTo,
  maxTimeoutSeconds: AUTHORIZATION_SECONDS,
  extra: { name: network.tokenName, version: network.tokenVersion },
})

export const statusUrlOf = ({ publicUrl }: Pick<Services, 'publicUrl'>, id: string): string =>
  `${publicUrl}/payments/x402/${id}`
export const payUrlOf = (services: Pick<Services, 'publicUrl'>, id: string): string =>
  `${statusUrlOf(services, id)}/pay`

/** The terms of a stored payment. */
export const termsOf = (services: Services, payment: Payment): Terms => ({
  payTo: payment.payTo,
  amount: payment.amount,
  url: payUrlOf(services, payment.id),
  description: payment.description,
})

/** What an x402 client needs of a payment, in both protocol versions. */
export function acceptsOf(services: Services, payment: Payment) {
  const network = networkOf(services.config)
  const terms = termsOf(services, payment)
  return [requirementsV2(network, terms), requirementsV1(network, terms)]
}
