import type { CommissionStatus } from '../../api/schema.d.ts'

/** States of a commission, in the order in which it goes through them. */
export const STATES: readonly CommissionStatus[] = [
  'EXPECTED',
  'PENDING',
  'AVAILABLE',
  'PAID',
  'CANCELLED',
  'CLAWED_BACK',
  'FRAUD_HOLD',
]

export interface CommissionSearch {
  status?: CommissionStatus | undefined
  offset?: number | undefined
}
