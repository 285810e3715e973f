import type { NegotiationStatus } from '../../api/schema.d.ts'

export const SIDES = ['buyer', 'seller'] as const
export const NEGOTIATION_STATES = [
  'PENDING',
  'COUNTERED',
  'ACCEPTED',
  'ESCROWED',
  'IN_PROGRESS',
  'DELIVERED',
  'COMPLETED',
  'REFUNDED',
  'SPLIT',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
] as const satisfies readonly NegotiationStatus[]

/** What the address of the list of deals says. */
export interface DealSearch {
  role?: (typeof SIDES)[number]
  status?: NegotiationStatus
  search?: string
  offset?: number
}
