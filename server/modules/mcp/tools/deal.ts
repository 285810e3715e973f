import { formatMoney, parseAmount } from '#platform/kernel/money'
import { segmentOf, type Caller } from '../call.ts'

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

/** An amount as a person reads it: `25.00 USD`. */
export const moneyText = (amount: number | string, currency: string): string =>
  `${formatMoney(parseAmount(amount, { zero: true }))} ${currency}`

/** Who is paid. */
export const sellerOf = ({ responderAgent }: DealRecord): string =>
  responderAgent ? `${responderAgent.name} (${responderAgent.slug})` : 'the seller'
