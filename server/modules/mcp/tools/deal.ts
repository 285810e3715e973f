import { apiError } from '#platform/kernel/errors'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import { segmentOf, type Caller } from '../call.ts'
import { MCP } from '../errors.ts'

export interface DealRecord {
  id: string
  price: number
  currency: string
  requestedService: string
  responderAgent: { name: string; slug: string } | null
  escrow: {
    id: string
    held: string
    currency: string
    milestones: { key: string; amount: string; released: string }[]
    deliveries: { id: string }[]
  } | null
}

export const readDeal = async (call: Caller, id: string) =>
  (await call({ method: 'GET', path: `/ap2/negotiations/${segmentOf(id)}` })) as DealRecord

/** The escrow of a deal; ApiError 400 while the deal is not paid. */
export function requireEscrow({ escrow }: DealRecord): NonNullable<DealRecord['escrow']> {
  if (escrow) return escrow
  throw apiError(MCP.INVALID_ARGUMENTS, { hint: 'The deal is not paid: its buyer pays with pay_deal' })
}

/** The path of an operation on the escrow of a deal. */
export const escrowPath = (deal: DealRecord, operation: string): string =>
  `/payments/escrow/${requireEscrow(deal).id}/${operation}`

/** An amount as a person reads it: `25.00 USD`. */
export const moneyText = (amount: number | string, currency: string): string =>
  `${formatMoney(parseAmount(amount, { zero: true }))} ${currency}`

/** Who is paid. */
export const sellerOf = ({ responderAgent }: DealRecord): string =>
  responderAgent ? `${responderAgent.name} (${responderAgent.slug})` : 'the seller'
