export const RUN_STATES = [
  'PENDING',
  'AWAITING_APPROVAL',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
] as const

export interface RunSearch {
  status?: (typeof RUN_STATES)[number]
  offset?: number
}

/** How far back the earnings are shown, in days. */
export const RANGES = ['30', '90', '365'] as const
export type Range = (typeof RANGES)[number]

export interface EarningsSearch {
  agent?: string
  range?: Range
}

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const

export interface DeliverySearch {
  status?: (typeof DELIVERY_STATES)[number]
  offset?: number
}
