import { Type, type Static } from '#platform/http/type'
import type { IncomingHttpHeaders } from 'node:http'
import { schemaCheck } from '#platform/adapters/json-schema/schema-check'
import { apiError } from '#platform/kernel/errors'
import type { Network } from '../chain/network.ts'
import type { Authorization, Hex } from '../chain/port.ts'
import { X402 } from '../errors.ts'
import { LONGEST_SECONDS, requirementsV1, requirementsV2, type Terms } from './requirements.ts'

const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Whole = Type.String({ pattern: '^[0-9]{1,30}$' })

// Version 1 names scheme and network beside the payload, version 2 in the requirements that the client accepted.
const Payload = Type.Object({
  x402Version: Type.Union([Type.Literal(1), Type.Literal(2)]),
  scheme: Type.Optional(Type.String()),
  network: Type.Optional(Type.String()),
  accepted: Type.Optional(
    Type.Object({
      scheme: Type.String(),
      network: Type.String(),
      asset: Type.String(),
      payTo: Type.String(),
    }),
  ),
  payload: Type.Object({
    signature: Type.String({ pattern: '^0x([0-9a-fA-F]{2}){1,4000}$' }),
    authorization: Type.Object({
      from: Address,
      to: Address,
      value: Whole,
      validAfter: Whole,
      validBefore: Whole,
      nonce: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
    }),
  }),
})
type Payload = Static<typeof Payload>
const isPayload = schemaCheck(Payload)

/** A payment that a client signed, as its header contains it. */
export interface SignedPayment {
  version: 1 | 2
  authorization: Authorization
  signature: string
  /** As the client sent it, for the facilitator. */
  payload: Payload
}

/** The header of each protocol version. */
const HEADERS = ['payment-signature', 'x-payment'] as const

/** The payment in the headers of a request; null without one. ApiError 400 if it cannot be read. */
export function paymentIn(headers: IncomingHttpHeaders): SignedPayment | null {
  const name = HEADERS.find(each => headers[each] !== undefined)
  if (!name) return null
  const parsed = parsedOf(String(headers[name]))
  const version = name === 'x-payment' ? 1 : 2
  if (!isPayload(parsed) || parsed.x402Version !== version || (version === 2 && !parsed.accepted))
    throw apiError(X402.X402_HEADER_INVALID, {
      hint: `${name} must be base64 of a payment payload of version ${version} with an EIP-3009 authorization`,
    })
  const { from, to, value, validAfter, validBefore, nonce } = parsed.payload.authorization
  return {
    version,
    signature: parsed.payload.signature.toLowerCase(),
    payload: parsed,
    authorization: {
      from: lower(from),
      to: lower(to),
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: lower(nonce),
    },
  }
}

const lower = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`

function parsedOf(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  } catch {
    return null
  }
}

/** The requirements that a payment is checked against, in its protocol version. */
export const requirementsFor = ({ version }: SignedPayment, network: Network, terms: Terms): object =>
  version === 1 ? requirementsV1(network, terms) : requirementsV2(network, terms)

/** Seconds that an authorization must still be valid for, so that it can be settled. */
const MARGIN_SECONDS = 6n

/** Why a payment does not fit the terms, before its signature is checked; null if it does. */
export function mismatchOf(
  { authorization, payload }: SignedPayment,
  network: Network,
  { payTo, amount }: Terms,
  nowSeconds: bigint,
): string | null {
  const { scheme, network: name } = payload.accepted ?? payload
  const asset = payload.accepted?.asset
  if (scheme !== 'exact') return 'unsupported_scheme'
  if (name !== network.id && name !== network.legacyName) return 'invalid_network'
  if (asset !== undefined && !sameAddress(asset, network.token)) return 'invalid_asset'
  if (!sameAddress(authorization.to, payTo)) return 'invalid_exact_evm_payload_recipient_mismatch'
  if (authorization.value !== amount) return 'invalid_exact_evm_payload_authorization_value'
  if (authorization.validAfter > nowSeconds) return 'invalid_exact_evm_payload_authorization_valid_after'
  const seconds = authorization.validBefore - nowSeconds
  if (seconds < MARGIN_SECONDS || seconds > LONGEST_SECONDS)
    return 'invalid_exact_evm_payload_authorization_valid_before'
  return null
}

export const sameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
