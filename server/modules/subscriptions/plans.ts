import { MICRO } from '#platform/kernel/money'

export type PlanId = 'FREE' | 'PRO'

export interface Plan {
  id: PlanId
  name: string
  /** Micro-units of USD a month. */
  price: bigint
  /** Marketplace fee of a seller with this plan, in basis points. */
  feeBps: number
}

export const PLANS: Readonly<Record<PlanId, Plan>> = {
  FREE: { id: 'FREE', name: 'Free', price: 0n, feeBps: 2000 },
  PRO: { id: 'PRO', name: 'Pro', price: 59n * MICRO, feeBps: 1000 },
}
